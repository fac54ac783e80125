/** Google's error envelope, read and written (ai.google.dev/gemini-api/docs/troubleshooting; google.rpc.Status). */
import type { ErrorInfo } from "../neutral/info.ts";
import { type ErrorWords, type ReadFailure, readFailure, wordsOf } from "../neutral/failure.ts";
import { isObject, listOf, objectOf, textOf } from "../json/fields.ts";
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

/** `{"code", "message", "status"}` and the id of the request as google.rpc.RequestInfo. */
export function errorObject(error: ErrorInfo, requestId?: string): JsonObject {
  const info = { "@type": "type.googleapis.com/google.rpc.RequestInfo", requestId };
  return {
    code: error.status,
    message: error.message,
    status: statusName(error.status),
    ...(requestId === undefined ? {} : { details: [info] }),
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

function googleWords(parsed: unknown): ErrorWords {
  const words = wordsOf(parsed);
  const error = isObject(parsed) ? objectOf(parsed["error"]) : {};
  const status = textOf(error["status"]);
  return { ...words, type: status || words.type, code: reasonOf(error) || status || words.code };
}

const KEY_REASONS: ReadonlySet<string> = new Set([
  "API_KEY_INVALID",
  "API_KEY_SERVICE_BLOCKED",
  "ACCESS_TOKEN_EXPIRED",
]);
const KEY_MESSAGE = /^api key (?:not valid|not found|expired)/i;
/** Asked from a country that Google does not serve: the fault of the channel, not of the request. */
const PLACE_MESSAGE = /^user location is not supported/i;

/** A refused key comes as 400 and counts as what it is. */
export function readGeminiFailure(status: number, body: string): ReadFailure {
  const failure = readFailure(status, body, googleWords);
  if (KEY_REASONS.has(failure.code) || KEY_MESSAGE.test(failure.message)) {
    return { ...failure, kind: "auth", status: 401, isRetryable: true };
  }
  return PLACE_MESSAGE.test(failure.message) ? { ...failure, isRetryable: true } : failure;
}

/** True for a parsed body that came with a status of success and is an error all the same. */
export const isErrorBody = (fields: JsonObject): boolean =>
  isObject(fields["error"]) && fields["candidates"] === undefined;
