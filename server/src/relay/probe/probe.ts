/** A channel's test: one short call made, sent and read as that of a client is, without a caller, a charge or another channel. */
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { DIALECTS } from "../../dialects/registry.ts";
import type { Operation } from "../../providers/provider.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import { UpstreamFault, newFault } from "../../upstream/fault.ts";
import { Attempt, Attempts } from "../attempt/attempts.ts";
import { dispatch } from "../attempt/dispatch.ts";
import { hasNextFormat } from "../attempt/formats.ts";
import { signRequest } from "../attempt/sign-request.ts";
import { translate } from "../attempt/translate.ts";
import { Call } from "../call/call.ts";
import type { RelayContext } from "../call/context.ts";
import type { Target } from "../call/target.ts";
import { accept } from "../request/accept.ts";
import type { Accepted } from "../request/accepted.ts";
import { findPath } from "../request/paths.ts";
import { Collector, type Verdict, type WholeAnswer, judgeAnswer } from "./collected.ts";
import { type Question, questionFor } from "./question.ts";

/** Why a test was not made, beside what `Verdict` has. */
export type ProbeResult =
  | Verdict
  | { kind: "no_question" }
  | { kind: "no_operation"; operation: Operation }
  | { kind: "not_expressible"; message: string }
  | { kind: "broken"; fault: UpstreamFault };

const FIRST_BYTE_TIMEOUT_MS = 30_000;
const IDLE_TIMEOUT_MS = 15_000;
/** Memory for requests is shared among users; tests are no user's, and short. */
const NOBODY = 0;
const MAX_REQUEST_BYTES = 1_048_576;

/** The request as a client would have sent it. */
function requestOf({ path, contentType, body }: Question): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { method: "POST", url: path, headers: { "content-type": contentType } });
  request.push(body);
  request.push(null);
  return request;
}

async function acceptedFor(context: RelayContext, question: Question): Promise<[Call, Accepted]> {
  const endpoint = findPath("POST", question.path);
  if (endpoint.kind !== "call") throw new Error(`${question.path} is no path of the relay`);
  const request = requestOf(question);
  const kind = { operation: question.operation, dialect: DIALECTS[endpoint.dialect] };
  const call = new Call(context, request, new ServerResponse(request), kind);
  call.requestMemory.allow(NOBODY, MAX_REQUEST_BYTES);
  return [call, await accept(call, endpoint)];
}

function collect(
  context: RelayContext,
  target: Target,
  request: Parameters<typeof dispatch>[2],
  signal: AbortSignal | undefined,
): Promise<WholeAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<WholeAnswer>();
  const sent = dispatch(context, target, request, new Collector(resolve, reject), reject);
  const giveUp = (): void => sent.abort();
  signal?.addEventListener("abort", giveUp, { once: true });
  return promise.finally(() => {
    signal?.removeEventListener("abort", giveUp);
    sent.abort();
  });
}

/** Sends a target's question; a token of ours that is refused is renewed once. */
async function put(
  context: RelayContext,
  target: Target,
  operation: Operation,
  signal: AbortSignal | undefined,
  isSecond = false,
): Promise<Verdict> {
  const made = await signRequest(context, target);
  if ("kind" in made) return { kind: "failed", failure: made };
  const { forgetToken, ...outgoing } = made;
  const timers = { firstByteTimeoutMs: FIRST_BYTE_TIMEOUT_MS, idleTimeoutMs: IDLE_TIMEOUT_MS };
  const proxy = target.channel.setting.proxy ?? "";
  const answer = await collect(context, target, { ...outgoing, proxy, ...timers }, signal);
  const verdict = judgeAnswer(target, operation, answer);
  const isRefused = verdict.kind === "failed" && verdict.failure.kind === "auth";
  if (!isRefused || forgetToken === undefined || isSecond) return verdict;
  await forgetToken();
  return put(context, target, operation, signal, true);
}

/** In the channel's first format for this model, then in the next where that is not served. */
async function ask(attempt: Attempt, signal: AbortSignal | undefined): Promise<ProbeResult> {
  const { attempts } = attempt;
  const { context } = attempts.call;
  for (;;) {
    const target = await translate(attempt);
    if (target === undefined)
      return { kind: "not_expressible", message: attempts.untranslatable?.message ?? "the request cannot be made" };
    const verdict = await put(context, target, attempts.accepted.operation, signal);
    if (verdict.kind !== "failed" || !hasNextFormat(attempt, target, verdict.failure)) return verdict;
  }
}

/** Tests a channel with a model of its own. Rejects with faults of this program alone. */
export async function probe(
  context: RelayContext,
  channel: SnapshotChannel,
  model: string,
  signal?: AbortSignal,
): Promise<ProbeResult> {
  const provider = context.providers.byType(channel.type);
  const question = questionFor(model);
  if (provider === undefined || question === undefined) return { kind: "no_question" };
  const { operation } = question;
  if (!provider.manifest.operations.includes(operation)) return { kind: "no_operation", operation };
  const [call, accepted] = await acceptedFor(context, question);
  try {
    const routes = { tiers: [], pinnedChannelId: channel.id };
    const attempts = new Attempts(call, accepted, { routes, quote: { promptTokens: 1 } });
    const attempt = new Attempt(attempts, channel, provider, { id: channel.id, lease: undefined }, 0);
    if (signal?.aborted === true) return { kind: "broken", fault: newFault("aborted") };
    return await ask(attempt, signal);
  } catch (error) {
    if (error instanceof UpstreamFault) return { kind: "broken", fault: error as UpstreamFault };
    throw error;
  } finally {
    call.requestMemory.release();
  }
}
