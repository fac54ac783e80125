/** Passes an OpenAI-style stream through unchanged: frames are recognised by scanning, and those missing at the end are added. */
import type { AnswerInfo, ErrorInfo } from "../../neutral/info.ts";
import type { FrameKind, PassthroughOptions, StreamPipe } from "../../stream/stream.ts";
import type { Usage } from "../../../../../contract/src/pricing/usage.ts";
import { errorFrame } from "../errors.ts";
import { DONE_FRAME, usageFrame } from "./frames.ts";
import { countString } from "../../json/escapes.ts";
import { parseObject } from "../../json/fields.ts";
import { brokenChunk, brokenText } from "../finish.ts";
import { findUsage } from "../usage.ts";
import { TokenEstimate } from "../../neutral/token-estimate.ts";
import { skipBlanks } from "../../neutral/usage-counts.ts";

/**
 * `delta` is sent at once. `finish`, `usage` and `done` close the answer and wait for the settlement. `error` is the upstream's own
 * error frame. `other` is a comment or an event without data.
 */
export type ChatFrameKind = "delta" | "finish" | "usage" | "done" | "error" | "other";

/** Keys whose string values are text of the answer; a longer key's end is enough. */
const TEXT_KEYS = ['content":', '"text":', '"reasoning":', '"arguments":', '"refusal":'] as const;

/** Reads a running stream: classify every event in order, then look at the fields. */
export class StreamTap {
  /** Text of the answer delivered so far. */
  readonly words = new TokenEstimate();
  /** Events that carried some of the answer. */
  deltas = 0;
  /** Every choice that was asked for has ended. */
  hasFinish = false;
  hasDone = false;
  /** Usage as the upstream wrote it last; undefined while none came. */
  rawUsage: unknown = undefined;
  /** Text of the upstream's error frame. */
  errorText = "";
  readonly #choices: number;
  #finished = 0;

  /** `choices` is how many answers were asked for. */
  constructor(choices = 1) {
    this.#choices = choices;
  }

  /** Kind of one event. `text` is its bytes as Latin-1. */
  classify(text: string): ChatFrameKind {
    const data = text.startsWith("data:") ? 0 : text.indexOf("\ndata:") + 1;
    if (data === 0 && !text.startsWith("data:")) return "other";
    const start = skipBlanks(text, data + 5);
    if (text.startsWith("[DONE]", start)) {
      this.hasDone = true;
      return "done";
    }
    if (text.indexOf('"choices"', start) < 0 && isError(text, start)) {
      this.errorText = Buffer.from(text.slice(start).trimEnd(), "latin1").toString("utf8");
      return "error";
    }
    const isUsage = this.#readUsage(text);
    this.#countText(text);
    const finishes = countFinishes(text);
    if (finishes > 0 || text.indexOf('"error":{', start) >= 0) {
      this.errorText = brokenOff(text.slice(start));
      if (this.errorText !== "") return "error";
    }
    if (finishes > 0) {
      this.#finished += finishes;
      this.hasFinish = this.#finished >= this.#choices;
      return "finish";
    }
    return isUsage && /"choices":\s*\[\s*\]/.test(text) ? "usage" : "delta";
  }

  #readUsage(text: string): boolean {
    const key = text.indexOf('"usage":');
    if (key < 0 || text.charCodeAt(skipBlanks(text, key + 8)) !== 123) return false;
    const found = findUsage(text);
    if (found === undefined) return false;
    this.rawUsage = found;
    return true;
  }

  #countText(text: string): void {
    const before = this.words.bytes;
    for (const key of TEXT_KEYS) {
      for (let at = text.indexOf(key); at >= 0; at = text.indexOf(key, at + key.length))
        countString(this.words, text, at + key.length);
      // A vendor's frame carries text of one kind; the other keys need not be searched.
      if (this.words.bytes > before) break;
    }
    if (this.words.bytes > before) this.deltas += 1;
  }
}

export class ChatPassthrough extends StreamTap implements StreamPipe {
  out = "";
  readonly #info: AnswerInfo;
  readonly #options: PassthroughOptions;
  #done: Buffer | undefined = undefined;

  constructor(info: AnswerInfo, options: PassthroughOptions) {
    super(options.choices);
    this.#info = info;
    this.#options = options;
  }

  push(bytes: Buffer, text: string): FrameKind {
    const kind = this.classify(text);
    this.out = text;
    switch (kind) {
      case "delta":
        if (this.#options.hidesUsage) this.out = withoutEmptyUsage(text);
        return "delta";
      case "finish":
        if (this.#options.hidesUsage) this.out = withoutEmptyUsage(text);
        return "closing";
      case "usage":
        if (!this.#info.asksUsage) this.out = "";
        return "closing";
      case "done":
        this.out = "";
        this.#done = bytes;
        return "closing";
      default:
        return kind;
    }
  }

  /** A usage frame that was asked for and never came is added, and so is `[DONE]`. */
  closing(usage: Usage): Buffer[] {
    const frames: Buffer[] = [];
    if (this.#info.asksUsage && this.rawUsage === undefined)
      frames.push(Buffer.from(usageFrame(this.#info, this.#options.isChat, usage)));
    frames.push(this.#done ?? Buffer.from(DONE_FRAME));
    return frames;
  }

  failing(error: ErrorInfo): Buffer {
    return Buffer.from(errorFrame(error));
  }
}

/** An event without choices that carries an error, in front, behind other keys, or by its event name. */
function isError(text: string, start: number): boolean {
  return text.startsWith('{"error"', start) || text.startsWith("event: error") || text.indexOf('"error":{', start) >= 0;
}

/** The error of an event that ends a choice by the vendor's own fault, or has one beside its choices; empty for any other. `data` is its bytes as Latin-1. */
function brokenOff(data: string): string {
  const fields = parseObject(Buffer.from(data, "latin1").toString("utf8")) ?? {};
  const word = brokenChunk(fields);
  return word === undefined ? "" : brokenText(fields, word);
}

/** Choices that end with this event; some vendors write an empty reason into every event before. */
function countFinishes(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"finish_reason":'); at >= 0; at = text.indexOf('"finish_reason":', at + 16)) {
    const value = skipBlanks(text, at + 16);
    if (text.charCodeAt(value) === 34 && text.charCodeAt(value + 1) !== 34) count += 1;
  }
  return count;
}

const EMPTY_USAGE = /"usage":[ \t]*null/g;

/**
 * The event without the member `"usage":null`, which upstreams put into every chunk once they are asked for usage: for clients that
 * did not ask. `text` is the event's bytes as Latin-1. Every other byte stays; an event that has none comes back as it is.
 */
export function withoutEmptyUsage(text: string): string {
  if (text.indexOf('"usage":') < 0) return text;
  EMPTY_USAGE.lastIndex = 0;
  for (let found = EMPTY_USAGE.exec(text); found !== null; found = EMPTY_USAGE.exec(text)) {
    const valueEnd = EMPTY_USAGE.lastIndex;
    if (isTopLevel(text, valueEnd)) return cutMember(text, found.index, valueEnd);
  }
  return text;
}

/** True where only the object that the position lies in is closed behind it, and nothing around that. */
function isTopLevel(text: string, position: number): boolean {
  let depth = 1;
  for (let at = position; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 34) at = closingQuote(text, at);
    else if (code === 123 || code === 91) depth += 1;
    else if (code === 125 || code === 93) depth -= 1;
    if (depth === 0) return skipBlanks(text, at + 1) >= text.length;
  }
  return false;
}

/** Position of the quote that ends the string opened at `start`; the text's length where there is none. */
function closingQuote(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 34) return at;
    if (code === 92) at += 1;
  }
  return text.length;
}

/** Takes a member out together with the comma before it, or the one behind where it is the first. */
function cutMember(text: string, keyStart: number, valueEnd: number): string {
  let from = keyStart;
  let to = valueEnd;
  while (text.charCodeAt(from - 1) === 32) from -= 1;
  if (text.charCodeAt(from - 1) === 44) from -= 1;
  else {
    from = keyStart;
    const next = skipBlanks(text, valueEnd);
    if (text.charCodeAt(next) === 44) to = skipBlanks(text, next + 1);
  }
  return text.slice(0, from) + text.slice(to);
}
