/** Passes a Responses stream through unchanged: events are recognised by their type, and their text counted. */
import type { ToolCalls } from "../../../../../contract/src/pricing/usage.ts";
import type { AnswerInfo, ErrorInfo } from "../../neutral/info.ts";
import type { FrameKind, StreamPipe } from "../../stream/stream.ts";
import { createEnvelope } from "../answer-envelope.ts";
import { responseError } from "../errors.ts";
import { CalledTools, findEventUsage, mayBeCall } from "../usage.ts";
import { countString } from "../../json/escapes.ts";
import { eventFrame, readEvent } from "../../stream/sse-event.ts";
import { isObject, ownOf, parseObject } from "../../json/fields.ts";
import { noteToolCall, skipBlanks } from "../../neutral/usage-counts.ts";
import { TokenEstimate } from "../../neutral/token-estimate.ts";

const ITEM_DONE = "response.output_item.done";
const DELTA = '"delta":';
const SEQUENCE = '"sequence_number":';

/** Events with a meaning for the relay; every other one that ends in `.delta` is text, the rest passes. */
const KINDS: Readonly<Record<string, FrameKind>> = {
  "response.completed": "closing",
  "response.incomplete": "closing",
  "response.failed": "error",
  error: "error",
};

/** For upstreams without event names: types of events are distinguished from those of items by their values. */
const DATA_TYPE = /"type":\s*"(response\.[a-z_.]+|error)"/;

const typeOf = (text: string): string =>
  text.startsWith("event:") ? text.slice(6, text.indexOf("\n")).trim() : (DATA_TYPE.exec(text)?.[1] ?? "");

export class ResponsesPassthrough implements StreamPipe {
  readonly words = new TokenEstimate();
  deltas = 0;
  hasFinish = false;
  hasDone = false;
  rawUsage: unknown = undefined;
  readonly toolCalls: ToolCalls[] = [];
  errorText = "";
  out = "";
  readonly #info: AnswerInfo;
  readonly #called = new CalledTools();
  #sequence = 0;

  constructor(info: AnswerInfo) {
    this.#info = info;
  }

  push(bytes: Buffer, text: string): FrameKind {
    this.out = text;
    const type = typeOf(text);
    if (type === "") return this.#untyped(bytes, text);
    this.#follow(text);
    const kind = ownOf(KINDS, type);
    if (kind === "closing") this.#close(text);
    else if (kind === "error") this.errorText = readEvent(bytes, text).data;
    else if (type.endsWith(".delta")) return this.#count(text) ? "delta" : "other";
    else if (type === ITEM_DONE) this.#noteCall(bytes, text);
    return kind ?? "other";
  }

  /** Comments, and errors of gateways that know no types. */
  #untyped(bytes: Buffer, text: string): FrameKind {
    if (!text.includes('"error":')) return "other";
    this.errorText = readEvent(bytes, text).data;
    return "error";
  }

  #noteCall(bytes: Buffer, text: string): void {
    if (!mayBeCall(text)) return;
    const item = parseObject(readEvent(bytes, text).data)?.["item"];
    const call = isObject(item) ? this.#called.count(item) : undefined;
    if (call !== undefined) noteToolCall(this.toolCalls, call.tool, call.variant);
  }

  /** The last number seen, so that an error of our own can follow it. */
  #follow(text: string): void {
    const key = text.indexOf(SEQUENCE);
    if (key < 0) return;
    const number = Number.parseInt(text.slice(skipBlanks(text, key + SEQUENCE.length), key + 40), 10);
    if (number >= this.#sequence) this.#sequence = number + 1;
  }

  #close(text: string): void {
    this.hasFinish = true;
    this.hasDone = true;
    this.rawUsage = findEventUsage(text);
  }

  /** Counts the string under `delta`; false where it is empty or no string. */
  #count(text: string): boolean {
    const key = text.indexOf(DELTA);
    if (key < 0) return false;
    const before = this.words.bytes;
    countString(this.words, text, key + DELTA.length);
    const hasText = this.words.bytes > before;
    if (hasText) this.deltas += 1;
    return hasText;
  }

  /** Nothing stands behind the response: its last event is the end. */
  closing(): Buffer[] {
    return [];
  }

  failing(error: ErrorInfo): Buffer {
    const { code, message, param } = error;
    const failed = { status: "failed", output: [], usage: null, error: responseError(error) } as const;
    const response = createEnvelope(this.#info)(failed);
    const first = this.#sequence;
    return Buffer.from(
      eventFrame("error", { type: "error", sequence_number: first, code, message, param }) +
        eventFrame("response.failed", { type: "response.failed", sequence_number: first + 1, response }),
    );
  }
}
