/** Heads, error envelopes and plain JSON answers of the relay: one place that knows the headers. */
import type { ServerResponse } from "node:http";
import { errorEnvelope, errorFrame } from "../dialects/openai-chat.ts";
import type { ResponseHeaders } from "../upstream/client.ts";
import { withoutKey } from "../upstream/conceal.ts";
import type { Exchange } from "./exchange.ts";
import type { Refusal } from "./refusal.ts";

/** Any page may call: keys travel in headers, never in cookies, so there is nothing to steal from another origin. */
const CORS = [
  "Access-Control-Allow-Origin",
  "*",
  "Access-Control-Expose-Headers",
  "X-Request-Id, Turnpike-Warnings, Retry-After",
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

function baseHeaders(requestId: string): string[] {
  return ["X-Request-Id", requestId, "X-Oneapi-Request-Id", requestId, ...CORS];
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

/** Begins a streamed answer. */
export function writeStreamHead(exchange: Exchange, upstream: ResponseHeaders): void {
  const headers = answerHeaders(exchange, upstream);
  headers.push(
    "Content-Type",
    "text/event-stream; charset=utf-8",
    "Cache-Control",
    "no-cache",
    "X-Accel-Buffering",
    "no",
  );
  exchange.status = 200;
  exchange.response.writeHead(200, headers);
}

/** Up to this size head and body leave in one piece of text, which is one write; above it the body is not copied. */
const MAX_TEXT_BYTES = 65_536;

/** Sends an answer in one piece as the upstream sent it. `text` is the body as Latin-1, one character a byte. */
export function writeWhole(
  exchange: Exchange,
  status: number,
  upstream: ResponseHeaders,
  body: Buffer,
  text: string,
): void {
  const headers = answerHeaders(exchange, upstream);
  const type = upstream["content-type"];
  headers.push("Content-Type", typeof type === "string" ? type : "application/json");
  headers.push("Content-Length", String(body.length));
  exchange.status = status;
  exchange.response.writeHead(status, headers);
  if (body.length <= MAX_TEXT_BYTES) exchange.response.end(text, "latin1");
  else exchange.response.end(body);
}

const withRequestId = (refusal: Refusal, requestId: string) => ({
  message: `${refusal.message} (request id: ${requestId})`,
  type: refusal.type,
  code: refusal.code,
  param: refusal.param,
});

/** Sends the error envelope; a request whose body was not read to its end loses its connection. */
export function writeRefusal(response: ServerResponse, requestId: string, refusal: Refusal, isBodyRead: boolean): void {
  if (response.destroyed) return;
  const body = Buffer.from(errorEnvelope(withRequestId(refusal, requestId)));
  const headers = [
    ...baseHeaders(requestId),
    "Content-Type",
    "application/json",
    "Content-Length",
    String(body.length),
  ];
  if (refusal.retryAfterSeconds > 0) headers.push("Retry-After", String(refusal.retryAfterSeconds));
  if (!isBodyRead) headers.push("Connection", "close");
  response.writeHead(refusal.status, headers);
  response.end(body);
}

/** Ends a stream that has begun with an error event, and without `[DONE]`. */
export function endWithError(exchange: Exchange, refusal: Refusal): void {
  if (exchange.response.destroyed) return;
  exchange.response.end(errorFrame(withRequestId(refusal, exchange.requestId)));
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

export function writePreflight(response: ServerResponse): void {
  response.writeHead(204, PREFLIGHT);
  response.end();
}
