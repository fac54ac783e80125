/** Error envelopes and small answers of our own, the headers that every answer of the relay has, and the timeout of a client that reads too slowly. */
import { hash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { retirementOf } from "../../../../contract/src/pricing/retirement.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import { ownOf } from "../../dialects/json/fields.ts";
import type { ErrorInfo } from "../../dialects/neutral/info.ts";
import { openAiChatDialect } from "../../dialects/openai-chat/openai-chat.ts";
import type { UpstreamCall } from "../../upstream/client.ts";
import type { Call } from "./call.ts";
import type { KeptAnswer } from "./ports.ts";
import type { RelayError } from "./relay-error.ts";

/** Any page may call: keys travel in headers, never in cookies, so there is nothing to steal from another origin. */
const CORS = [
  "Access-Control-Allow-Origin",
  "*",
  "Access-Control-Expose-Headers",
  "X-Request-Id, Request-Id, Turnpike-Error, Turnpike-Warnings, Retry-After, Idempotent-Replayed, " +
    "X-RateLimit-Limit-Requests, X-RateLimit-Remaining-Requests, X-RateLimit-Reset-Requests, " +
    "Anthropic-RateLimit-Requests-Limit, Anthropic-RateLimit-Requests-Remaining, Anthropic-RateLimit-Requests-Reset, " +
    "Deprecation, Sunset",
];
const PREFLIGHT = [
  "Access-Control-Allow-Origin",
  "*",
  "Access-Control-Allow-Methods",
  "GET, POST, PUT, DELETE, OPTIONS",
  "Access-Control-Allow-Headers",
  "*, Authorization",
  "Access-Control-Max-Age",
  "86400",
  "Content-Length",
  "0",
];

/** The id under the names that OpenAI's, Anthropic's and this API family's clients read. */
export function baseHeaders(requestId: string): string[] {
  return ["X-Request-Id", requestId, "Request-Id", requestId, "X-Oneapi-Request-Id", requestId, ...CORS];
}

/** Sends what an earlier call with the same Idempotency-Key was answered, under that call's request id. */
export function writeStored(call: Call, requestId: string, { status, contentType, body }: KeptAnswer): void {
  call.status = status;
  const replayed = ["Idempotent-Replayed", "true", "Content-Type", contentType, "Content-Length", String(body.length)];
  call.response.writeHead(status, [...baseHeaders(requestId), ...replayed]);
  call.response.end(body);
}

/** Codes that clients of this API family test for, where the log has a finer one. */
const CLIENT_CODES: Readonly<Record<string, string>> = { no_available_channel: "model_not_found" };

/** What an error's envelope says of a call that failed. */
export const errorInfo = (error: RelayError, requestId: string): ErrorInfo => ({
  status: error.status,
  message: error.hasPlainWords ? error.message : `${error.message} (request id: ${requestId})`,
  type: error.type,
  code: error.shownCode ?? ownOf(CLIENT_CODES, error.code) ?? error.code,
  param: error.param,
  retryAfterSeconds: error.retryAfterSeconds,
  ...(error.details === undefined ? {} : { details: error.details }),
  ...(error.verbatim === undefined ? {} : { verbatim: error.verbatim }),
});

/** The official libraries repeat calls on 409 and on everything from 500 on: these are answered the same again. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([409, 501, 508]);

/** What a code of our own looks like; an upstream's may be any text. */
const OWN_CODE = /^[a-z_]{1,64}$/;

/** The envelope of the client's dialect, the upstream's own where that speaks it, with the fields of the console's where its pages read it. */
function errorBody(error: RelayError, requestId: string, dialect: Dialect): Buffer {
  if (error.verbatim !== undefined) return Buffer.from(error.verbatim);
  const body = dialect.errorBody(errorInfo(error, requestId), requestId);
  if (!error.isForConsole) return Buffer.from(body);
  const { message, code } = error;
  return Buffer.from(JSON.stringify({ success: false, message, code, ...(JSON.parse(body) as object) }));
}

/** Sends the error envelope of the client's dialect; a request whose body was not read to its end loses its connection. */
export function writeRelayError(
  response: ServerResponse,
  requestId: string,
  error: RelayError,
  isBodyRead: boolean,
  dialect: Dialect = openAiChatDialect,
): void {
  if (response.destroyed) return;
  const body = errorBody(error, requestId, dialect);
  const headers = [
    ...baseHeaders(requestId),
    "Content-Type",
    "application/json",
    "Content-Length",
    String(body.length),
  ];
  // Not every dialect's envelope has room for the code, by which the doctor knows what to mend.
  if (OWN_CODE.test(error.code)) headers.push("Turnpike-Error", error.code);
  if (error.retryAfterSeconds > 0) headers.push("Retry-After", String(error.retryAfterSeconds));
  if (error.allowedMethods !== "") headers.push("Allow", error.allowedMethods);
  if (error.isFinal || FINAL_STATUSES.has(error.status)) headers.push("X-Should-Retry", "false");
  if (!isBodyRead) headers.push("Connection", "close");
  response.writeHead(error.status, headers);
  response.end(body);
}

/** Has the answer of a call say that its model is going to be taken off (RFC 9745, RFC 8594); a model without a day adds nothing. */
export function showRetirement({ response, context }: Call, model: string): void {
  const { ModelRetirementDates: days } = context.snapshot.options;
  const retirement = retirementOf(days, model);
  if (retirement === undefined || response.headersSent) return;
  response.setHeader("Deprecation", `@${retirement.deprecated}`);
  response.setHeader("Sunset", new Date(retirement.retires * 1000).toUTCString());
}

/** Sends an object of our own. */
export function writeJson(response: ServerResponse, requestId: string, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(200, [
    ...baseHeaders(requestId),
    "Content-Type",
    "application/json",
    "Content-Length",
    String(body.length),
  ]);
  response.end(body);
}

/** The same with a tag of its content: a client that has it already is sent the head alone (RFC 9110, 13.1.2). */
export function writeTagged(
  { headers }: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  value: unknown,
): void {
  const tag = `"${hash("sha1", JSON.stringify(value), "base64url")}"`;
  response.setHeader("ETag", tag);
  const known = headers["if-none-match"]?.split(",").map((each) => each.trim().replace(/^W\//, "")) ?? [];
  if (!known.includes(tag)) return writeJson(response, requestId, value);
  response.writeHead(304, baseHeaders(requestId));
  response.end();
}

export function writePreflight(response: ServerResponse): void {
  response.writeHead(204, PREFLIGHT);
  response.end();
}

/**
 * Lets go of a client that takes nothing for as long as an upstream may send nothing: what waits for it would be kept as long as
 * it likes. Call where bytes wait; the system's own progress with them counts as taking.
 */
export function guardSlowReader({ response, context }: Call): void {
  if (response.listenerCount("timeout") === 0) response.on("timeout", () => response.destroy());
  response.setTimeout(context.timeouts.idleMs);
}

/** Stops the upstream until the client has taken what waits for it; then calls back. */
export function waitForReader(call: Call, upstream: UpstreamCall | undefined, isReady: () => void): void {
  const { response } = call;
  upstream?.pause();
  guardSlowReader(call);
  response.once("drain", () => {
    response.setTimeout(0);
    isReady();
  });
}
