/** Small questions to a channel's upstream about its tasks, each answered whole. */
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { TaskOperation } from "../../tasks/kinds/kind.ts";
import { askUpstream } from "../../upstream/ask.ts";
import { withoutUpstreamKey } from "../../upstream/fault.ts";
import { headersWithoutClient, withAdded } from "../attempt/added-headers.ts";
import { providerChannel } from "../attempt/upstream-endpoint.ts";
import type { RelayContext } from "../call/context.ts";

const MAX_ANSWER_BYTES = 16 * 1_048_576;
const ASK_MS = 15_000;

export interface TaskQuestion {
  operation: TaskOperation;
  /** As clients name it. */
  model: string;
  method: "GET" | "POST";
  path: string;
  fields?: object;
  /** For everything; 15 s where absent. */
  limitMs?: number;
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
  { providers, upstream }: Pick<RelayContext, "providers" | "upstream">,
  channel: SnapshotChannel,
  { operation, model, method, path, fields, limitMs = ASK_MS }: TaskQuestion,
): Promise<TaskAnswer> {
  const provider = providers.byType(channel.type);
  if (provider === undefined) throw new Error(`there is no provider of channel type ${channel.type}`);
  const call = { operation, dialect: "openai-chat", path, model, isStream: false, headers: {} } as const;
  const { url, headers } = provider.endpoint(providerChannel({ channel, provider }), call);
  const body = fields === undefined ? null : Buffer.from(JSON.stringify(fields));
  const type = body === null ? [] : ["content-type", "application/json"];
  const sent = withAdded([...headers, ...type, "accept", "application/json"], headersWithoutClient(channel));
  const timers = { firstByteTimeoutMs: limitMs, idleTimeoutMs: limitMs };
  const request = { method, url, headers: sent, body, proxy: channel.setting.proxy ?? "", ...timers };
  const answer = await askUpstream(upstream, request, { bytes: MAX_ANSWER_BYTES, totalMs: limitMs });
  const text = withoutUpstreamKey(answer.body, channel.key);
  return { status: answer.status, text, body: parsed(text) };
}
