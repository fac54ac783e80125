/** Errors of the Responses API: envelopes, error events and failed responses, both ways (platform.openai.com/docs/guides/error-codes). */
import type { ErrorInfo } from "../neutral/info.ts";
import { type ErrorText, type ReadFailure, readFailure as readAnyFailure, errorTextOf } from "../neutral/failure.ts";
import { isObject, ownOf, textOf } from "../json/fields.ts";
import type { JsonObject } from "../neutral/neutral.ts";

/** Status an error would have had if it had come before the answer began; a failed response has only its code. */
const STATUSES: Readonly<Record<string, number>> = {
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  server_error: 502,
  vector_store_timeout: 504,
};
/** Every other code of a failed response blames the request. */
const isClientCode = (code: string): boolean =>
  /^(?:invalid_|image_|unsupported_|empty_image|failed_to_download|context_length|data_residency|bio_policy|misalignment|content_)/.test(
    code,
  );

const statusOf = (code: string): number => ownOf(STATUSES, code) ?? (isClientCode(code) ? 400 : 0);

/** The error object of a failed response, of an error event that nests it, or the flat error event itself. */
function errorOf(parsed: JsonObject): JsonObject | undefined {
  const response = isObject(parsed["response"]) ? parsed["response"] : parsed;
  if (isObject(response["error"])) return response["error"];
  return parsed["type"] === "error" ? parsed : undefined;
}

function readErrorText(parsed: unknown): ErrorText {
  const error = isObject(parsed) ? errorOf(parsed) : undefined;
  if (error === undefined) return errorTextOf(parsed);
  const found = errorTextOf({ error });
  const type = found.type === "error" ? "" : found.type;
  return { ...found, type, status: found.status || statusOf(found.code) };
}

/** Reads a failed answer, an error event or a failed response; `status` is 200 for the last two. */
export const readFailure = (status: number, body: string): ReadFailure => readAnyFailure(status, body, readErrorText);

/** True for a response object that failed, and for an error that came with a status of success. */
export const isErrorBody = (fields: JsonObject): boolean =>
  isObject(fields["error"]) ||
  textOf(fields["error"]) !== "" ||
  fields["status"] === "failed" ||
  fields["type"] === "error";

/** The error envelope; every field present as the official SDKs expect. */
export const errorBody = ({ message, type, param, code }: ErrorInfo): string =>
  JSON.stringify({ error: { message, type, param, code: code === "" ? null : code } });

/** Failures that OpenAI's OpenAPI (ResponseErrorCode) or Codex (openai/codex, codex-api/src/sse/responses.rs) knows by a name of their own. */
const NAMED_FAILURES: ReadonlySet<string> = new Set(["vector_store_timeout", "server_is_overloaded", "slow_down"]);

/**
 * The error object of a response that failed; agents wait and try again where it says rate_limit_exceeded. Its codes are OpenAI's alone, so that a failure of
 * the gateway or of its upstream is `server_error`; the error event before it has the gateway's own code.
 */
export function responseError({ status, message, code }: ErrorInfo): JsonObject {
  if (status === 429 && !code.includes("quota")) return { code: "rate_limit_exceeded", message };
  if (status >= 500 && !NAMED_FAILURES.has(code)) return { code: "server_error", message };
  return { code: code || "server_error", message };
}

/** What a decoder says of an event that cannot be read. */
export const unreadable = (data: string): string =>
  JSON.stringify({
    error: {
      message: `the upstream sent an event that is no JSON object (${Buffer.byteLength(data)} bytes)`,
      type: "upstream_error",
      code: "bad_response_body",
    },
  });

/** The error of an event as JSON text. */
export const errorText = (event: JsonObject, data: string): string => {
  const error = errorOf(event);
  return error === undefined || textOf(error["message"]) === "" ? data : JSON.stringify({ ...event, error });
};
