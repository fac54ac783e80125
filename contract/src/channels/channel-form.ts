/** Request bodies that create and change channels, and the JSON object `setting` in them: its schema, for the server that checks it and the form that writes it. */
import { z } from "zod";
import { TEST_KINDS } from "./channel-tests.ts";
import { watchSettings } from "./model-watch.ts";
import { severalKeysChoice } from "./choices.ts";
import { nameList, nameText } from "../names.ts";

const text = z.string().nullish();
const name = nameText.nullish();
const number = z.union([z.number(), z.string()]).nullish();

const channelFields = {
  type: z.number().optional(),
  name,
  base_url: text,
  other: text,
  /** Comma-joined. */
  models: nameList.nullish(),
  /** Comma-joined; `groups` wins where both are sent. */
  group: nameList.nullish(),
  groups: z.array(nameText).nullish(),
  model_mapping: text,
  status_code_mapping: text,
  param_override: text,
  setting: text,
  /** JSON text: which fields of requests go on to the upstream. */
  settings: text,
  /** JSON text (channels/header-override.ts); `***` keeps a stored value. */
  header_override: text,
  /** What administrators note; people without that role never see it. */
  remark: text,
  /** JSON text (channels/costs.ts): what the upstream asks for; `""` is the price list as it is. */
  costs: text,
  openai_organization: text,
  test_model: name,
  tag: name,
  priority: number,
  weight: number,
  auto_ban: z.union([z.number(), z.boolean()]).nullish(),
  /** Most input tokens of a call, as the gateway estimates them; null, 0 or `""` for no limit. */
  max_input_tokens: number,
};

export const channelCreate = z.object({
  ...channelFields,
  /** One key a line; a JSON object is one key, a JSON list holds several. */
  key: text,
  /** What several keys make: a channel each, or one channel that has them all. */
  keys_make: z.literal(["channels", "one_channel"]).optional(),
  /** How the calls of one channel get one of its keys; `random` where absent. */
  key_choice: severalKeysChoice.optional(),
});
export type ChannelCreate = z.output<typeof channelCreate>;

/** Only the fields that are sent change; `""` clears a text. A blank or absent key keeps the stored one. */
export const channelUpdate = z.object({
  ...channelFields,
  id: z.int(),
  key: text,
  status: z.number().optional(),
  /** The revision that was read: the change is refused if the channel has changed since. Absent: no check. */
  revision: z.number().optional(),
});
export type ChannelUpdate = z.output<typeof channelUpdate>;

/** A form that is tested before it is saved: of a new channel, or with `id` the changes of a stored one. */
export const channelDraft = z.object({
  ...channelFields,
  id: z.int().optional(),
  key: text,
  model: name,
  /** What the test is to show; `plain` where absent. */
  kind: z.enum(TEST_KINDS).optional(),
});
export type ChannelDraft = z.output<typeof channelDraft>;

export const tagUpdate = z.object({
  tag: z.string(),
  /** `""` removes the tag from its channels. */
  new_tag: name,
  model_mapping: text,
  param_override: text,
  models: nameList.nullish(),
  groups: z.union([nameText, z.array(nameText)]).nullish(),
  priority: number,
  weight: number,
});
export type TagUpdate = z.output<typeof tagUpdate>;

/** A day, as for FIRST_BYTE_TIMEOUT_STREAM_MS. */
export const MAX_FIRST_BYTE_SECONDS = 86_400;
export const SYSTEM_PROMPT_MAX = 20_000;
export const CHANNEL_REMARK_MAX = 255;

/** `auto`: the newest that the upstream also speaks. `http2`: that or none. */
export const HTTP_PROTOCOLS = ["auto", "http1", "http2"] as const;
/** As new-api has it (MaxHTTP2ConnectionShards of github.com/QuantumNous/new-api). */
export const HTTP2_CONNECTIONS_MAX = 8;

const shape = {
  /** Proxy that the channel's calls go through; empty for none. */
  proxy: z.union([z.literal(""), z.string().regex(/^(https?|socks5h?):\/\/[^\s]+$/)]).optional(),
  /** Calls that may be open at the same time; 0 for no limit. */
  max_concurrency: z.int().min(0).optional(),
  /** Seconds that the first byte of a streamed answer is waited for. */
  first_byte_timeout_stream_seconds: z.int().min(1).max(MAX_FIRST_BYTE_SECONDS).optional(),
  /** Clients may ask for a service tier that costs more than the model's price. */
  allow_service_tier: z.boolean().optional(),
  /** Fields that the client's format does not define are removed from answers. */
  force_format: z.boolean().optional(),
  /** Chat completions deliver the model's thinking inside the content. */
  thinking_to_content: z.boolean().optional(),
  /** Instructions of the operator for conversations: where the client has none, unless one of the next two says otherwise. */
  system_prompt: z.string().max(SYSTEM_PROMPT_MAX).optional(),
  /** They stand before the client's own. */
  system_prompt_override: z.boolean().optional(),
  /** They stand in place of the client's own. */
  system_prompt_replaces: z.boolean().optional(),
  /** The client's bytes go on as they are, where the upstream speaks its format. */
  pass_through_body_enabled: z.boolean().optional(),
  /** Headers by which coding agents say what they are go on; so where absent. */
  pass_agent_headers: z.boolean().optional(),
  /** The mark that shows loops between gateways is sent; where absent to private addresses alone. */
  send_hops: z.boolean().optional(),
  /** By which version of HTTP calls go to upstreams with TLS; HTTP/1.1 where absent. */
  http_protocol: z.enum(HTTP_PROTOCOLS).optional(),
  /** Connections over which the calls of HTTP/2 are spread. */
  http2_connection_shards: z.int().min(1).max(HTTP2_CONNECTIONS_MAX).optional(),
  /** The header `traceparent` is sent, so that the upstream continues the trace; not sent where absent. */
  send_trace_context: z.boolean().optional(),
};

/** Strict, so that an unknown setting is refused by name instead of being stored without effect. */
export const channelSettingSchema = z.strictObject(shape);

export type ChannelSettingName = keyof typeof shape;

const requestShape = {
  /** As `allow_service_tier` of `setting`; either of them allows it. */
  allow_service_tier: z.boolean().optional(),
  /** `speed` is sent, and charged by its ratio. */
  allow_speed: z.boolean().optional(),
  /** Where false, calls that name a place for inference go to other channels. */
  allow_inference_geo: z.boolean().optional(),
  /** Where false, `safety_identifier` is left out. */
  allow_safety_identifier: z.boolean().optional(),
  /** `store` is left out. */
  disable_store: z.boolean().optional(),
  /** Where false, `stream_options.include_obfuscation` is left out. */
  allow_include_obfuscation: z.boolean().optional(),
  /** Paths of Messages get `?beta=true`. */
  claude_beta_query: z.boolean().optional(),
  ...watchSettings,
};

/** The JSON object `settings`: which fields of requests go on, and how the upstream's model list is watched. Strict as the other one. */
export const channelRequestSchema = z.strictObject(requestShape);

export type ChannelRequestName = keyof typeof requestShape;

export const CHANNEL_REQUEST_NAMES = Object.keys(requestShape) as ChannelRequestName[];

export const CHANNEL_SETTING_NAMES = Object.keys(shape) as ChannelSettingName[];
