/** Responses that upstreams store: the channel and key of each are noted with its answer, and later requests about it go there. */
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import type { Provider } from "../../providers/provider.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import { countOpen } from "../admission/admit.ts";
import { type Caller, checkAddress, checkModelLimits } from "../admission/caller.ts";
import { groupFor, groupsOf } from "../admission/groups.ts";
import { limitRate } from "../admission/rate-limits.ts";
import { headersWithoutClient, withAdded } from "../attempt/added-headers.ts";
import { mapModel } from "../attempt/formats.ts";
import { signRequest } from "../attempt/sign-request.ts";
import { providerChannel } from "../attempt/upstream-endpoint.ts";
import type { Answer } from "../call/answer.ts";
import type { Call } from "../call/call.ts";
import type { StoredResponse } from "../call/ports.ts";
import { RelayError } from "../call/relay-error.ts";
import { noteFree } from "../metering/record.ts";
import type { Accepted } from "../request/accepted.ts";
import { type StoredPath, queryOf, upstreamPath } from "../request/paths.ts";
import { PassedAnswer } from "./passed-answer.ts";

/** Ids that are hard to guess: a shorter one would be the same for several users. */
const ID = /^[\w-]{16,200}$/;

/** The id by which an upstream keeps the call's answer; empty where none does. */
export const storedId = ({ trace }: Call): string =>
  trace.target?.dialect.name === "openai-responses" && ID.test(trace.answerId) ? trace.answerId : "";

/** Notes who has the answer where its upstream stores it; undefined where there is nothing to wait for. Never rejects. */
export function noteStored(
  call: Call,
  accepted: Accepted,
  { user }: Caller,
  { target, end }: Answer,
): Promise<void> | undefined {
  const { answerId: id } = call.trace;
  // The id is read of answers that are kept alone; in another format it would be ours.
  if (target.dialect !== accepted.dialect || end === "upstream_broke" || !ID.test(id)) return undefined;
  const { channel } = target;
  const place = { channelId: channel.id, channelKeyId: channel.ofKey?.id ?? 0 };
  return call.context.storedResponses.note({ id, userId: user.id, ...place, model: accepted.model });
}

/** The error for a response that is not the caller's. */
export const notFound = (id: string): RelayError =>
  new RelayError("response_not_found", { message: `Response with id '${id}' not found.`, param: "response_id" });

const gone = (id: string): RelayError =>
  new RelayError("response_not_found", {
    message: `Response with id '${id}' cannot be reached: the channel that stores it is not there any more.`,
    param: "response_id",
  });

/** The caller's own response; one of another user is as if it were not there. Rejects with RelayError 404 or 503. */
async function ownResponse(call: Call, id: string, { user }: Caller): Promise<StoredResponse> {
  const found = await call.context.storedResponses.find(id).catch((error: unknown) => {
    call.context.logger.warn({ ...call.logFields, err: error }, "a stored response could not be looked up");
    throw new RelayError("books_unavailable", { message: "The response cannot be looked up at the moment." });
  });
  if (found?.userId !== user.id) throw notFound(id);
  return found;
}

interface Holder {
  channel: SnapshotChannel;
  provider: Provider;
  upstreamModel: string;
}

/** The channel, with the key, that made it. Throws RelayError 404 where it is gone, 503 where it is switched off. */
function holderOf(
  { context }: Call,
  { id, channelId, channelKeyId, model }: StoredResponse,
  groups: readonly string[],
) {
  const channel = context.snapshot.channelById(channelId);
  if (channel === undefined || !channel.groupNames.some((name) => groups.includes(name))) throw gone(id);
  if (channel.status !== CHANNEL_STATUS.enabled)
    throw new RelayError("no_available_channel", { message: "The channel that stores the response is switched off." });
  const keyed = channel.keys?.members.find(({ ofKey }) => ofKey.id === channelKeyId) ?? channel;
  if (channel.keys !== undefined && keyed === channel) throw gone(id);
  const provider = context.providers.byType(channel.type);
  const upstreamModel = mapModel(channel.modelMapping, model);
  const formats = provider?.dialectsOf?.(upstreamModel, channel) ?? provider?.manifest.dialects ?? [];
  if (provider === undefined || !formats.includes("openai-responses")) throw gone(id);
  return { channel: keyed, provider, upstreamModel };
}

/** The request as it goes to the holder. Rejects with RelayError 502 where it cannot be signed. */
async function requestFor(
  call: Call,
  { channel, provider, upstreamModel }: Holder,
  { method }: StoredPath,
  url: string,
) {
  const isStream = queryOf(url).get("stream") === "true";
  const asked = { operation: "chat", dialect: "openai-responses", model: upstreamModel, isStream } as const;
  const providerCall = { ...asked, path: upstreamPath({}, url), headers: {} };
  const made = provider.endpoint(providerChannel({ channel, provider }), providerCall);
  const headers = [...made.headers, "accept", isStream ? "text/event-stream" : "application/json"];
  const plain = { provider, providerCall, channel, url: made.url, headers, body: Buffer.alloc(0) };
  const signed = await signRequest(call.context, { ...plain, ...(method === "POST" ? {} : { method }) });
  if ("kind" in signed) throw new RelayError("upstream_failed");
  return {
    method,
    url: signed.url,
    headers: withAdded(signed.headers, headersWithoutClient(channel)),
    body: null,
    proxy: channel.setting.proxy ?? "",
    http2: channel.setting.http2,
  };
}

/** Counts the request like a call, without a charge. Rejects with RelayError 403 or 429. */
async function letIn(call: Call, caller: Caller, model: string): Promise<void> {
  const { snapshot } = call.context;
  checkModelLimits(caller, model);
  const { TokenConcurrencyLimit } = snapshot.options;
  if (TokenConcurrencyLimit > 0) await countOpen(call, caller, TokenConcurrencyLimit);
  await limitRate(call, caller.user.id, groupFor(snapshot, caller, model).name);
}

/**
 * Passes a question on to the channel and key that made the response, and the answer back; nothing is charged, for its tokens were when it was made.
 * Rejects with RelayError.
 */
export async function passStored(
  call: Call,
  path: StoredPath,
  caller: Caller,
  url: string = call.request.url ?? "/",
): Promise<void> {
  checkAddress(caller.token, caller.address);
  const response = await ownResponse(call, path.id, caller);
  const holder = holderOf(call, response, groupsOf(call.context.snapshot, caller));
  await letIn(call, caller, response.model);
  const request = await requestFor(call, holder, path, url);
  const { timeouts, upstream, storedResponses, logger } = call.context;
  const timers = { firstByteTimeoutMs: timeouts.firstByteMs, idleTimeoutMs: timeouts.idleMs };
  try {
    await PassedAnswer.of(call, holder.channel.key, (sink) => upstream.send({ ...request, ...timers }, sink));
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
    throw new RelayError(error.kind.endsWith("timeout") ? "upstream_timeout" : "upstream_unreachable");
  }
  noteFree(call, caller);
  if (path.action !== "delete" || call.status >= 300) return;
  await storedResponses
    .remove(response)
    .catch((error: unknown) => logger.warn({ ...call.logFields, err: error }, "a deleted response is still noted"));
}
