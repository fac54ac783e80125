/** Reads the events of a response into its message: text, reasoning, tool calls, usage, errors; and its tokens a second. Pure but for pauses between reads. */
import { shortageOf } from "../../../lib/shortage.ts";
import type { Failure, Figures, Message, Source, ToolCall } from "./conversation.ts";

const DONE = "[DONE]";

/** Takes the text of an event stream piece by piece and gives the data of each whole event. */
export class EventReader {
  #rest = "";

  /** @param isEnd gives what stands in a last line without its end too */
  push(text: string, isEnd = false): string[] {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = isEnd ? "" : (lines.pop() ?? "");
    return lines.flatMap((line) => (line.startsWith("data:") ? [line.slice("data:".length).trimStart()] : []));
  }
}

/** What one event says; `undefined` where it says nothing to us. */
export type StreamEvent =
  | { kind: "done" }
  | { kind: "failure"; failure: Failure }
  | { kind: "chunk"; delta: Record<string, unknown>; usage: Partial<Figures> };

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The relay ends its sentences with the request id, which is shown beside them. */
const REQUEST_ID = / \(request id: [^)]*\)$/;

/** The failure in a body of the relay or of the console; `HTTP 502` where it says nothing. */
export function failureOf(status: number, body: unknown): Failure {
  const { error, message: plain, code: ownCode } = recordOf(body);
  const { message, code, type } = recordOf(error);
  const shortage = shortageOf(error);
  const said = textOf(message) || textOf(error) || textOf(plain);
  return {
    message: said === "" ? `HTTP ${status}` : said.replace(REQUEST_ID, ""),
    code: textOf(code) || textOf(ownCode) || textOf(type),
    status,
    ...(shortage === undefined ? {} : { shortage }),
  };
}

function usageOf(value: unknown): Partial<Figures> {
  const { prompt_tokens, completion_tokens } = recordOf(value);
  return {
    ...(typeof prompt_tokens === "number" ? { promptTokens: prompt_tokens } : {}),
    ...(typeof completion_tokens === "number" ? { completionTokens: completion_tokens } : {}),
  };
}

const BROKEN: Failure = { message: "", code: "broken_stream", status: 200 };

/** Reads the data of one event. */
export function readEvent(data: string): StreamEvent {
  if (data === DONE) return { kind: "done" };
  let parsed: unknown;
  try {
    parsed = JSON.parse(data);
  } catch {
    return { kind: "failure", failure: BROKEN };
  }
  const event = recordOf(parsed);
  if (event["error"] !== undefined && event["error"] !== null)
    return { kind: "failure", failure: failureOf(200, event) };
  const choice = recordOf(listOf(event["choices"])[0]);
  // Some upstreams answer a stream in one piece.
  return { kind: "chunk", delta: recordOf(choice["delta"] ?? choice["message"]), usage: usageOf(event["usage"]) };
}

interface CallPiece {
  index: number;
  id: string;
  name: string;
  text: string;
  extra: unknown;
}

function callPieces(delta: Record<string, unknown>): CallPiece[] {
  return listOf(delta["tool_calls"]).map((value, place) => {
    const piece = recordOf(value);
    const called = recordOf(piece["function"]);
    return {
      index: typeof piece["index"] === "number" ? piece["index"] : place,
      id: textOf(piece["id"]),
      name: textOf(called["name"]),
      text: textOf(called["arguments"]),
      extra: piece["extra_content"],
    };
  });
}

function withCalls(calls: readonly ToolCall[], pieces: readonly CallPiece[]): ToolCall[] {
  const next = [...calls];
  for (const { index, id, name, text, extra } of pieces) {
    // Indexes of one stream count up from 0; one that skips ahead is taken as the next.
    const at = Math.min(index, next.length);
    const old = next[at] ?? { id: "", name: "", arguments: "" };
    const kept = extra ?? old.extra;
    next[at] = {
      id: id === "" ? old.id || `call_${at}` : id,
      name: old.name + name,
      arguments: old.arguments + text,
      ...(kept === undefined ? {} : { extra: kept }),
    };
  }
  return next;
}

function sourcesOf(delta: Record<string, unknown>): Source[] {
  return listOf(delta["annotations"]).flatMap((value) => {
    const { url, title } = recordOf(recordOf(value)["url_citation"]);
    return typeof url === "string" ? [{ url, title: textOf(title) || url }] : [];
  });
}

/** Each address once, with the first title it was given. */
const withSources = (known: readonly Source[], found: readonly Source[]): Source[] =>
  [...new Map([...known, ...found].toReversed().map((source) => [source.url, source])).values()].toReversed();

/** Pictures that models draw into an answer, where they come apart from its words. */
const pictureText = (delta: Record<string, unknown>): string =>
  listOf(delta["images"])
    .map((image) => textOf(recordOf(recordOf(image)["image_url"])["url"]))
    .filter((url) => url.startsWith("data:image/"))
    .map((url) => `\n\n![](${url})\n\n`)
    .join("");

/** Words of an answer's content, which some vendors cut into parts. */
const contentText = (content: unknown): string =>
  typeof content === "string"
    ? content
    : listOf(content)
        .map((part) => textOf(recordOf(part)["text"]))
        .join("");

/** Whether the delta has a word, a thought or a call: the first such one ends the wait. */
const hasWords = (delta: Record<string, unknown>): boolean =>
  contentText(delta["content"]) !== "" ||
  textOf(delta["refusal"]) !== "" ||
  textOf(delta["reasoning_content"]) !== "" ||
  textOf(delta["reasoning"]) !== "" ||
  listOf(delta["tool_calls"]).length > 0 ||
  listOf(delta["images"]).length > 0;

/** The message with what the delta adds. */
export function withDelta(message: Message, delta: Record<string, unknown>): Message {
  const text = contentText(delta["content"]) + textOf(delta["refusal"]) + pictureText(delta);
  const reasoning = textOf(delta["reasoning_content"]) || textOf(delta["reasoning"]);
  const details = listOf(delta["reasoning_details"]);
  const pieces = callPieces(delta);
  const sources = sourcesOf(delta);
  return {
    ...message,
    status: message.status === "loading" && !hasWords(delta) ? "loading" : "incomplete",
    content: message.content + text,
    ...(reasoning === "" ? {} : { reasoning: (message.reasoning ?? "") + reasoning }),
    ...(details.length === 0 ? {} : { reasoningDetails: [...(message.reasoningDetails ?? []), ...details] }),
    ...(pieces.length === 0 ? {} : { toolCalls: withCalls(message.toolCalls ?? [], pieces) }),
    ...(sources.length === 0 ? {} : { sources: withSources(message.sources ?? [], sources) }),
  };
}

/** Thinking that came as `<think>…</think>` at the begin of the words, apart from them. */
export function thinkingApart({ content, reasoning = "" }: Pick<Message, "content" | "reasoning">): {
  content: string;
  reasoning: string;
  /** The thinking has not ended yet. */
  isOpen: boolean;
} {
  const [, thinking, end, rest = ""] = /^\s*<think>([\s\S]*?)(<\/think>|$)([\s\S]*)$/.exec(content) ?? [];
  if (thinking === undefined) return { content, reasoning, isOpen: false };
  return { content: rest.trimStart(), reasoning: reasoning + thinking.trim(), isOpen: end === "" };
}

/** Shorter writing than this says nothing about speed. */
const LEAST_MS = 50;

/** Tokens a second from the first token to the last; undefined where it cannot be said. */
export function tokensPerSecond({ firstTokenMs, totalMs, completionTokens }: Figures): number | undefined {
  if (firstTokenMs === undefined || totalMs === undefined || !completionTokens) return undefined;
  const writingMs = totalMs - firstTokenMs;
  return writingMs < LEAST_MS ? undefined : (completionTokens * 1000) / writingMs;
}
