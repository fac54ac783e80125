/** What the client is told where no channel answered: the last failure in its own format's words, or why none could be tried. */
import { retryAfterMs } from "../../channels/retry-after.ts";
import type { UpstreamFailure } from "../../providers/provider.ts";
import { RelayError, type RelayErrorCode } from "../call/relay-error.ts";
import { nothingToTry } from "../routing/nothing-to-try.ts";
import type { Attempts, Failed } from "./attempts.ts";

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

/** What of a vendor's words means something to the client: types and fields only where both speak the same format. */
function wordsFor(isOwnFormat: boolean, { type, param, kind, ...said }: UpstreamFailure, status: number) {
  // Of limits and accounts, which are the operator's, the code says enough, and what the reader has picked out.
  const ofRequest = { details: kind === "invalid" || kind === "content" ? said.details : said.limitDetails };
  if (isOwnFormat) return { type, ...ofRequest, ...(param === undefined ? {} : { param }) };
  return { type: kind === "quota" ? "insufficient_quota" : typeOf(status) };
}

/** An upstream may write any three digits; clients get those that are errors of HTTP (RFC 9110, section 15). */
const errorStatus = (status: number): number => (status >= 400 && status <= 599 ? status : 502);

/** The client's error for a failure, after the channel's status code mapping. */
export function errorFor({ accepted }: Attempts, failed: Failed): RelayError {
  const { target, failure } = failed;
  const mapped = target.channel.statusCodeMapping[String(failure.status)];
  if (failure.status === 0) return new RelayError(BY_CODE[failure.code] ?? "upstream_failed");
  // It speaks of the operator's key: a client that read 401 would think that of its own.
  if (failure.kind === "auth" && mapped === undefined) return new RelayError("channel_key_refused");
  const status = errorStatus(mapped ?? failure.status);
  const { message, code } = failure;
  const words = wordsFor(target.dialect === accepted.dialect, failure, status);
  const retryAfterSeconds = status === 429 || status >= 500 ? retryAfterOf(failed) : 0;
  if (status === 429 && failure.kind === "quota") return new RelayError("upstream_account_empty", { code, ...words });
  if (status === 429) return new RelayError("upstream_saturated", { code, retryAfterSeconds, ...words });
  return new RelayError("upstream_failed", { status, message, code, retryAfterSeconds, ...words });
}

/** Of what was asked, and why each channel was passed over. */
function untried({ call, inputTokens, untranslatable }: Attempts): RelayError {
  const { operation, trace } = call;
  return nothingToTry({ operation, inputTokens, skipped: trace.skipped, untranslatable });
}

/** The error of a call that no channel answered. */
export const upstreamError = (attempts: Attempts): RelayError =>
  attempts.failed === undefined ? untried(attempts) : errorFor(attempts, attempts.failed);
