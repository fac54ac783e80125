/** Google's error envelope, read and written (ai.google.dev/gemini-api/docs/troubleshooting; google.rpc.Status). */
import type { ErrorInfo } from "../neutral/info.ts";
import { type ErrorText, type ReadFailure, readFailure, redact, errorTextOf } from "../neutral/failure.ts";
import { isObject, listOf, objectOf, parseObject, textOf } from "../json/fields.ts";
import type { JsonObject } from "../neutral/neutral.ts";

/** Canonical names of google.rpc.Code by HTTP status (cloud.google.com/apis/design/errors). */
const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  402: "FAILED_PRECONDITION",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  408: "DEADLINE_EXCEEDED",
  409: "ABORTED",
  413: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  501: "UNIMPLEMENTED",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

const statusName = (status: number): string =>
  STATUS_NAMES[status] ?? (status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT");

const RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo";

/** When to ask again, where the upstream's own words do not say it (google/rpc/error_details.proto). */
function ownRetryInfo({ status, retryAfterSeconds = 0 }: ErrorInfo, details: readonly unknown[]): JsonObject[] {
  if (status !== 429 || retryAfterSeconds === 0) return [];
  if (details.some((detail) => objectOf(detail)["@type"] === RETRY_INFO)) return [];
  return [{ "@type": RETRY_INFO, retryDelay: `${retryAfterSeconds}s` }];
}

/** `{"code", "message", "status"}` and the id of the request as google.rpc.RequestInfo. */
export function errorObject(error: ErrorInfo, requestId?: string): JsonObject {
  const info = { "@type": "type.googleapis.com/google.rpc.RequestInfo", requestId };
  const details = listOf(error.details?.["details"]);
  return {
    code: error.status,
    message: error.message,
    status: statusName(error.status),
    ...(requestId === undefined ? {} : { details: [...details, ...ownRetryInfo(error, details), info] }),
  };
}

/** The envelope as JSON text. */
export const errorBody = (error: ErrorInfo, requestId: string): string =>
  JSON.stringify({ error: errorObject(error, requestId) });

/** Why, as the vendor names it in google.rpc.ErrorInfo: API_KEY_INVALID, RATE_LIMIT_EXCEEDED. */
function reasonOf(error: JsonObject): string {
  for (const detail of listOf(error["details"])) {
    const reason = textOf(objectOf(detail)["reason"]);
    if (reason !== "") return reason;
  }
  return "";
}

function googleErrorTextOf(parsed: unknown): ErrorText {
  const found = errorTextOf(parsed);
  const error = isObject(parsed) ? objectOf(parsed["error"]) : {};
  const status = textOf(error["status"]);
  return { ...found, type: status || found.type, code: reasonOf(error) || status || found.code };
}

const KEY_REASONS: ReadonlySet<string> = new Set([
  "API_KEY_INVALID",
  "API_KEY_SERVICE_BLOCKED",
  "ACCESS_TOKEN_EXPIRED",
]);
const KEY_MESSAGE = /^api key (?:not valid|not found|expired)/i;
/** Asked from a country that Google does not serve: the fault of the channel, not of the request. */
const PLACE_MESSAGE = /^user location is not supported/i;

const QUOTA_FAILURE = "type.googleapis.com/google.rpc.QuotaFailure";

/** Violations that a client is shown; there are one or two. */
const MAX_VIOLATIONS = 16;

/** The limits' names, by which agents know one of a day from one of a minute; not their values, projects and models, which are the operator's. */
const quotaNames = (detail: JsonObject): JsonObject => ({
  "@type": QUOTA_FAILURE,
  violations: listOf(detail["violations"])
    .slice(0, MAX_VIOLATIONS)
    .map((violation) => {
      const { quotaMetric, quotaId } = objectOf(violation);
      return { quotaMetric: nameText(quotaMetric), quotaId: nameText(quotaId) };
    }),
});

/** Names of quotas are long runs, which `redact` knows for keys only where digits are in them. */
const nameText = (value: unknown): string => redact(textOf(value)).slice(0, 256);

/** `google.protobuf.Duration` as JSON, "34.07s", in milliseconds; 0 where it is none. */
function durationMs(text: string): number {
  const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(text)?.[1];
  return seconds === undefined ? 0 : Math.ceil(Number(seconds) * 1000);
}

/** When to ask again, and which limit was reached: gemini-cli reads both (google/rpc/error_details.proto). */
function limitOf(body: string): Pick<ReadFailure, "limitDetails" | "retryAfterMs"> {
  const parsed = parseObject(body.trimStart().startsWith("[") ? `{"list":${body}}` : body);
  const error = objectOf(parsed?.["error"] ?? objectOf(listOf(parsed?.["list"])[0])["error"]);
  const details = listOf(error["details"]).map(objectOf);
  const waitMs = durationMs(textOf(details.find((each) => each["@type"] === RETRY_INFO)?.["retryDelay"]));
  const quota = details.find((each) => each["@type"] === QUOTA_FAILURE);
  const limits = [
    ...(waitMs === 0 ? [] : [{ "@type": RETRY_INFO, retryDelay: `${waitMs / 1000}s` }]),
    ...(quota === undefined ? [] : [quotaNames(quota)]),
  ];
  return {
    ...(limits.length === 0 ? {} : { limitDetails: { details: limits } }),
    ...(waitMs === 0 ? {} : { retryAfterMs: waitMs }),
  };
}

/** A refused key comes as 400 and counts as what it is. */
export function readGeminiFailure(status: number, body: string): ReadFailure {
  const read = readFailure(status, body, googleErrorTextOf);
  const failure = read.kind === "rate" || read.kind === "overloaded" ? { ...read, ...limitOf(body) } : read;
  if (KEY_REASONS.has(failure.code) || KEY_MESSAGE.test(failure.message)) {
    return { ...failure, kind: "auth", status: 401, isRetryable: true };
  }
  return PLACE_MESSAGE.test(failure.message) ? { ...failure, isRetryable: true } : failure;
}

/** True for a parsed body that came with a status of success and is an error all the same. */
export const isErrorBody = (fields: JsonObject): boolean =>
  isObject(fields["error"]) && fields["candidates"] === undefined;

/** google.rpc.Status has a number and a name beside the words. */
export const isErrorEnvelope = ({ error, candidates }: JsonObject): boolean => {
  const { code, status } = objectOf(error);
  return typeof code === "number" && textOf(status) !== "" && candidates === undefined;
};
