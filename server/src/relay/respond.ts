/** Heads, error envelopes and plain JSON answers of the relay: one place that knows the headers. */
import type { ServerResponse } from "node:http";
import type { Usage } from "../../../contract/src/usage.ts";
import type { AnswerFacts, Dialect, ErrorFacts } from "../dialects/dialect.ts";
import { type NeutralAnswer, eventsOf } from "../dialects/neutral.ts";
import { openAiChatDialect } from "../dialects/openai-chat/openai-chat.ts";
import { latin1Of } from "../dialects/sse-event.ts";
import type { ResponseHeaders } from "../upstream/client.ts";
import { withoutKey } from "../upstream/conceal.ts";
import { formedFrames } from "./answer-form.ts";
import type { Exchange, Target } from "./exchange.ts";
import type { KeptAnswer } from "./idempotency.ts";
import type { Refusal } from "./refusal.ts";
import { StreamBody } from "./stream-body.ts";

/** Any page may call: keys travel in headers, never in cookies, so there is nothing to steal from another origin. */
const CORS = [
  "Access-Control-Allow-Origin",
  "*",
  "Access-Control-Expose-Headers",
  "X-Request-Id, Request-Id, Turnpike-Warnings, Retry-After, Idempotent-Replayed",
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

/** What of an upstream's head may be seen: no cookies, no organisations, no limits of the operator's account. */
const PASSED_HEADERS = ["openai-processing-ms", "openai-version", "retry-after"] as const;

/** The id under the names that OpenAI's, Anthropic's and this API family's clients read. */
function baseHeaders(requestId: string): string[] {
  return ["X-Request-Id", requestId, "Request-Id", requestId, "X-Oneapi-Request-Id", requestId, ...CORS];
}

/** Printable ASCII for a header; the log has the whole text. */
const headerText = (text: string): string => text.replace(/[^\x20-\x7e]/g, "?").slice(0, 1000);

function answerHeaders(exchange: Exchange, upstream: ResponseHeaders): string[] {
  const headers = baseHeaders(exchange.requestId);
  for (const name of PASSED_HEADERS) {
    const value = upstream[name];
    if (typeof value === "string")
      headers.push(name, withoutKey(headerText(value), exchange.target?.channel.key ?? ""));
  }
  const warnings = exchange.target?.warnings ?? [];
  if (warnings.length > 0) headers.push("Turnpike-Warnings", headerText(warnings.join("; ")));
  return headers;
}

/** Begins a streamed answer; where it has begun before, gives what takes its pieces. */
export function beginStream(exchange: Exchange, upstream: ResponseHeaders): StreamBody {
  return (exchange.stream ??= writeStreamHead(exchange, upstream));
}

function writeStreamHead(exchange: Exchange, upstream: ResponseHeaders): StreamBody {
  const headers = answerHeaders(exchange, upstream);
  headers.push(
    "Content-Type",
    exchange.asked.isArray ? "application/json; charset=utf-8" : "text/event-stream; charset=utf-8",
    "Cache-Control",
    "no-cache",
    "X-Accel-Buffering",
    "no",
  );
  exchange.status = 200;
  exchange.response.writeHead(200, headers);
  return new StreamBody(exchange.response);
}

/** Begins an answer of bytes that are neither text nor events; its length is kept where the upstream gave one. */
export function writeBinaryHead(exchange: Exchange, status: number, upstream: ResponseHeaders): void {
  const headers = answerHeaders(exchange, upstream);
  const { "content-type": type, "content-length": length, "content-encoding": encoding } = upstream;
  headers.push("Content-Type", typeof type === "string" ? type : "application/octet-stream");
  if (typeof length === "string" && encoding === undefined) headers.push("Content-Length", length);
  exchange.status = status;
  exchange.response.writeHead(status, headers);
}

/** Sends an answer in one piece; `text` is the body as Latin-1 where it has that form already. A call that holds a key has it kept first. */
function sendWhole(exchange: Exchange, status: number, headers: string[], body: Buffer, text?: string): void {
  exchange.status = status;
  const send = (): void => {
    exchange.response.writeHead(status, headers);
    if (text !== undefined && body.length <= MAX_TEXT_BYTES) exchange.response.end(text, "latin1");
    else exchange.response.end(body);
  };
  if (exchange.heldKey === undefined) return send();
  const contentType = headers[headers.indexOf("Content-Type") + 1] ?? "";
  void exchange.heldKey.keepThen({ status, contentType, body }, send);
}

/** Sends what an earlier call with the same Idempotency-Key was answered, under that call's request id. */
export function writeStored(exchange: Exchange, requestId: string, { status, contentType, body }: KeptAnswer): void {
  exchange.status = status;
  const replayed = ["Idempotent-Replayed", "true", "Content-Type", contentType, "Content-Length", String(body.length)];
  exchange.response.writeHead(status, [...baseHeaders(requestId), ...replayed]);
  exchange.response.end(body);
}

/** Up to this size head and body leave in one piece of text, which is one write; above it the body is not copied. */
const MAX_TEXT_BYTES = 65_536;

/** A client that waits for events was sent comments already, or knows how to read a whole answer as one event. */
const isStreamOpen = ({ stream, isStream, operation }: Exchange): boolean =>
  stream !== undefined || (isStream && operation === "completions");

/** Ends a stream with a whole answer as its only event. */
function endWithEvent(exchange: Exchange, body: Buffer): void {
  const lines = body
    .toString("utf8")
    .trim()
    .split(/\r\n|\r|\n/);
  beginStream(exchange, {}).end(latin1Of(`${lines.map((line) => `data: ${line}\n`).join("")}\ndata: [DONE]\n\n`));
}

/** Sends an answer in one piece as the upstream sent it. `text` is the body as Latin-1, one character a byte. */
export function writeWhole(
  exchange: Exchange,
  status: number,
  upstream: ResponseHeaders,
  body: Buffer,
  text: string,
): void {
  if (isStreamOpen(exchange)) return endWithEvent(exchange, body);
  const headers = answerHeaders(exchange, upstream);
  const type = upstream["content-type"];
  headers.push("Content-Type", typeof type === "string" ? type : "application/json");
  headers.push("Content-Length", String(body.length));
  sendWhole(exchange, status, headers, body, text);
}

/** Sends an answer that was encoded for the client. */
export function writeText(exchange: Exchange, status: number, upstream: ResponseHeaders, text: string): void {
  const body = Buffer.from(text);
  const headers = answerHeaders(exchange, upstream);
  headers.push("Content-Type", "application/json", "Content-Length", String(body.length));
  sendWhole(exchange, status, headers, body);
}

/** Sends a whole answer as the stream that the client asked for and the upstream did not send. */
export function writeAsStream(
  exchange: Exchange,
  target: Target,
  upstream: ResponseHeaders,
  answer: NeutralAnswer,
  usage: Usage,
): void {
  const encoder = exchange.dialect.createEncoder(answerFacts(exchange));
  let frames = "";
  for (const event of eventsOf(answer)) frames += encoder.push(event);
  const formed = formedFrames(exchange, target, latin1Of(frames));
  beginStream(exchange, upstream).end(formed + latin1Of(encoder.close(usage)));
}

const factsOf = (refusal: Refusal, requestId: string): ErrorFacts => ({
  status: refusal.status,
  message: `${refusal.message} (request id: ${requestId})`,
  type: refusal.type,
  code: refusal.code,
  param: refusal.param,
  ...(refusal.details === undefined ? {} : { details: refusal.details }),
});

/** What the envelope of an answer needs of the call. */
export const answerFacts = ({ model, requestId, createdAt, facts, asked, fields }: Exchange): AnswerFacts => ({
  model,
  requestId,
  createdAt,
  asksUsage: facts?.asksUsage === true,
  isArray: asked.isArray,
  ...(fields === undefined ? {} : { request: fields }),
});

/** The official libraries repeat calls on 409 and on everything from 500 on: these are answered the same again. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([409, 501, 508]);

/** The envelope of the client's dialect, with the fields of the console's where its pages read it. */
function refusalBody(refusal: Refusal, requestId: string, dialect: Dialect): Buffer {
  const body = dialect.errorBody(factsOf(refusal, requestId), requestId);
  if (!refusal.isForConsole) return Buffer.from(body);
  const { message, code } = refusal;
  return Buffer.from(JSON.stringify({ success: false, message, code, ...(JSON.parse(body) as object) }));
}

/** Sends the error envelope of the client's dialect; a request whose body was not read to its end loses its connection. */
export function writeRefusal(
  response: ServerResponse,
  requestId: string,
  refusal: Refusal,
  isBodyRead: boolean,
  dialect: Dialect = openAiChatDialect,
): void {
  if (response.destroyed) return;
  const body = refusalBody(refusal, requestId, dialect);
  const headers = [
    ...baseHeaders(requestId),
    "Content-Type",
    "application/json",
    "Content-Length",
    String(body.length),
  ];
  if (refusal.retryAfterSeconds > 0) headers.push("Retry-After", String(refusal.retryAfterSeconds));
  if (refusal.allowedMethods !== "") headers.push("Allow", refusal.allowedMethods);
  if (FINAL_STATUSES.has(refusal.status)) headers.push("X-Should-Retry", "false");
  if (!isBodyRead) headers.push("Connection", "close");
  response.writeHead(refusal.status, headers);
  response.end(body);
}

/** Ends a stream that has begun with an error event, and without the mark of a whole one. */
export function endWithError(exchange: Exchange, refusal: Refusal): void {
  const { response, requestId, dialect, stream } = exchange;
  if (response.destroyed) return;
  // There is no place for words among bytes that are no events: the answer is cut.
  if (stream === undefined) return void response.destroy();
  // Only comments went out so far: a plain pipe of the client's format knows how to fail.
  const pipe = exchange.pipe ?? dialect.createPassPipe(answerFacts(exchange), PLAIN_PASS);
  stream.end(pipe.failing(factsOf(refusal, requestId)).toString("latin1"));
}

const PLAIN_PASS = { hidesUsage: false, isChat: true, choices: 1 } as const;

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

export function writePreflight(response: ServerResponse): void {
  response.writeHead(204, PREFLIGHT);
  response.end();
}
