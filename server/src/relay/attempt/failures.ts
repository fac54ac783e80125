/** Classifies failures of an upstream: the meaning of a fault on the way to it, whether to try another channel, and the error for the client. */
import type { OptionValues } from "../../../../contract/src/options/options.ts";
import { includesStatus } from "../../../../contract/src/options/status-codes.ts";
import { CLOCK_SKEW, retryAfterMs } from "../../channels/auto-disable.ts";
import { contextOverflowOf } from "../../dialects/neutral/context-overflow.ts";
import type { DialectName } from "../../dialects/neutral/neutral.ts";
import { NO_CODE, hasNoWords, namesAccount, wordsForOperator } from "../../dialects/neutral/failure.ts";
import type { Operation, UpstreamErrorKind, UpstreamFailure } from "../../providers/provider.ts";
import type { ResponseHeaders } from "../../upstream/client.ts";
import type { FaultKind, UpstreamFault } from "../../upstream/fault.ts";
import { RelayError, type RelayErrorCode } from "../call/relay-error.ts";
import { tooLong } from "../routing/too-long.ts";
import { nothingToTry } from "../routing/nothing-to-try.ts";
import type { Attempts, Failed } from "./attempts.ts";

type FaultReading = Pick<UpstreamFailure, "kind" | "code" | "isRetryable">;

/** Before anything was sent another channel may be tried; after that the upstream may have done the work already. */
const FAULTS: Readonly<Record<FaultKind, FaultReading>> = {
  address: { kind: "network", code: "upstream_address", isRetryable: true },
  connect: { kind: "network", code: "upstream_unreachable", isRetryable: true },
  connect_timeout: { kind: "network", code: "upstream_timeout", isRetryable: true },
  first_byte_timeout: { kind: "timeout", code: "upstream_timeout", isRetryable: false },
  idle_timeout: { kind: "timeout", code: "upstream_timeout", isRetryable: false },
  reset: { kind: "network", code: "upstream_broken", isRetryable: false },
  aborted: { kind: "network", code: "aborted", isRetryable: false },
  decode: { kind: "network", code: "upstream_broken", isRetryable: false },
};

/** Operations that leave nothing behind at the upstream but a bill, so that they may be asked for twice. */
const LEAVES_NOTHING: ReadonlySet<Operation> = new Set<Operation>(["chat", "completions"]);

/** Faults before any byte of an answer behind which the upstream may have done the work: RetryAfterTimeoutEnabled decides on them. */
function mayBeDone(kind: FaultKind, operation: Operation | undefined): boolean {
  if (kind === "first_byte_timeout") return true;
  return kind === "reset" && operation !== undefined && LEAVES_NOTHING.has(operation);
}

/**
 * What a fault between us and an upstream, before any byte of its answer, means for the next attempt. `retriesTimeouts` is
 * RetryAfterTimeoutEnabled; `operation` is absent where nothing of the call had been sent.
 */
export function failureOf(fault: UpstreamFault, retriesTimeouts: boolean, operation?: Operation): UpstreamFailure {
  const reading = FAULTS[fault.kind];
  const isRetryable = reading.isRetryable || (retriesTimeouts && mayBeDone(fault.kind, operation));
  return { ...reading, isRetryable, status: 0, message: fault.message, type: "upstream_error" };
}

/** Signatures hold for five minutes at most vendors; a clock this far off is what is wrong with one that was refused. */
const CLOCK_TOLERANCE_MS = 120_000;

/**
 * A refused signature where the upstream's clock (its Date header) and ours differ: nothing is wrong with the key, and the failure says
 * by how much the clock of this server is off.
 */
export function withClockSkew(failure: UpstreamFailure, { date }: ResponseHeaders, nowMs: number): UpstreamFailure {
  const upstreamMs = typeof date === "string" ? Date.parse(date) : Number.NaN;
  const aheadMs = nowMs - upstreamMs;
  const isRefusal = failure.kind === "auth" || failure.status === 400;
  if (!isRefusal || Number.isNaN(aheadMs) || Math.abs(aheadMs) < CLOCK_TOLERANCE_MS) return failure;
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const side = aheadMs > 0 ? "ahead of" : "behind";
  const withClock = (words: string) => `the clock of this server is ${seconds} s ${side} the upstream's: ${words}`;
  const [message, operatorMessage] = [withClock(failure.message), withClock(wordsForOperator(failure))];
  return { ...failure, kind: "auth", code: CLOCK_SKEW, message, operatorMessage, isRetryable: true };
}

/** An upstream's own first-byte timeouts: it may have done the work, so RetryAfterTimeoutEnabled decides whatever is listed. */
const GATEWAY_TIMEOUTS: ReadonlySet<number> = new Set([504, 524]);

/** Rules of retries after a failure; an excerpt of the options. */
export type RetryRules = Pick<OptionValues, "AutomaticRetryStatusCodes" | "RetryAfterTimeoutEnabled">;

/** Kinds that speak of the channel though they came with 400: some vendors answer for an empty account with 400. */
const CHANNEL_KINDS: ReadonlySet<UpstreamErrorKind> = new Set(["auth", "quota", "rate", "overloaded"]);

/** A text that one vendor's rules refuse is not sent to other channels, whatever the status. */
const isRefusedContent = ({ kind, isRetryable }: UpstreamFailure): boolean => kind === "content" && !isRetryable;

/**
 * Whether another channel may be asked. Of statuses the option AutomaticRetryStatusCodes decides; a 400 is retried where its text speaks of the
 * channel, whatever is listed. Without a status `failureOf` has judged already.
 */
export function mayRetry(failure: UpstreamFailure, rules: RetryRules): boolean {
  const { status, kind, isRetryable } = failure;
  if (status === 0) return isRetryable;
  if (isRefusedContent(failure)) return false;
  if (GATEWAY_TIMEOUTS.has(status)) return rules.RetryAfterTimeoutEnabled;
  if (includesStatus(rules.AutomaticRetryStatusCodes, status)) return true;
  if (status === 408) return rules.RetryAfterTimeoutEnabled;
  return status === 400 && (isRetryable || CHANNEL_KINDS.has(kind));
}

/** Statuses of faults without an HTTP status of their own. */
const BY_CODE: Readonly<Record<string, RelayErrorCode>> = {
  upstream_timeout: "upstream_timeout",
  upstream_broken: "upstream_broken",
  upstream_unreachable: "upstream_unreachable",
  upstream_address: "upstream_unreachable",
  over_capacity: "over_capacity",
  server_stopping: "server_stopping",
};

const DAY_SECONDS = 86_400;

const retryAfterOf = ({ headers, failure }: Failed): number =>
  Math.min(Math.ceil((retryAfterMs(headers, Date.now()) || (failure.retryAfterMs ?? 0)) / 1000), DAY_SECONDS);

/** Types of OpenAI's envelope by status, for what a vendor of another format said in its own words. */
const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  429: "rate_limit_error",
};

const typeOf = (status: number): string => TYPES[status] ?? (status >= 500 ? "server_error" : "invalid_request_error");

/** Codes of OpenAI's that its clients test for (platform.openai.com/docs/guides/error-codes); empty where it has none. */
function openAiCode(kind: UpstreamErrorKind, status: number): string {
  if (kind === "quota") return "insufficient_quota";
  if (kind === "content") return "content_filter";
  if (status === 404) return "model_not_found";
  if (status === 429) return "rate_limit_exceeded";
  return status >= 500 ? "server_error" : "";
}

/** The parts of a vendor's error that mean something to the client: types and fields only where both speak the same format. */
function wordsFor(
  isOwnFormat: boolean,
  { type, param, kind, code, ...said }: UpstreamFailure,
  status: number,
  dialect: DialectName,
) {
  // Of limits and accounts, which are the operator's, the code says enough, and what the reader has picked out.
  const ofRequest = { details: kind === "invalid" || kind === "content" ? said.details : said.limitDetails };
  const isOpenAi = dialect === "openai-chat" || dialect === "openai-responses";
  if (isOwnFormat) {
    const shown = isOpenAi && code === NO_CODE ? { shownCode: "" } : {};
    return { type, ...shown, ...ofRequest, ...(param === undefined ? {} : { param }) };
  }
  const shown = isOpenAi ? { shownCode: openAiCode(kind, status) } : {};
  return { type: kind === "quota" ? "insufficient_quota" : typeOf(status), ...shown };
}

/** An upstream may write any three digits; clients get those that are errors of HTTP (RFC 9110, section 15). */
const errorStatus = (status: number): number => (status >= 400 && status <= 599 ? status : 502);

/**
 * The error of a channel that its vendor refuses: a client that read 401 would think that of its own key. With 403 the key may be good, and what it
 * may not have is in the vendor's words, which the client reads where they name no account.
 */
function refusedChannel({ status, message }: UpstreamFailure): RelayError {
  if (status !== 403 || hasNoWords(message) || namesAccount(message)) return new RelayError("channel_key_refused");
  const plain = new RelayError("channel_access_refused");
  return new RelayError("channel_access_refused", { message: `${plain.message} The upstream said: ${message}` });
}

/** The upstream's own envelope, with its own status; none where the channel's settings change that, or the status is no error of HTTP. */
const verbatimOf = (
  { verbatim, status }: UpstreamFailure,
  shownStatus: number,
  isMapped: boolean,
): string | undefined => (isMapped || status !== shownStatus ? undefined : verbatim);

/** The client's error for a failure, after the channel's status code mapping. */
export function errorFor({ accepted }: Attempts, failed: Failed): RelayError {
  const { target, failure } = failed;
  const mapped = target.channel.statusCodeMapping[String(failure.status)];
  if (failure.status === 0) return new RelayError(BY_CODE[failure.code] ?? "upstream_failed");
  if (failure.kind === "auth" && mapped === undefined) return refusedChannel(failure);
  const status = errorStatus(mapped ?? failure.status);
  const { message, code } = failure;
  const isOwnFormat = target.dialect === accepted.dialect;
  const overflow = isOwnFormat || failure.kind !== "invalid" ? undefined : contextOverflowOf(failure);
  if (overflow !== undefined)
    return tooLong("upstream_failed", accepted.dialect.name, overflow, { words: message, vendorCode: code });
  const words = wordsFor(isOwnFormat, failure, status, accepted.dialect.name);
  const retryAfterSeconds = status === 429 || status >= 500 ? retryAfterOf(failed) : 0;
  if (status === 429 && failure.kind === "quota") return new RelayError("upstream_account_empty", { code, ...words });
  const verbatim = isOwnFormat ? verbatimOf(failure, status, mapped !== undefined) : undefined;
  if (status === 429) return new RelayError("upstream_saturated", { code, retryAfterSeconds, verbatim, ...words });
  return new RelayError("upstream_failed", { status, message, code, retryAfterSeconds, verbatim, ...words });
}

/** The error of a call without a channel to try, from the reasons of skipped ones. */
function untried({ call, accepted, inputTokens, untranslatable }: Attempts): RelayError {
  const { operation, trace } = call;
  return nothingToTry({
    operation,
    dialect: accepted.dialect.name,
    inputTokens,
    skipped: trace.skipped,
    untranslatable,
  });
}

/** The error of a call that no channel answered. */
export const upstreamError = (attempts: Attempts): RelayError =>
  attempts.failed === undefined ? untried(attempts) : errorFor(attempts, attempts.failed);
