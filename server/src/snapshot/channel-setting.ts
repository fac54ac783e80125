/** A channel's stored `setting` and `settings` -> what the relay reads of them; part of rows.ts. What does not fit counts as not set. */
import { z } from "zod";
import {
  HTTP_PROTOCOLS,
  HTTP2_CONNECTIONS_MAX,
  MAX_FIRST_BYTE_SECONDS,
} from "../../../contract/src/channels/channel-form.ts";
import { parseJson } from "../util/json-read.ts";

/** Instructions of the operator, and where they stand: only where the client has none, before the client's, or in their place. */
export interface ChannelPrompt {
  readonly text: string;
  readonly place: "where_missing" | "before" | "instead";
}

/** Fields of a request that stay behind where a channel says so. */
export type WithheldField = "store" | "safety_identifier" | "include_obfuscation";

/** What a channel's settings say of the requests that it sends; absent is the default of each. */
interface SentSetting {
  prompt?: ChannelPrompt;
  /** The client's bytes go on as they are, where the upstream speaks its format. */
  passesBody?: true;
  /** Headers of coding agents stay behind. */
  hidesAgents?: true;
  /** Whether the mark against loops is sent; absent where the address decides. */
  sendsHops?: boolean;
  /** The upstream continues the trace of each call. */
  sendsTraceContext?: true;
  allowsSpeed?: true;
  /** Calls that name a place for inference go to other channels. */
  refusesInferenceGeo?: true;
  withheld?: readonly WithheldField[];
  /** Paths of Messages get `?beta=true`. */
  asksForBeta?: true;
}

/** As the upstream client takes it (upstream/client.ts). */
interface Http2Use {
  /** An upstream that does not speak it is not called. */
  isRequired: boolean;
  connections: number;
}

/**
 * `maxConcurrency`: open calls at a time, 0 for no bound; absent where the option decides. `allowsServiceTier`: clients may ask for
 * what costs the upstream more than the model's price. `forcesFormat`: answers in the client's own format lose what the format does
 * not have. `movesThinking`: clients of chat completions get the thinking among the words.
 */
export interface ChannelSetting extends SentSetting {
  proxy?: string;
  /** Maximum concurrent calls, 0 for no limit; absent to use the option. */
  maxConcurrency?: number;
  /** How long the first byte of a stream is waited for; absent to use the environment. */
  firstByteStreamMs?: number;
  /** Calls go by HTTP/2 where the upstream speaks it; absent for HTTP/1.1. */
  http2?: Http2Use;
  /** Clients may request tiers whose upstream cost exceeds the model's price. */
  allowsServiceTier?: boolean;
  /** Responses in the client's own format lose the fields that the format lacks. */
  forcesFormat?: boolean;
  /** Clients of chat completions receive the thinking inside the text. */
  movesThinking?: boolean;
}

const aBoolean = z.boolean().optional().catch(undefined);

const settingSchema = z.object({
  proxy: z.string().optional().catch(undefined),
  max_concurrency: z.int().min(0).optional().catch(undefined),
  first_byte_timeout_stream_seconds: z.int().min(1).max(MAX_FIRST_BYTE_SECONDS).optional().catch(undefined),
  allow_service_tier: aBoolean,
  force_format: aBoolean,
  thinking_to_content: aBoolean,
  system_prompt: z.string().optional().catch(undefined),
  system_prompt_override: aBoolean,
  system_prompt_replaces: aBoolean,
  pass_through_body_enabled: aBoolean,
  pass_agent_headers: aBoolean,
  send_hops: aBoolean,
  http_protocol: z.enum(HTTP_PROTOCOLS).optional().catch(undefined),
  http2_connection_shards: z.int().min(1).max(HTTP2_CONNECTIONS_MAX).optional().catch(undefined),
  send_trace_context: aBoolean,
});

const requestSchema = z.object({
  allow_service_tier: aBoolean,
  allow_speed: aBoolean,
  allow_inference_geo: aBoolean,
  allow_safety_identifier: aBoolean,
  disable_store: aBoolean,
  allow_include_obfuscation: aBoolean,
  claude_beta_query: aBoolean,
});

function read<T>(text: string | null, schema: z.ZodType<T>): Partial<T> {
  const parsed = schema.safeParse(parseJson(text ?? ""));
  return parsed.success ? parsed.data : {};
}

type Setting = Partial<z.output<typeof settingSchema>>;
type RequestSetting = Partial<z.output<typeof requestSchema>>;

function promptOf(setting: Setting): ChannelPrompt | undefined {
  const text = setting.system_prompt ?? "";
  if (text.trim() === "") return undefined;
  if (setting.system_prompt_replaces === true) return { text, place: "instead" };
  return { text, place: setting.system_prompt_override === true ? "before" : "where_missing" };
}

function withheldBy(request: RequestSetting): WithheldField[] {
  const isWithheld: Readonly<Record<WithheldField, boolean>> = {
    store: request.disable_store === true,
    safety_identifier: request.allow_safety_identifier === false,
    include_obfuscation: request.allow_include_obfuscation === false,
  };
  return (Object.keys(isWithheld) as WithheldField[]).filter((name) => isWithheld[name]);
}

function sentSettingOf(setting: Setting, request: RequestSetting): SentSetting {
  const prompt = promptOf(setting);
  const withheld = withheldBy(request);
  return {
    ...(prompt === undefined ? {} : { prompt }),
    ...(setting.pass_through_body_enabled === true ? { passesBody: true as const } : {}),
    ...(setting.send_trace_context === true ? { sendsTraceContext: true as const } : {}),
    ...(setting.pass_agent_headers === false ? { hidesAgents: true as const } : {}),
    ...(setting.send_hops === undefined ? {} : { sendsHops: setting.send_hops }),
    ...(request.allow_speed === true ? { allowsSpeed: true as const } : {}),
    ...(request.allow_inference_geo === false ? { refusesInferenceGeo: true as const } : {}),
    ...(withheld.length === 0 ? {} : { withheld }),
    ...(request.claude_beta_query === true ? { asksForBeta: true as const } : {}),
  };
}

function http2Of({ http_protocol: protocol, http2_connection_shards: connections = 1 }: Setting): { http2?: Http2Use } {
  return protocol === "auto" || protocol === "http2"
    ? { http2: { isRequired: protocol === "http2", connections } }
    : {};
}

/** Settings that are there, without those that were not sent: an absent one must not look like one set to undefined. */
export function channelSettingOf(settingText: string, requestText: string | null): ChannelSetting {
  const setting = read(settingText, settingSchema);
  const request = read(requestText, requestSchema);
  const { proxy, max_concurrency: maxConcurrency } = setting;
  const { first_byte_timeout_stream_seconds: firstByteSeconds } = setting;
  const { force_format: forcesFormat, thinking_to_content: movesThinking } = setting;
  const allowsServiceTier = request.allow_service_tier === true ? true : setting.allow_service_tier;
  return {
    ...(proxy === undefined || proxy === "" ? {} : { proxy }),
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    ...(firstByteSeconds === undefined ? {} : { firstByteStreamMs: firstByteSeconds * 1000 }),
    ...(allowsServiceTier === undefined ? {} : { allowsServiceTier }),
    ...(forcesFormat === undefined ? {} : { forcesFormat }),
    ...(movesThinking === undefined ? {} : { movesThinking }),
    ...http2Of(setting),
    ...sentSettingOf(setting, request),
  };
}
