/** Upstream faults for tests: what goes wrong, and what the client and the ledger must see; a row for each fault. */
import { gzipSync } from "node:zlib";
import type { Plan } from "../../fake-upstream/plan.ts";
import type { DialectName } from "../../../server/src/dialects/neutral/neutral.ts";

/** What a fault is made of: the vendor's own answer to the request. */
export interface FaultScene {
  vendor: DialectName;
  isStream: boolean;
  /** Body of the whole answer, or all frames of the stream with its end. */
  body: string;
  /** The first frames of the stream, up to text in the middle; the first half of a buffered body. */
  begin: string;
  /** The vendor's own error, as a frame of a stream or a body. */
  error: string;
}

/** `delivered` is charged by the text that came, `reported` as REPORTED says. */
export type ExpectedCharge = "nothing" | "delivered" | "reported";

export interface Expected {
  /** Of a refusal; 200 with an error means an error event. `failed` is 500 or 502, as the vendor's format has it. */
  status: number | "failed";
  error?: ErrorName;
  charge: ExpectedCharge;
}

/** Input and output tokens that plans without another usage report. */
export const REPORTED = { input: 13, output: 21 } as const;

/** Usage in a vendor's fields. */
export function usageOf(
  vendor: DialectName,
  input: unknown = REPORTED.input,
  output: unknown = REPORTED.output,
): unknown {
  if (vendor === "openai-chat") return { prompt_tokens: input, completion_tokens: output };
  if (vendor === "gemini") return { promptTokenCount: input, candidatesTokenCount: output };
  return { input_tokens: input, output_tokens: output };
}

/** How each client format names an error; undefined for a code that is the vendor's own. */
const ERRORS = {
  broken: ["upstream_broken", "api_error", "UNAVAILABLE"],
  timeout: ["upstream_timeout", "timeout_error", "DEADLINE_EXCEEDED"],
  unreachable: ["upstream_unreachable", "api_error", "UNAVAILABLE"],
  failed: [undefined, "api_error", undefined],
} as const;
export type ErrorName = keyof typeof ERRORS;

/** The name a client of this format reads; undefined for any. */
export function errorNameFor(client: DialectName, error: ErrorName): string | undefined {
  const [openAi, anthropic, gemini] = ERRORS[error];
  return client === "anthropic-messages" ? anthropic : client === "gemini" ? gemini : openAi;
}

const BROKEN: Expected = { status: 502, error: "broken", charge: "nothing" };
const TIMEOUT: Expected = { status: 504, error: "timeout", charge: "nothing" };
const FAILED: Expected = { status: "failed", error: "failed", charge: "nothing" };
const WHOLE: Expected = { status: 200, charge: "reported" };
/** Text came, then the error event. */
const CUT: Expected = { status: 200, error: "broken", charge: "delivered" };
const CUT_BY_VENDOR: Expected = { status: 200, error: "failed", charge: "delivered" };
const COUNTED: Expected = { status: 200, charge: "delivered" };

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: ";
const typeOf = (isStream: boolean): string => (isStream ? "text/event-stream" : "application/json");
/** An answer that the end of the connection ends. */
const openEnded = (isStream: boolean, body: string): string =>
  `${HEAD}${typeOf(isStream)}\r\nConnection: close\r\n\r\n${body}`;
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const chunked = (isStream: boolean, body: string): string =>
  `${HEAD}${typeOf(isStream)}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${body}`;
const asStream = (rawBody: string | Buffer): Plan => ({ rawBody, contentType: "text/event-stream" });
const CUT_EVENT = 'data: {"id":"x","choices":[{"index":0,"delta":{"content":"wo\n\n';

export interface Fault {
  name: string;
  plan(scene: FaultScene): Plan;
  whole: Expected;
  stream: Expected;
  /** The alternative if text and fault came in one read, so that nothing had been sent. */
  streamAtOnce?: Expected;
}

/** A fault of the connection, at one stage after the other. */
const CONNECTION_FAULTS: readonly Fault[] = [
  { name: "never answers", plan: () => ({ neverAnswers: true }), whole: TIMEOUT, stream: TIMEOUT },
  { name: "closes before the head", plan: () => ({ dropsRequest: "destroy" }), whole: BROKEN, stream: BROKEN },
  { name: "resets before the head", plan: () => ({ dropsRequest: "reset" }), whole: BROKEN, stream: BROKEN },
  {
    name: "falls silent inside the head",
    plan: () => ({ rawHttp: "HTTP/1.1 200 OK\r\nContent-Ty", cutBy: "halt" }),
    whole: TIMEOUT,
    stream: TIMEOUT,
  },
  {
    name: "resets inside the head",
    plan: () => ({ rawHttp: "HTTP/1.1 200 OK\r\nContent-Ty", cutBy: "reset" }),
    whole: BROKEN,
    stream: BROKEN,
  },
  { name: "speaks no HTTP", plan: () => ({ rawHttp: "SSH-2.0-OpenSSH_9.9\r\n" }), whole: BROKEN, stream: BROKEN },
  {
    name: "falls silent after the head",
    plan: () => ({ cutAtByte: 0, cutBy: "halt" }),
    whole: TIMEOUT,
    stream: TIMEOUT,
  },
  { name: "resets after the head", plan: () => ({ cutAtByte: 0, cutBy: "reset" }), whole: BROKEN, stream: BROKEN },
  {
    name: "falls silent in the middle",
    plan: ({ begin }) => ({ chunkDelayMs: 2, cutAtByte: begin.length, cutBy: "halt" }),
    whole: TIMEOUT,
    stream: CUT,
  },
  {
    name: "closes in the middle",
    plan: ({ begin }) => ({ chunkDelayMs: 2, cutAtByte: begin.length }),
    whole: BROKEN,
    stream: CUT,
  },
  {
    name: "resets in the middle",
    plan: ({ begin }) => ({ chunkDelayMs: 2, cutAtByte: begin.length, cutBy: "reset" }),
    whole: BROKEN,
    stream: CUT,
  },
  {
    name: "ends an answer without a length in the middle",
    plan: ({ begin, isStream }) => ({ rawHttp: openEnded(isStream, begin) }),
    whole: FAILED,
    stream: CUT,
    streamAtOnce: BROKEN,
  },
  {
    name: "breaks the rules of chunks in the middle",
    plan: ({ begin, isStream }) => ({ rawHttp: chunked(isStream, `${chunk(begin)}not a length\r\n`), cutBy: "halt" }),
    whole: BROKEN,
    stream: CUT,
    streamAtOnce: BROKEN,
  },
  {
    name: "stays open behind a whole answer",
    plan: ({ body, isStream }) => ({
      rawHttp: chunked(isStream, chunk(body) + (isStream ? "" : "0\r\n\r\n")),
      cutBy: "halt",
    }),
    whole: WHOLE,
    stream: WHOLE,
  },
];

/** A fault of what is said over a connection that holds. */
const CONTENT_FAULTS: readonly Fault[] = [
  {
    name: "sends JSON that is cut",
    plan: ({ begin, isStream }) => (isStream ? asStream(CUT_EVENT) : { rawBody: begin }),
    whole: FAILED,
    stream: FAILED,
  },
  {
    name: "sends an event of cut JSON behind words",
    plan: ({ begin, isStream }) => (isStream ? { rawBody: [begin, CUT_EVENT] } : { rawBody: `${begin}\n` }),
    whole: FAILED,
    stream: CUT_BY_VENDOR,
  },
  { name: "answers with nothing", plan: () => ({ rawBody: "" }), whole: FAILED, stream: FAILED },
  {
    name: "answers with a status for nothing",
    plan: () => ({ status: 204, rawBody: "" }),
    whole: FAILED,
    stream: FAILED,
  },
  {
    name: "sends an empty object, or a stream of nothing but comments",
    plan: ({ isStream }) => (isStream ? asStream(": wait\n\n: wait\n\n") : { rawBody: "{}" }),
    whole: FAILED,
    stream: BROKEN,
  },
  {
    name: "sends a page of HTML",
    plan: () => ({ rawBody: "<html><body>Welcome</body></html>", contentType: "text/html" }),
    whole: FAILED,
    stream: FAILED,
  },
  {
    name: "sends an error with a status of success",
    plan: ({ error, isStream }) => (isStream ? asStream(error) : { rawBody: error }),
    whole: FAILED,
    stream: FAILED,
  },
  {
    name: "sends an error behind words",
    plan: ({ begin, error, isStream }) => ({ rawBody: isStream ? [begin, error] : error }),
    whole: FAILED,
    stream: CUT_BY_VENDOR,
  },
  {
    name: "compresses its answer",
    plan: ({ body, isStream }) => ({ rawBody: body, isGzipped: true, contentType: typeOf(isStream) }),
    whole: WHOLE,
    stream: WHOLE,
  },
  {
    name: "says gzip and sends plain text",
    plan: ({ body, isStream }) => ({
      rawBody: body,
      contentType: typeOf(isStream),
      headers: { "content-encoding": "gzip" },
    }),
    whole: BROKEN,
    stream: BROKEN,
  },
  {
    name: "cuts its compressed answer",
    plan: ({ body, isStream }) => ({
      rawBody: gzipSync(body).subarray(0, 60),
      contentType: typeOf(isStream),
      headers: { "content-encoding": "gzip" },
    }),
    whole: BROKEN,
    stream: BROKEN,
  },
  {
    name: "leaves out the blank lines between its events, which come in small pieces",
    plan: ({ body, isStream }) =>
      isStream ? { ...asStream(body.replaceAll("\n\n", "\n")), pieceBytes: 50 } : { rawBody: body },
    whole: WHOLE,
    stream: WHOLE,
  },
  {
    name: "calls its events plain text",
    plan: ({ isStream }) => (isStream ? { contentType: "text/plain; charset=utf-8" } : {}),
    whole: WHOLE,
    stream: WHOLE,
  },
];

/** Usage that is not what was delivered. */
const USAGE_FAULTS: readonly Fault[] = [
  { name: "counts nothing", plan: () => ({ usage: null }), whole: COUNTED, stream: COUNTED },
  {
    name: "counts no output",
    plan: ({ vendor }) => ({ usage: usageOf(vendor, 13, 0) }),
    whole: COUNTED,
    stream: COUNTED,
  },
  {
    name: "counts no input",
    plan: ({ vendor }) => ({ usage: usageOf(vendor, 0, 14) }),
    whole: COUNTED,
    stream: COUNTED,
  },
  {
    name: "counts more than anything is",
    plan: ({ vendor }) => ({ usage: usageOf(vendor, 1e300, 1e300) }),
    whole: COUNTED,
    stream: COUNTED,
  },
  {
    name: "counts below zero",
    plan: ({ vendor }) => ({ usage: usageOf(vendor, -5, -7) }),
    whole: COUNTED,
    stream: COUNTED,
  },
  {
    name: "counts in words",
    plan: ({ vendor }) => ({ usage: usageOf(vendor, "many", {}) }),
    whole: COUNTED,
    stream: COUNTED,
  },
];

export const FAULTS: readonly Fault[] = [...CONNECTION_FAULTS, ...CONTENT_FAULTS, ...USAGE_FAULTS];
