/** One attempt to submit a task to one channel: the row first, then the request, and its result. */
import type { Fault } from "../../../../contract/src/fault.ts";
import type { UpstreamFailure } from "../../providers/provider.ts";
import { parseExactObject } from "../../dialects/json/exact.ts";
import { wordsForOperator } from "../../dialects/neutral/failure.ts";
import { askUpstream } from "../../upstream/ask.ts";
import { UpstreamFault, withoutUpstreamKey } from "../../upstream/fault.ts";
import { addedHeaders, leadsToGateway, withAdded, withTrace } from "../attempt/added-headers.ts";
import { type Attempt, Attempts } from "../attempt/attempts.ts";
import { begin as beginAttempt, end as endAttempt, judge } from "../attempt/attempt.ts";
import { failureOf, upstreamError } from "../attempt/failures.ts";
import { mapModel } from "../attempt/formats.ts";
import { channelOverride, withOverride } from "../attempt/overridden.ts";
import { signRequest } from "../attempt/sign-request.ts";
import { providerChannel } from "../attempt/upstream-endpoint.ts";
import { upstreamRequestId } from "../attempt/upstream-request-id.ts";
import { type Answer, type SendResult, isAnswer } from "../call/answer.ts";
import { RelayError } from "../call/relay-error.ts";
import type { AttemptSpan } from "../call/spans.ts";
import type { Target } from "../call/target.ts";
import { triedKey } from "../call/trace.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { Delivery } from "../reply/delivery.ts";
import { holdForRequest } from "../metering/sent-request.ts";
import { withModel } from "../request/multipart-form.ts";
import { ineligibleReason } from "../routing/eligibility.ts";
import { route } from "../routing/route.ts";
import { type Handover, originChannel, readAnswer, sentFactor, sentFields, writeFor } from "./handover.ts";

const MAX_ANSWER_BYTES = 4 * 1_048_576;
const SUBMIT_MS = 60_000;

/** The request of a task for one channel. Throws RelayError for a mapping in a circle. */
function targetOf(attempt: Attempt, handover: Handover): Target {
  const { attempts, channel, provider } = attempt;
  const { call, accepted } = attempts;
  const { sent: submission } = handover;
  const { options } = call.context.snapshot;
  const upstreamModel = mapModel(channel.modelMapping, accepted.model);
  const path = submission.path.replace("{model}", () => encodeURIComponent(upstreamModel));
  const site = { options, requestedModel: accepted.model, isTranslated: false };
  const { operation } = accepted;
  // A continuation of a video takes a few fields of a form, which are sent as they were read.
  const form = submission.namesModel === true ? accepted.form : undefined;
  const dialect = accepted.dialect;
  const providerCall = {
    operation,
    dialect: dialect.name,
    path,
    model: upstreamModel,
    isStream: false,
    headers: {},
    site,
  };
  const { url, headers } = provider.endpoint(providerChannel(attempt), providerCall);
  const isGateway = leadsToGateway(channel, url, options.ServerAddress);
  const type = form === undefined ? "application/json" : (call.request.headers["content-type"] ?? "");
  const fields = sentFields(call, handover, channel);
  const named = submission.namesModel === true ? { ...fields, model: upstreamModel } : fields;
  return {
    channel,
    provider,
    dialect,
    upstreamModel,
    providerCall,
    url,
    headers: [...headers, ...(submission.written?.headers ?? []), "content-type", type, "accept", "application/json"],
    addedHeaders: addedHeaders(call, channel, { isOwnFormat: false, isGateway }),
    body: form === undefined ? Buffer.from(JSON.stringify(named)) : withModel(accepted.body, form, upstreamModel),
    ...(form === undefined ? {} : { isVerbatim: true as const }),
    warnings: [],
  };
}

const BROKEN: UpstreamFailure = {
  kind: "network",
  code: "upstream_broken",
  status: 0,
  // It may have taken the task.
  isRetryable: false,
  message: "what came says nothing of a task",
  type: "upstream_error",
};

/** Where an upstream is full another may be asked; its code stays the client's answer where there is none. */
const busy = (code: number, message: string): UpstreamFailure => ({
  kind: "overloaded",
  code: String(code),
  status: 503,
  isRetryable: true,
  message,
  type: "upstream_error",
});

async function request(
  attempt: Attempt,
  target: Target,
  span: AttemptSpan | undefined,
): Promise<{ status: number; text: string } | UpstreamFailure> {
  const { attempts, provider } = attempt;
  const { call } = attempts;
  const { upstream, snapshot } = call.context;
  const { channel } = target;
  const signed = await signRequest(call.context, target);
  if ("kind" in signed) return signed;
  const { url, headers, body } = signed;
  const timers = { firstByteTimeoutMs: SUBMIT_MS, idleTimeoutMs: SUBMIT_MS };
  const sent = {
    method: "POST" as const,
    url,
    headers: withTrace(call, target, span, withAdded(headers, target.addedHeaders)),
    body,
    proxy: channel.setting.proxy ?? "",
    http2: channel.setting.http2,
  };
  try {
    // The client's leaving does not end it: the upstream may have taken the task already.
    const answer = await askUpstream(upstream, { ...sent, ...timers }, { bytes: MAX_ANSWER_BYTES, totalMs: SUBMIT_MS });
    attempt.answerHeaders = answer.headers;
    const text = withoutUpstreamKey(answer.body, channel.key);
    const isSuccess = answer.status >= 200 && answer.status < 300 && provider.isFailure?.(text) !== true;
    if (isSuccess) return { status: answer.status, text };
    return provider.failure(answer.status, text, answer.headers);
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error as Fault<string>;
    return failureOf(error, snapshot.options.RetryAfterTimeoutEnabled);
  }
}

const whole = (target: Target, status: number, isDelivered: boolean, complete: () => void): Answer => ({
  target,
  end: "complete",
  status,
  rawUsage: undefined,
  wordTokens: 0,
  isDelivered,
  complete,
});

/** The answer for the pipeline, or why there is none. */
async function resultOf(handover: Handover, delivery: Delivery, target: Target, status: number, text: string) {
  const { call } = delivery;
  const read = readAnswer(call, handover, text);
  if (read === undefined) return BROKEN;
  const write = (): void => delivery.writeText(status, {}, JSON.stringify(read.reply));
  if (read.isAccepted) {
    handover.isAccepted = true;
    await call.context.tasks.accepted(call.requestId, read.code, read.event);
    return whole(target, status, true, write);
  }
  handover.refusal = read;
  if (read.isBusy) return busy(read.code, read.message);
  // Nothing is charged, and the upstream's own words go on.
  const error = new RelayError("upstream_failed", { status: 400, message: read.message, code: String(read.code) });
  return { ...whole(target, status, false, write), error };
}

async function submitTo(attempt: Attempt, target: Target, handover: Handover, delivery: Delivery): Promise<SendResult> {
  const { call } = delivery;
  const { channel } = target;
  const { tasks } = call.context;
  const { sent: submission, notifySecret, path } = handover;
  const { token, user } = delivery.admission.caller;
  const ids = { requestId: call.requestId, userId: user.id, tokenId: token.id };
  const at = { channelId: channel.id, channelKeyId: channel.ofKey?.id ?? 0 };
  await tasks.begin({ platform: path.platform, submission, ...ids, ...at, notifySecret, isFirst: !handover.hasRow });
  handover.hasRow = true;
  call.trace.target = target;
  const startMs = call.elapsedMs;
  const span = call.spans?.attempt(target);
  const answer = await request(attempt, target, span);
  const result = "text" in answer ? await resultOf(handover, delivery, target, answer.status, answer.text) : answer;
  const reason = isAnswer(result) ? (result.error?.message ?? "") : `${result.kind}: ${wordsForOperator(result)}`;
  const { id, name } = channel;
  const times = { start_ms: startMs, ms: call.elapsedMs - startMs };
  call.outsideMs += times.ms;
  const named = { ...times, status: answer.status, reason, ...upstreamRequestId(attempt.answerHeaders, channel.key) };
  call.trace.tried.push({ id, name, ...triedKey(channel), ...named });
  span?.end(result);
  return result;
}

/** Writes the task for a channel; false where the channel cannot take it, which is the client's answer where no other can. */
function writeTask(attempts: Attempts, channel: SnapshotChannel, handover: Handover): boolean {
  const { call, accepted } = attempts;
  const upstreamModel = mapModel(channel.modelMapping, accepted.model);
  try {
    if (writeFor(handover, { type: channel.type, upstreamModel })) return true;
    const message = "No channel of this model serves videos in this format.";
    attempts.untranslatable = new RelayError("not_translatable", { message, param: "model" });
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    attempts.untranslatable = error;
  }
  call.trace.skip(channel, { code: "untranslatable", values: { field: attempts.untranslatable.param ?? "model" } });
  return false;
}

/** The channels that may be asked, in their order. */
function channelsFor(attempts: Attempts, { origin }: Handover) {
  if (origin === undefined) return route(attempts);
  const channel = originChannel(attempts.call, origin);
  const reason = ineligibleReason(attempts, channel);
  if (reason === undefined) return [channel];
  attempts.call.trace.skip(channel, reason);
  return [];
}

/** The target by the rules of its channel; undefined where one refuses the task there. Rejects with RelayError as they do. */
async function overriddenTarget(attempt: Attempt, handover: Handover): Promise<Target | undefined> {
  channelOverride(attempt);
  return withOverride(attempt, targetOf(attempt, handover));
}

/** Holds what the task costs with the fields that are sent. Rejects with RelayError. */
async function holdForTask(handover: Handover, { call, accepted, admission }: Delivery, target: Target): Promise<void> {
  admission.sent = undefined;
  const { overrides, isVerbatim } = target;
  const isChanged = overrides !== undefined && isVerbatim !== true;
  if (!isChanged && handover.sent.written === undefined) return;
  const sent = isChanged ? (parseExactObject(target.body.toString("utf8")) ?? {}) : undefined;
  const callFactor = sent === undefined ? handover.sent.callFactor : sentFactor(call, handover, sent);
  if (callFactor === accepted.callFactor) return;
  admission.sent = await holdForRequest(call, admission, { ...accepted, callFactor });
}

/** Hands the task to channels until one takes it, or says that none would. Throws RelayError: the last failure's. */
export async function handOver(handover: Handover, delivery: Delivery): Promise<Answer> {
  const { call, accepted, admission } = delivery;
  const attempts = new Attempts(call, accepted, admission);
  for (const channel of channelsFor(attempts, handover)) {
    if (!writeTask(attempts, channel, handover)) continue;
    const attempt = await beginAttempt(attempts, channel);
    if (attempt === undefined) continue;
    try {
      const target = await overriddenTarget(attempt, handover);
      if (target === undefined) continue;
      await holdForTask(handover, delivery, target);
      const result = await submitTo(attempt, target, handover, delivery);
      const mayGoOn = judge(attempt, target, result);
      if (isAnswer(result)) return result;
      if (!mayGoOn) break;
    } finally {
      endAttempt(attempt);
    }
  }
  const error = upstreamError(attempts);
  // The gateway's own sentences have a code in the log of tasks, which is said in the reader's language.
  if (attempts.failed?.failure.message === error.message) handover.failure = error.message;
  throw error;
}
