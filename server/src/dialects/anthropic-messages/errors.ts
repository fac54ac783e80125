/** Errors in Anthropic's format, both ways (platform.claude.com/docs/en/api/errors). */
import type { ErrorInfo } from "../neutral/info.ts";
import { type ErrorText, type ReadFailure, readFailure as readAnyFailure, redact } from "../neutral/failure.ts";
import { isObject, objectOf, parseObject, textOf } from "../json/fields.ts";
import type { JsonObject } from "../neutral/neutral.ts";

/** Error types by the status they are sent with. */
const TYPES: ReadonlyMap<number, string> = new Map([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [402, "billing_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [500, "api_error"],
  [504, "timeout_error"],
  [529, "overloaded_error"],
]);
const STATUSES: ReadonlyMap<string, number> = new Map([...TYPES].map(([status, type]) => [type, status]));

/** The type clients expect with a status; those between have their neighbours' (503 is how gateways say overloaded). */
function errorType(status: number): string {
  const known = TYPES.get(status === 503 ? 529 : status);
  return known ?? (status >= 400 && status < 500 ? "invalid_request_error" : "api_error");
}

/** What exactly was wrong, where the type does not say it; the vendor's libraries show it as `errorCode`. */
const detailsOf = ({ code, details }: ErrorInfo, type: string): { details?: JsonObject } => {
  const coded = code === "" || code === type ? undefined : { error_code: code };
  return coded === undefined && details === undefined ? {} : { details: { ...coded, ...details } };
};

/** The error object of an event or a body, as clients read it. */
export function errorFields(error: ErrorInfo): JsonObject {
  const type = errorType(error.status);
  return { type: "error", error: { type, message: error.message, ...detailsOf(error, type) } };
}

/** The error envelope. */
export const errorBody = (error: ErrorInfo, requestId: string): string =>
  JSON.stringify({ ...errorFields(error), request_id: requestId });

function errorTextOf(parsed: unknown): ErrorText {
  const error = isObject(parsed) ? objectOf(parsed["error"]) : {};
  const type = textOf(error["type"]);
  return {
    message: textOf(error["message"]),
    type,
    code: textOf(objectOf(error["details"])["error_code"]) || textOf(error["code"]) || type,
    status: STATUSES.get(type) ?? 0,
  };
}

/** Longer ones are no reason that a program looks at. */
const MAX_CHARACTERS = 4000;

/** What the vendor's libraries show as `details`: beside the code, the places or bounds it speaks of. */
function readDetails(body: string): JsonObject | undefined {
  const details = objectOf(parseObject(body)?.["error"])["details"];
  if (!isObject(details)) return undefined;
  const text = redact(JSON.stringify(details));
  return text.length > MAX_CHARACTERS ? undefined : parseObject(text);
}

/** The vendor answers 400 if the account behind the key has no credit. */
const NO_CREDIT = "credit balance is too low";

/** Reads a failed answer or an error event (status 200: its type names the status). */
export function readFailure(status: number, body: string): ReadFailure {
  const details = readDetails(body);
  const failure = { ...readAnyFailure(status, body, errorTextOf), ...(details === undefined ? {} : { details }) };
  const isDry = failure.status === 400 && failure.message.toLowerCase().includes(NO_CREDIT);
  return isDry ? { ...failure, kind: "quota", isRetryable: true } : failure;
}

/** True for a parsed body that came with a status of success and is an error all the same. */
export const isErrorBody = (fields: JsonObject): boolean =>
  fields["type"] === "error" ||
  ((isObject(fields["error"]) || textOf(fields["error"]) !== "") && fields["content"] === undefined);

/** The libraries make their class of the status and show both types; an envelope without them is not the vendor's. */
export const isErrorEnvelope = ({ type, error }: JsonObject): boolean =>
  type === "error" && textOf(objectOf(error)["type"]) !== "";
