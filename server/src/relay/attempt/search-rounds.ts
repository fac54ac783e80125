/** Step 6 where the gateway searches for the model: calls the upstream, makes its searches, and calls it again, within one call and its hold. */
import { NO_USAGE } from "../../../../contract/src/pricing/usage.ts";
import { latin1Of } from "../../dialects/stream/sse-event.ts";
import type { StreamDecoder } from "../../dialects/stream/stream.ts";
import type { UpstreamFailure } from "../../providers/provider.ts";
import { type Answer, type AnswerEnd, type SendResult, isAnswer } from "../call/answer.ts";
import { RelayError } from "../call/relay-error.ts";
import { writeRelayError } from "../call/respond.ts";
import type { Target } from "../call/target.ts";
import { awaitedInsufficientQuota } from "../metering/held-quota.ts";
import { quotaForSent } from "../metering/sent-request.ts";
import { quotaFor } from "../metering/terms.ts";
import { withOwnSearches } from "../metering/tool-calls.ts";
import type { Delivery } from "../reply/delivery.ts";
import { transformedFrames } from "../reply/response-transform.ts";
import type { Attempt } from "./attempts.ts";
import { errorFor } from "./failures.ts";
import type { OwnSearches } from "./own-searches.ts";
import { send } from "./send.ts";
import { translate } from "./translate.ts";

/** What was answered so far, the last round's answer last. */
interface Rounds {
  attempt: Attempt;
  delivery: Delivery;
  searches: OwnSearches;
  answers: [Answer, ...Answer[]];
}

const paidFor = ({ made: calls, usdPerThousand }: OwnSearches): NonNullable<Answer["searches"]> => ({
  calls,
  usdPerThousand,
});

/** The last answer with what the rounds before it and the searches used. */
function summed({ answers, searches }: Rounds): Answer {
  const last = answers.at(-1) ?? answers[0];
  return { ...last, earlier: answers.slice(0, -1), searches: paidFor(searches) };
}

/** Gives the client the error, as far as it can still read one. */
function writeError({ delivery, searches }: Rounds, error: RelayError): void {
  const { call, accepted } = delivery;
  if (call.isClientGone) return;
  if (call.response.headersSent) {
    delivery.pipe ??= searches.live?.pipe(NO_DECODER);
    return delivery.fail(error);
  }
  call.status = error.status;
  writeRelayError(call.response, call.requestId, error, true, accepted.dialect);
}

/** A call that ends between its rounds: what was used is owed, and the client reads why. */
function stopped(rounds: Rounds, end: Exclude<AnswerEnd, "complete">, error?: RelayError): Answer {
  const reason = error === undefined ? {} : { error };
  const complete = (): void => (error === undefined ? undefined : writeError(rounds, error));
  return { ...summed(rounds), end, hasFinish: true, ...reason, complete };
}

/** Holds more; gives the end of the call where the balance does not reach. */
async function heldMore(rounds: Rounds, amount: number): Promise<Answer | undefined> {
  const { call, admission } = rounds.delivery;
  if (await admission.hold.add(amount)) return undefined;
  return stopped(rounds, "quota_reached", await awaitedInsufficientQuota(call.context, admission.caller.user.id));
}

/** Quota for so many searches. */
function quotaOfSearches({ delivery, searches }: Rounds): number {
  const { terms } = delivery.admission.quote;
  const usage = { ...NO_USAGE, callFactor: "0" };
  return quotaFor(terms, withOwnSearches(usage, { ...paidFor(searches), calls: searches.due }));
}

/** Sends frames of an answer that its client reads as it comes; the first ones begin it. */
function write({ delivery }: Rounds, frames: string): void {
  if (frames !== "" && !delivery.call.isClientGone) delivery.beginStream(NO_HEADERS).write(frames);
}

/** Makes the searches that the last round asked for, and shows them as they are made; its client's departure ends them. */
async function search(rounds: Rounds): Promise<void> {
  const { delivery, searches } = rounds;
  const giveUp = new AbortController();
  const abort = (): void => giveUp.abort();
  delivery.upstream = { abort, pause: () => undefined, resume: () => undefined };
  // Until now the round listened.
  delivery.call.listener = delivery;
  if (delivery.call.isClientGone) abort();
  await searches.search(delivery.call.context.upstream, giveUp.signal, (event) =>
    write(rounds, latin1Of(searches.live?.encode([event]) ?? "")),
  );
}

/** Reads a round that has come to its end. Of one that came in one piece, which no client has read yet, the words are sent. */
function hear(rounds: Rounds, target: Target): void {
  const { searches, delivery } = rounds;
  const { live } = searches;
  if (live === undefined) return;
  const streamed = live.takeRound();
  if (streamed !== undefined) return searches.heard(streamed);
  if (searches.last === undefined) return;
  const frames = live.framesOf(searches.last, searches.asked.length === 0);
  write(rounds, transformedFrames(delivery.accepted, target, latin1Of(frames)));
}

const NO_HEADERS = Object.freeze({});
/** Of a pipe that only knows how the answer fails. */
const NO_DECODER: StreamDecoder = { push: () => [] };
const STOPPING = "The gateway is stopping.";

/** Why a round after the first failed: the client's error. */
function failedRound(rounds: Rounds, target: Target, failure: UpstreamFailure): Answer {
  const { attempt } = rounds;
  if (rounds.delivery.call.isClientGone) return stopped(rounds, "client_left");
  const { failureHeaders: headers, attempts } = attempt;
  return stopped(rounds, "upstream_broke", errorFor(attempts, { target, failure, headers }));
}

/** The request of the next round; the end of the call where there is none. */
async function nextTarget(rounds: Rounds): Promise<Target | Answer> {
  const { attempt, delivery, searches } = rounds;
  const { call, accepted, admission } = delivery;
  if (call.isClientGone) return stopped(rounds, "client_left");
  if (delivery.isStopping)
    return stopped(rounds, "upstream_broke", new RelayError("upstream_failed", { message: STOPPING }));
  const target = await translate(attempt);
  if (target === undefined)
    return stopped(rounds, "upstream_broke", attempt.attempts.untranslatable ?? new RelayError("upstream_failed"));
  // What an estimate of this round's input has to cover besides.
  target.promptTokens = (target.promptTokens ?? 0) + searches.turnTokens;
  return (await heldMore(rounds, quotaForSent(call, admission, accepted, target))) ?? target;
}

/** One more round: the searches that the last one asked for, then the upstream with what was found. Undefined where it answered. */
async function nextRound(rounds: Rounds): Promise<Answer | undefined> {
  const shortage = await heldMore(rounds, quotaOfSearches(rounds));
  if (shortage !== undefined) return shortage;
  await search(rounds);
  const target = await nextTarget(rounds);
  if ("end" in target) return target;
  const result = await send(rounds.attempt, target, rounds.delivery);
  if (!isAnswer(result)) return failedRound(rounds, target, result);
  if (result.end !== "complete" && !result.isDelivered) return stopped(rounds, result.end, result.error);
  rounds.answers.push(result);
  if (result.end !== "complete") return summed(rounds);
  hear(rounds, target);
  return undefined;
}

/**
 * Sends to the target as `send` does. Where the gateway makes the searches of its model it does so until an answer asks for none, at most
 * as often as request and option allow; all rounds are one answer, which is charged once. A client that asked for a stream reads words and
 * searches as they come.
 */
export async function sendWithSearches(attempt: Attempt, target: Target, delivery: Delivery): Promise<SendResult> {
  const { ownSearches: searches } = attempt;
  if (searches === undefined || target.searches === undefined) return send(attempt, target, delivery);
  const { accepted, info } = delivery;
  if (accepted.isStream) searches.goLive(accepted.dialect.createEncoder(info));
  const first = await send(attempt, target, delivery);
  if (!isAnswer(first) || first.end !== "complete") return first;
  const rounds: Rounds = { attempt, delivery, searches, answers: [first] };
  hear(rounds, target);
  while (searches.asked.length > 0) {
    const end = await nextRound(rounds);
    if (end !== undefined) return end;
  }
  return summed(rounds);
}
