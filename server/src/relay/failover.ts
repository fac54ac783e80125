/** Between two attempts: what a failure means for its channel, for the next attempt, and for the client if it was the last. */
import { disableReason } from "../channels/auto-disable.ts";
import { retryAfterMs } from "../channels/retry-after.ts";
import type { UpstreamFailure } from "../providers/provider.ts";
import type { SnapshotChannel } from "../snapshot/snapshot.ts";
import { TranslationFault } from "../dialects/neutral.ts";
import { wordsOfClient } from "./client-words.ts";
import { type Exchange, type Target, known } from "./exchange.ts";
import { hasNextFormat, rememberFormats } from "./formats.ts";
import { Refusal, type RefusalCode } from "./refusal.ts";
import { attemptRealtime } from "./realtime-attempt.ts";
import { mayRetry } from "./retry-rules.ts";
import { lackOf, openCallLimit, route, skip } from "./route.ts";
import { send } from "./send.ts";
import { translate } from "./translate.ts";

/** Kinds that speak of the channel and not of the request. */
const CHANNEL_FAULTS: ReadonlySet<string> = new Set(["auth", "quota", "rate", "overloaded", "network", "timeout"]);

/** Codes of failures that say nothing of the channel: the client left, or memory of our own was short. */
const NOT_OF_CHANNEL: ReadonlySet<string> = new Set(["aborted", "over_capacity"]);
const isOwnFault = ({ status, code }: UpstreamFailure): boolean => status === 0 && NOT_OF_CHANNEL.has(code);

/** An upstream's wish to be left alone, from the answers that may have one. */
const restAskedBy = (exchange: Exchange, { status }: UpstreamFailure): number =>
  status === 429 || status === 503 ? retryAfterMs(exchange.failureHeaders, Date.now()) : 0;

/** An answer that broke off is charged and not tried elsewhere, but a channel that does it again and again is no better than a dead one. */
function judgeBroken({ context }: Exchange, channelId: number): void {
  context.metrics.upstreamFailed("network");
  context.health.failed(channelId, performance.now(), 0);
}

function judgeChannel(exchange: Exchange, failure: UpstreamFailure | undefined): void {
  const { context } = exchange;
  const { channel } = known(exchange.target, "target");
  if (failure === undefined && exchange.answer?.end === "complete") return context.health.succeeded(channel.id);
  if (exchange.answer?.end === "upstream_broke" && !exchange.isOwnFault) return judgeBroken(exchange, channel.id);
  if (failure === undefined || isOwnFault(failure)) return context.health.ended(channel.id);
  context.metrics.upstreamFailed(failure.kind);
  if (CHANNEL_FAULTS.has(failure.kind))
    context.health.failed(channel.id, performance.now(), restAskedBy(exchange, failure));
  else context.health.ended(channel.id);
  const reason = disableReason(failure, channel, context.snapshot.options, wordsOfClient(exchange));
  if (reason !== undefined) context.disableChannel(channel.id, reason);
}

/** Statuses of faults without an HTTP status of their own. */
const BY_CODE: Readonly<Record<string, RefusalCode>> = {
  upstream_timeout: "upstream_timeout",
  upstream_broken: "upstream_broken",
  upstream_unreachable: "upstream_unreachable",
  upstream_address: "upstream_unreachable",
  over_capacity: "over_capacity",
};

const DAY_SECONDS = 86_400;

const retryAfterOf = (exchange: Exchange): number =>
  Math.min(Math.ceil(retryAfterMs(exchange.failureHeaders, Date.now()) / 1000), DAY_SECONDS);

/** Types of OpenAI's envelope by status, for what a vendor of another format said in its own words. */
const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  429: "rate_limit_error",
};

const typeOf = (status: number): string => TYPES[status] ?? (status >= 500 ? "server_error" : "invalid_request_error");

/** What of a vendor's words means something to the client: types and fields only where both speak the same format. */
function wordsFor({ target, dialect }: Exchange, { type, param, kind, details }: UpstreamFailure, status: number) {
  // Of limits and accounts, which are the operator's, the code says enough.
  const ofRequest = kind === "invalid" || kind === "content" ? { details } : {};
  if (target?.dialect === dialect) return { type, ...ofRequest, ...(param === undefined ? {} : { param }) };
  return { type: kind === "quota" ? "insufficient_quota" : typeOf(status) };
}

/** An upstream may write any three digits; clients get those that are errors of HTTP (RFC 9110, section 15). */
const errorStatus = (status: number): number => (status >= 400 && status <= 599 ? status : 502);

/** The client's error for a failure, after the channel's status code mapping. */
function refusalOf(exchange: Exchange, failure: UpstreamFailure): Refusal {
  const mapping = exchange.target?.channel.statusCodeMapping ?? {};
  const mapped = mapping[String(failure.status)];
  if (failure.status === 0) return new Refusal(BY_CODE[failure.code] ?? "upstream_failed");
  const status = errorStatus(mapped ?? failure.status);
  const { message, code } = failure;
  const words = wordsFor(exchange, failure, status);
  const retryAfterSeconds = status === 429 || status >= 500 ? retryAfterOf(exchange) : 0;
  if (status === 429) return new Refusal("upstream_saturated", { code, retryAfterSeconds, ...words });
  return new Refusal("upstream_failed", { status, message, code, retryAfterSeconds, ...words });
}

/** The fault as a sentence that names the field: some formats' envelopes have no other place for it. */
function sentenceOf({ message, param }: TranslationFault): string {
  const text = message.includes(param) ? message : `${param}: ${message}`;
  return text.endsWith(".") ? text : `${text}.`;
}

/** Notes that a channel's format cannot express the request, which is no fault of the channel; throws other errors on. */
function passOver(exchange: Exchange, channel: SnapshotChannel, error: unknown): undefined {
  if (!(error instanceof TranslationFault)) throw error;
  const { param } = error;
  exchange.skipped.push({ id: channel.id, name: channel.name, reason: `cannot do what was asked: ${param}` });
  exchange.untranslatable = new Refusal("not_translatable", { message: sentenceOf(error), param });
}

/** The request for a channel; undefined where its format cannot express it. A promise only where something has to be fetched. */
function targetFor(exchange: Exchange, channel: SnapshotChannel): Promise<Target | undefined> | Target | undefined {
  try {
    const target = translate(exchange, channel);
    return target instanceof Promise ? target.catch((error: unknown) => passOver(exchange, channel, error)) : target;
  } catch (error) {
    return passOver(exchange, channel, error);
  }
}

/** Asks a channel, and again in its next format where it does not serve the one it was asked in. */
async function ask(exchange: Exchange, channel: SnapshotChannel): Promise<UpstreamFailure | "skipped" | undefined> {
  const made = targetFor(exchange, channel);
  const target = made instanceof Promise ? await made : made;
  if (target === undefined) return "skipped";
  const failure = await (exchange.upgrade === undefined ? send(exchange, target) : attemptRealtime(exchange, target));
  if (failure === undefined || !hasNextFormat(exchange, target, failure)) return failure;
  exchange.formatTries += 1;
  const attempt = known(exchange.tried.at(-1), "tried");
  attempt.reason = `format: does not serve ${target.dialect.name} (${failure.message})`;
  const next = await ask(exchange, channel);
  // Where no format is served the first refusal speaks of what the client asked for.
  return next !== undefined && next !== "skipped" && next.lacks !== undefined ? failure : next;
}

/** One try of one channel, counted as open while it lasts. `skipped` where it is busy, or its format cannot express the request. */
async function attempt(exchange: Exchange, channel: SnapshotChannel): Promise<UpstreamFailure | "skipped" | undefined> {
  const { channelCalls, health } = exchange.context;
  // Before anything is waited for: of calls side by side one has the place, and one is the probe.
  const begun = channelCalls.begin(channel.id, openCallLimit(exchange, channel));
  if (health.hasRecords) health.started(channel.id, performance.now());
  const call = begun instanceof Promise ? await begun : begun;
  if (call === undefined) {
    health.ended(channel.id);
    skip(exchange, channel, "busy");
    return "skipped";
  }
  exchange.failureHeaders = {};
  try {
    const result = await ask(exchange, channel);
    if (exchange.refusedFormats.length > 0)
      rememberFormats(exchange, channel, result === "skipped" ? undefined : result);
    if (result === "skipped") health.ended(channel.id);
    else judgeChannel(exchange, result);
    return result;
  } catch (error) {
    // Whatever it was, it was not the channel's doing.
    health.ended(channel.id);
    throw error;
  } finally {
    channelCalls.ended(call);
  }
}

/** The refusal of an operation that none of the channels has; undefined where one is only out of use. */
function operationMissing({ skipped, operation }: Exchange): Refusal | undefined {
  if (skipped.length === 0 || skipped.some(({ reason }) => reason !== lackOf(operation))) return undefined;
  const message = `No channel of this model serves ${operation.replaceAll("_", " ")}.`;
  return new Refusal("not_translatable", { message, param: "model" });
}

/** Nothing could be tried: for now where a channel was only busy, for its format may do what those of others cannot; else for good. */
function nothingToTry(exchange: Exchange): Refusal {
  if (exchange.skipped.some(({ reason }) => reason === "busy"))
    return new Refusal("channels_busy", { retryAfterSeconds: 1 });
  const lasting = exchange.untranslatable ?? operationMissing(exchange);
  return lasting ?? new Refusal("no_available_channel", { param: "model" });
}

/**
 * Tries channels until one answers. Throws Refusal: the last failure's, or 503 or 429 where none could be tried. A retry starts from
 * the untouched body; it never happens once some of an answer reached the client, for then the attempt did not fail.
 */
export async function tryChannels(exchange: Exchange): Promise<void> {
  const { options } = exchange.context.snapshot;
  let last: UpstreamFailure | undefined;
  for (const channel of route(exchange)) {
    const result = await attempt(exchange, channel);
    if (result === undefined) return;
    if (result === "skipped") continue;
    last = result;
    if (exchange.isClientGone || !mayRetry(last, options.RetryAfterTimeoutEnabled)) break;
  }
  throw last === undefined ? nothingToTry(exchange) : refusalOf(exchange, last);
}
