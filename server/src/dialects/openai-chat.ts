/** OpenAI's chat, completions and embeddings as a wire format: what a request asks for, the edits before sending, errors and closing frames. */
import { isAscii } from "node:buffer";
import type { Usage } from "../../../contract/src/usage.ts";
import { type JsonTop, fieldOf, patchTopLevel, readTopLevel, valueOf } from "./json-bytes.ts";

/** What the line needs to know of a request; read from its bytes without parsing messages. */
export interface ChatRequest {
  top: JsonTop;
  /** Empty where it is missing or no string. */
  model: string;
  isStream: boolean;
  /** stream_options.include_usage as the client sent it. */
  asksUsage: boolean;
  /** The larger of max_tokens and max_completion_tokens; undefined where neither is a whole number above 0. */
  maxTokens: number | undefined;
  choices: number;
  /** Bytes of words in the request: estimates are made of these. */
  asciiBytes: number;
  otherBytes: number;
  mediaParts: number;
}

const positive = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 1 ? Math.ceil(value) : undefined;

/** Bytes above 127; counted only where there are any, which a native check finds out. */
function otherBytesOf(body: Buffer): number {
  if (isAscii(body)) return 0;
  let count = 0;
  for (const byte of body) if (byte > 127) count += 1;
  return count;
}

const maximum = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || (b !== undefined && b > a) ? b : a;

/** Reads a body. Throws JsonFault for what is no JSON object or nests deeper than `maxDepth`. */
export function readChatRequest(body: Buffer, maxDepth: number): ChatRequest {
  const top = readTopLevel(body.toString("latin1"), maxDepth);
  const read = (name: string): unknown => valueOf(body, top, name);
  const model = read("model");
  const isStream = read("stream") === true;
  const options = isStream ? read("stream_options") : undefined;
  const otherBytes = Math.min(top.stringBytes, otherBytesOf(body));
  return {
    top,
    model: typeof model === "string" ? model : "",
    isStream,
    asksUsage:
      typeof options === "object" && options !== null && "include_usage" in options && options.include_usage === true,
    maxTokens: maximum(positive(read("max_tokens")), positive(read("max_completion_tokens"))),
    choices: positive(read("n")) ?? 1,
    asciiBytes: top.stringBytes - otherBytes,
    otherBytes,
    mediaParts: top.mediaParts,
  };
}

/** JSON text of stream_options with include_usage on, the client's other options kept; undefined where it already is on. */
export function forcedStreamOptions(body: Buffer, request: ChatRequest): string | undefined {
  if (request.asksUsage) return undefined;
  const field = fieldOf(request.top, "stream_options");
  const fresh = '{"include_usage":true}';
  if (field === undefined) return fresh;
  const own = body.subarray(field.valueStart, field.valueEnd);
  if (own[0] !== 123) return fresh;
  return patchTopLevel(own, readTopLevel(own.toString("latin1"), 64), new Map([["include_usage", "true"]])).toString(
    "utf8",
  );
}

export interface OpenAiError {
  message: string;
  type: string;
  param?: string | null;
  code?: string | null;
}

/** The error envelope: `{"error":{...}}`, every field present as the official SDKs expect. */
export const errorEnvelope = (error: OpenAiError): string =>
  JSON.stringify({
    error: { message: error.message, type: error.type, param: error.param ?? null, code: error.code ?? null },
  });

/** An error inside a stream that has begun. */
export const errorFrame = (error: OpenAiError): string => `data: ${errorEnvelope(error)}\n\n`;

export const DONE_FRAME = "data: [DONE]\n\n";
/** A comment that keeps a connection open; clients ignore it. */
export const PING_FRAME = ": PING\n\n";

/** The frame a client asked for and the upstream left out. */
export function usageFrame(id: string, model: string, isChat: boolean, usage: Usage, createdAt: number): string {
  const counts = {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
  const object = isChat ? "chat.completion.chunk" : "text_completion";
  return `data: ${JSON.stringify({ id, object, created: createdAt, model, choices: [], usage: counts })}\n\n`;
}

/** Words of a request that a list of forbidden words is held against: messages, prompt, input. */
export function textsOf(body: Buffer): string[] {
  const texts: string[] = [];
  collect(JSON.parse(body.toString("utf8")), texts);
  return texts;
}

/** Text parts of a parsed request; images and encoded media are passed over. */
function collect(value: unknown, texts: string[]): void {
  if (typeof value !== "object" || value === null) return;
  for (const name of ["messages", "prompt", "input", "instruction"] as const) {
    if (name in value) collectText((value as Record<string, unknown>)[name], texts);
  }
}

function collectText(value: unknown, texts: string[]): void {
  if (typeof value === "string") texts.push(value);
  else if (Array.isArray(value)) for (const part of value) collectText(part, texts);
  else if (typeof value === "object" && value !== null) {
    for (const name of ["content", "text"])
      if (name in value) collectText((value as Record<string, unknown>)[name], texts);
  }
}
