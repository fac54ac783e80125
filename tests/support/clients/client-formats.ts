/** The four formats as a test's own client writes and reads them: requests, text, errors and the end event. */
import type { DialectName } from "../../../server/src/dialects/neutral/neutral.ts";

/** One event of a stream as a client sees it. */
export interface SeenEvent {
  /** Empty where it has no name. */
  event: string;
  /** Parsed data; the text itself where it is no JSON. */
  data: unknown;
}

export interface ClientFormat {
  name: DialectName;
  path(model: string, isStream: boolean): string;
  body(model: string, isStream: boolean, text: string): object;
  /** Text of the answer in one event; empty if it has none. */
  words(data: Fields): string;
  /** Text of a buffered answer. */
  wholeWords(data: Fields): string;
  /** True for the event after which a client takes the answer for whole. */
  isEnd(seen: SeenEvent): boolean;
  /** How the format names the error in a body or an event; undefined where there is none. */
  errorIn(data: Fields): string | undefined;
}

export type Fields = Readonly<Record<string, unknown>>;

/** An object, or an empty one for anything else. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
/** Found in a request, in any format, that brings the result of a call. */
export const HAS_RESULT =
  /"tool_result"|"role":"(?:tool|function)"|"functionResponse"|"(?:function|custom_tool|tool_search)_(?:call_)?output"/;

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const firstOf = (value: unknown): Fields => fieldsOf(listOf(value)[0]);
const joined = (values: readonly unknown[], read: (fields: Fields) => unknown): string =>
  values.map((value) => textOf(read(fieldsOf(value)))).join("");

const openAiError = (data: Fields): string | undefined => {
  const { error } = data;
  return typeof error === "object" && error !== null ? textOf(fieldsOf(error)["code"]) : undefined;
};

const openAiChat: ClientFormat = {
  name: "openai-chat",
  path: () => "/v1/chat/completions",
  body: (model, stream, content) => ({ model, stream, messages: [{ role: "user", content }] }),
  words: (data) => textOf(fieldsOf(firstOf(data["choices"])["delta"])["content"]),
  wholeWords: (data) => textOf(fieldsOf(firstOf(data["choices"])["message"])["content"]),
  isEnd: ({ data }) => data === "[DONE]",
  errorIn: openAiError,
};

const openAiResponses: ClientFormat = {
  name: "openai-responses",
  path: () => "/v1/responses",
  body: (model, stream, input) => ({ model, stream, input }),
  words: (data) => (data["type"] === "response.output_text.delta" ? textOf(data["delta"]) : ""),
  wholeWords: (data) =>
    joined(listOf(data["output"]), (item) => joined(listOf(item["content"]), (part) => part["text"])),
  isEnd: ({ event }) => event === "response.completed" || event === "response.incomplete",
  errorIn: (data) => {
    if (data["type"] === "error") return textOf(data["code"]);
    if (data["type"] === "response.failed") return openAiError(fieldsOf(data["response"]));
    return openAiError(data);
  },
};

const anthropicMessages: ClientFormat = {
  name: "anthropic-messages",
  path: () => "/v1/messages",
  body: (model, stream, content) => ({ model, stream, max_tokens: 2048, messages: [{ role: "user", content }] }),
  words: (data) => textOf(fieldsOf(data["delta"])["text"]),
  wholeWords: (data) => joined(listOf(data["content"]), (block) => block["text"]),
  isEnd: ({ event }) => event === "message_stop",
  errorIn: (data) => (data["type"] === "error" ? textOf(fieldsOf(data["error"])["type"]) : undefined),
};

const geminiText = (data: Fields): string =>
  joined(listOf(fieldsOf(firstOf(data["candidates"])["content"])["parts"]), (part) => part["text"]);

const gemini: ClientFormat = {
  name: "gemini",
  path: (model, isStream) =>
    `/v1beta/models/${model}:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  body: (_model, _isStream, text) => ({ contents: [{ role: "user", parts: [{ text }] }] }),
  words: geminiText,
  wholeWords: geminiText,
  isEnd: ({ data }) => textOf(firstOf(fieldsOf(data)["candidates"])["finishReason"]) !== "",
  errorIn: (data) => {
    const error = data["error"];
    return typeof error === "object" ? textOf(fieldsOf(error)["status"]) : undefined;
  },
};

export const CLIENT_FORMATS: readonly ClientFormat[] = [openAiChat, openAiResponses, anthropicMessages, gemini];

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data; // [DONE], or what no client can read
  }
}

/** Whole events of a stream as far as it came; comments are left out, and so is what no blank line has ended. */
export function eventsIn(stream: string): SeenEvent[] {
  const blocks = stream.split(/\r?\n\r?\n/).slice(0, -1);
  return blocks.flatMap((block) => {
    const lines = block.split(/\r?\n/);
    const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trim());
    if (data.length === 0) return [];
    const event = lines.find((line) => line.startsWith("event:"))?.slice(6) ?? "";
    return [{ event: event.trim(), data: parsed(data.join("\n")) }];
  });
}

/** Text of a stream as far as it came. */
export const wordsIn = (format: ClientFormat, events: readonly SeenEvent[]): string =>
  events.map(({ data }) => format.words(fieldsOf(data))).join("");
