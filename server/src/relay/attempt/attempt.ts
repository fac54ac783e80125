/** The frame around one channel's attempt: it is counted as open, called in one format after another, and judged by its result. */
import { failureKindOf } from "../../../../contract/src/call-figures.ts";
import { disableReason, retryAfterMs } from "../../channels/auto-disable.ts";
import { parseExactObject } from "../../dialects/json/exact.ts";
import type { ChannelLabels } from "../../observe/metrics.ts";
import type { UpstreamFailure } from "../../providers/provider.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import { type Answer, isAnswer, type SendResult } from "../call/answer.ts";
import type { Target } from "../call/target.ts";
import type { Accepted } from "../request/accepted.ts";
import { BUSY, openCallLimit } from "../routing/eligibility.ts";
import { learn } from "../routing/learn.ts";
import { Attempt, type Attempts } from "./attempts.ts";
import { errorFor, mayRetry } from "./failures.ts";
import { hasNextFormat, rememberFormats } from "./formats.ts";
import { judgeKey, keyAnswered, withKey } from "./key-rotation.ts";

// Whether words of an upstream's error are the client's own: vendors repeat what they refuse. Part of what a failure is judged by.

/** The body with every character spelled as JSON.stringify spells it, however the client escaped it. */
function bodyText({ body, form }: Accepted): string {
  const text = body.toString("utf8");
  const fields = form === undefined ? parseExactObject(text) : undefined;
  return fields === undefined ? text : JSON.stringify(fields);
}

function pathText(path: string): string {
  try {
    return decodeURIComponent(path.replaceAll("+", " "));
  } catch {
    return path;
  }
}

/** Makes the test for one call; the request is read at its first use, which is seldom. Texts are compared without regard to case. */
function echoTester({ call, accepted }: Attempts): (words: string) => boolean {
  let text: string | undefined;
  return (words) => {
    text ??= [pathText(accepted.path), ...call.request.rawHeaders, bodyText(accepted)].join("\n").toLowerCase();
    const spelled = JSON.stringify(words.toLowerCase()).slice(1, -1);
    return text.includes(words.toLowerCase()) || text.includes(spelled);
  };
}

/** Counts a call of the channel as open, in its health too; undefined where another process has taken the last slot. */
export async function begin(attempts: Attempts, whole: SnapshotChannel): Promise<Attempt | undefined> {
  const { call } = attempts;
  const channel = withKey(attempts, whole);
  if (channel === undefined) return undefined;
  const { channelCalls, health, providers } = call.context;
  const provider = providers.byType(channel.type);
  // Routing has looked at it: a channel is of a type that is there.
  if (provider === undefined) return undefined;
  // Before anything is waited for: of calls side by side one has the slot, and one is the probe.
  const begun = channelCalls.begin(channel.id, openCallLimit(call.context, channel));
  const halfOpenProbe = health.hasRecords ? health.started(channel.id, performance.now()) : 0;
  const openCall = begun instanceof Promise ? await begun : begun;
  if (openCall !== undefined) return new Attempt(attempts, channel, provider, openCall, halfOpenProbe);
  health.ended(channel.id, halfOpenProbe);
  call.trace.skip(channel, BUSY);
  return undefined;
}

/** Ends what `begin` began, whatever the result. */
export function end({ attempts, channel, openCall, halfOpenProbe, isJudged }: Attempt): void {
  const { health, channelCalls } = attempts.call.context;
  // It was not tried, or a fault of this program ended it: nothing of that was the channel's doing.
  if (!isJudged) health.ended(channel.id, halfOpenProbe);
  channelCalls.ended(openCall);
}

/** Kinds that speak of the channel and not of the request. */
const CHANNEL_FAULTS: ReadonlySet<string> = new Set(["auth", "quota", "rate", "overloaded", "network", "timeout"]);

/** Codes of failures that say nothing of the channel: the client left, memory of our own was short, or we stop. */
const NOT_OF_CHANNEL: ReadonlySet<string> = new Set(["aborted", "over_capacity", "server_stopping"]);
const isOwnFault = ({ status, code }: UpstreamFailure): boolean => status === 0 && NOT_OF_CHANNEL.has(code);

/** How long an upstream wishes to be left alone, from the answers that may say so. */
const retryAfterOf = ({ failureHeaders }: Attempt, { status, retryAfterMs: inBodyMs = 0 }: UpstreamFailure): number =>
  status === 429 || status === 503 ? retryAfterMs(failureHeaders, Date.now()) || inBodyMs : 0;

/** The channel in the metrics. */
const labelsOf = ({ channel, provider }: Pick<Target, "channel" | "provider">): ChannelLabels => ({
  channelId: channel.id,
  provider: provider.manifest.slug,
});

function judgeAnswer(attempt: Attempt, answer: Answer): void {
  const { attempts, channel, halfOpenProbe, startedMs } = attempt;
  const { health, metrics } = attempts.call.context;
  keyAnswered(attempt);
  if (answer.end === "complete") return health.succeeded(channel.id, startedMs);
  if (answer.end !== "upstream_broke" || answer.isOwnFault === true) return health.ended(channel.id, halfOpenProbe);
  // It is charged and not tried elsewhere, but a channel that breaks off again and again is no better than a dead one.
  metrics.upstreamFailed("network", labelsOf(attempt));
  health.failed(channel.id, { nowMs: performance.now(), startedMs, halfOpenProbe });
}

function judgeFailure(attempt: Attempt, failure: UpstreamFailure): void {
  const { attempts, channel, halfOpenProbe, startedMs } = attempt;
  const { health, metrics, snapshot, disableChannel } = attempts.call.context;
  if (isOwnFault(failure)) return health.ended(channel.id, halfOpenProbe);
  metrics.upstreamFailed(failure.kind, labelsOf(attempt));
  const reason = disableReason(failure, channel, snapshot.options, echoTester(attempts));
  const [isOfChannel, requestedMs] = [CHANNEL_FAULTS.has(failure.kind), retryAfterOf(attempt, failure)];
  const isDisabled = reason !== undefined;
  const { ofKey } = channel;
  const isOfKey = ofKey !== undefined && judgeKey(attempt, ofKey, failure, { isDisabled, isOfChannel, requestedMs });
  if (isOfChannel && !isOfKey)
    health.failed(channel.id, { nowMs: performance.now(), startedMs, requestedOpenMs: requestedMs, halfOpenProbe });
  else health.ended(channel.id, halfOpenProbe);
  if (reason !== undefined) disableChannel(channel.id, reason, ofKey?.id);
}

/** True where the channel does not serve the format it was asked in, and is to be asked in its next one. */
export function asksAgain(attempt: Attempt, target: Target, result: SendResult): boolean {
  if (isAnswer(result) || !hasNextFormat(attempt, target, result)) return false;
  const { attempts } = attempt;
  attempts.retries.uncount();
  attempt.firstFailure ??= result;
  const note = attempts.call.trace.tried.at(-1);
  if (note !== undefined) note.reason = `format: does not serve ${target.dialect.name} (${result.message})`;
  return true;
}

/** Where no format is served the first failure speaks of what the client asked for. */
const lastFailure = ({ firstFailure }: Attempt, failure: UpstreamFailure): UpstreamFailure =>
  failure.missingFormat === undefined ? failure : (firstFailure ?? failure);

/** Counts the failure before this attempt for the health of its channel: the call went on, and has but one end in the log. */
function countRetried(attempts: Attempts): void {
  const { call, accepted, failed } = attempts;
  if (failed === undefined) return;
  const { status, code } = errorFor(attempts, failed);
  const place = { createdAt: call.createdAt, channelId: failed.target.channel.id, model: accepted.model };
  const kind = failureKindOf(status, code);
  call.context.callCounter.retried(place, kind);
  call.context.metrics.retried(kind, labelsOf(failed.target));
}

/**
 * Judges the channel by what came of its attempt: undefined where no format of it could express the request. Gives true where another
 * channel may be asked.
 */
export function judge(attempt: Attempt, target: Target | undefined, result: SendResult | undefined): boolean {
  const { attempts, failureHeaders: headers } = attempt;
  const { call } = attempts;
  const failure = result === undefined || isAnswer(result) ? undefined : lastFailure(attempt, result);
  if (attempt.refusedFormats.length > 0) rememberFormats(attempt, failure);
  if (result === undefined || target === undefined) return true;
  attempt.isJudged = true;
  countRetried(attempts);
  learn(attempts, attempt.channel, result);
  if (isAnswer(result)) judgeAnswer(attempt, result);
  if (failure === undefined) return false;
  judgeFailure(attempt, failure);
  attempts.failed = { target, failure, headers };
  return !call.isClientGone && mayRetry(failure, call.context.snapshot.options);
}
