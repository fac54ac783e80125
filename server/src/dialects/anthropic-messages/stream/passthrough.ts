/** Passes an Anthropic stream through unchanged: events are recognised by scanning, delivered text counted, usage merged. */
import type { ToolCalls } from "../../../../../contract/src/pricing/usage.ts";
import { isSearchResult, mergeUsage, startUsage } from "../usage.ts";
import { errorFields } from "../errors.ts";
import type { ErrorInfo } from "../../neutral/info.ts";
import type { FrameKind, StreamPipe } from "../../stream/stream.ts";
import { objectOf, parseObject, textOf } from "../../json/fields.ts";
import { countString } from "../../json/escapes.ts";
import { eventFrame, readEvent } from "../../stream/sse-event.ts";
import { findObject, skipBlanks, noteToolCall } from "../../neutral/usage-counts.ts";
import { TokenEstimate } from "../../neutral/token-estimate.ts";

/** Keys whose string values are text of the answer; an event has one of them. */
const WORD_KEYS = ['"text":', '"partial_json":', '"thinking":'] as const;
const SEARCH_MARK = '"web_search_tool_result"';
const NAME_KEYS = ['"name":', '"text":', '"thinking":'] as const;

const EVENT_TYPES: ReadonlySet<string> = new Set([
  "content_block_delta",
  "content_block_start",
  "content_block_stop",
  "message_start",
  "message_delta",
  "message_stop",
  "ping",
  "error",
]);

/** The string value behind the first `"type"`; the vendor writes it first of all keys. */
function firstType(text: string): string {
  const key = text.indexOf('"type":');
  const start = key < 0 ? -1 : skipBlanks(text, key + 7);
  return start < 0 || text.charCodeAt(start) !== 34 ? "" : text.slice(start + 1, text.indexOf('"', start + 1));
}

/** Type of an event: its name, else what its data says; parsed only where gateways write keys in another order. */
function typeOf(bytes: Buffer, text: string): string {
  const start = text.startsWith("event:") ? 6 : text.indexOf("\nevent:") + 7;
  if (start >= 7 || text.startsWith("event:")) {
    const name = text.slice(start, text.indexOf("\n", start)).trim();
    if (EVENT_TYPES.has(name)) return name;
  }
  const type = firstType(text);
  if (type === "" || EVENT_TYPES.has(type)) return type;
  return textOf(parseObject(readEvent(bytes, text).data)?.["type"]);
}

export class AnthropicPassthrough implements StreamPipe {
  readonly words = new TokenEstimate();
  deltas = 0;
  hasFinish = false;
  hasDone = false;
  rawUsage: unknown = undefined;
  readonly toolCalls: ToolCalls[] = [];
  errorText = "";
  out = "";
  #done: Buffer | undefined = undefined;

  push(bytes: Buffer, text: string): FrameKind {
    this.out = text;
    switch (typeOf(bytes, text)) {
      case "content_block_delta":
        this.#count(text, WORD_KEYS);
        return "delta";
      case "content_block_start":
        this.#count(text, NAME_KEYS);
        this.#noteSearch(bytes, text);
        return "delta";
      case "content_block_stop":
        return "delta";
      case "message_start":
        this.rawUsage = startUsage(findObject(text, '"usage"'));
        return "delta";
      case "message_delta":
        return this.#finish(text);
      case "message_stop":
        this.out = "";
        this.#done = bytes;
        this.hasDone = true;
        return "closing";
      case "error":
        this.errorText = readEvent(bytes, text).data;
        return "error";
      default:
        return this.#other(bytes, text);
    }
  }

  /** Comments, pings and kinds the vendor may add pass through; a bare error object of a gateway is an error. */
  #other(bytes: Buffer, text: string): FrameKind {
    if (text.indexOf('"error"') < 0) return "other";
    const { data } = readEvent(bytes, text);
    if (parseObject(data)?.["error"] === undefined) return "other";
    this.errorText = data;
    return "error";
  }

  #noteSearch(bytes: Buffer, text: string): void {
    if (!text.includes(SEARCH_MARK)) return;
    const block = objectOf(parseObject(readEvent(bytes, text).data)?.["content_block"]);
    if (isSearchResult(block)) noteToolCall(this.toolCalls, "web_search");
  }

  #readUsage(text: string): void {
    this.rawUsage = mergeUsage(this.rawUsage, findObject(text, '"usage"'));
  }

  #finish(text: string): FrameKind {
    this.#readUsage(text);
    const key = text.indexOf('"stop_reason":');
    if (key < 0 || text.charCodeAt(skipBlanks(text, key + 14)) !== 34) return "delta";
    this.hasFinish = true;
    return "closing";
  }

  #count(text: string, keys: readonly string[]): void {
    const before = this.words.bytes;
    for (const key of keys) {
      const at = text.indexOf(key);
      if (at >= 0) countString(this.words, text, at + key.length);
      if (this.words.bytes > before) break;
    }
    if (this.words.bytes > before) this.deltas += 1;
  }

  closing(): Buffer[] {
    return [this.#done ?? Buffer.from(eventFrame("message_stop", { type: "message_stop" }))];
  }

  failing(error: ErrorInfo): Buffer {
    return Buffer.from(`event: error\ndata: ${error.verbatim ?? JSON.stringify(errorFields(error))}\n\n`);
  }
}
