/** Small requests to a channel's upstream about its tasks, each answered whole. */
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { TaskOperation } from "../../tasks/kinds/kind.ts";
import { askUpstream } from "../../upstream/ask.ts";
import { UpstreamFault, withoutUpstreamKey } from "../../upstream/fault.ts";
import { headersWithoutClient, withAdded } from "../attempt/added-headers.ts";
import { signRequest } from "../attempt/sign-request.ts";
import { providerChannel } from "../attempt/upstream-endpoint.ts";
import type { RelayContext } from "../call/context.ts";

const MAX_ANSWER_BYTES = 16 * 1_048_576;
const ASK_MS = 15_000;
/** The same for an answer that may have a result in it. */
const LARGE_ASK_MS = 60_000;

export interface TaskQuestion {
  operation: TaskOperation;
  /** As clients name it. */
  model: string;
  method: "GET" | "POST";
  path: string;
  fields?: object;
  /** For everything; 15 s where absent, 60 s with `mostAnswerBytes`. */
  limitMs?: number;
  /** 16 MiB where absent. */
  mostAnswerBytes?: number;
}

export interface TaskAnswer {
  status: number;
  text: string;
  /** Undefined where the text is no JSON. */
  body: unknown;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Asks with the channel's own key and proxy. Rejects with UpstreamFault; an unknown channel type is a fault of this program. */
export async function askOfTask(
  context: Pick<RelayContext, "providers" | "upstream" | "accessTokens">,
  channel: SnapshotChannel,
  { operation, model, method, path, fields, mostAnswerBytes, ...asked }: TaskQuestion,
): Promise<TaskAnswer> {
  const { providers, upstream } = context;
  const { limitMs = mostAnswerBytes === undefined ? ASK_MS : LARGE_ASK_MS } = asked;
  const provider = providers.byType(channel.type);
  if (provider === undefined) throw new Error(`there is no provider of channel type ${channel.type}`);
  const call = { operation, dialect: "openai-chat", path, model, isStream: false, headers: {} } as const;
  const { url, headers } = provider.endpoint(providerChannel({ channel, provider }), call);
  const body = fields === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(fields));
  const type = fields === undefined ? [] : ["content-type", "application/json"];
  const plain = {
    provider,
    providerCall: call,
    channel,
    url,
    headers: [...headers, ...type, "accept", "application/json"],
  };
  const signed = await signRequest(context, { ...plain, body, ...(method === "GET" ? { method } : {}) });
  if ("kind" in signed) throw new UpstreamFault("connect", signed.message);
  const timers = { firstByteTimeoutMs: limitMs, idleTimeoutMs: limitMs };
  const request = {
    method,
    url: signed.url,
    headers: withAdded(signed.headers, headersWithoutClient(channel)),
    body: fields === undefined ? null : signed.body,
    proxy: channel.setting.proxy ?? "",
    http2: channel.setting.http2,
    ...timers,
  };
  const answer = await askUpstream(upstream, request, { bytes: mostAnswerBytes ?? MAX_ANSWER_BYTES, totalMs: limitMs });
  const text = withoutUpstreamKey(answer.body, channel.key);
  return { status: answer.status, text, body: parsed(text) };
}
