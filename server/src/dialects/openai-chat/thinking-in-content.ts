/**
 * Moves thinking into the text of chat completions, between `<think>` and `</think>` (channel setting thinking_to_content), for clients that show
 * text only.
 */
import type { Usage } from "../../../../contract/src/pricing/usage.ts";
import type { ErrorInfo } from "../neutral/info.ts";
import type { FrameKind, StreamPipe } from "../stream/stream.ts";
import { parseExactObject } from "../json/exact.ts";
import { isObject, listOf, numberOf, objectOf, textOf } from "../json/fields.ts";
import type { JsonObject } from "../neutral/neutral.ts";
import { PipeWrapper } from "../stream/pipe-wrapper.ts";
import { dataFrame, latin1Of, readEvent } from "../stream/sse-event.ts";
import { MAX_CHOICES } from "./stream/decoder.ts";
import {
  REASONING_FIELDS,
  callSignature,
  detailPart,
  isCarried,
  isThinking,
  reasoningText,
  thinkingInParts,
} from "./signature.ts";

const OPENING = "<think>\n";
const CLOSING = "\n</think>\n";

const detailsText = (details: unknown): string =>
  listOf(details)
    .map((detail) => detailPart(detail)?.text ?? "")
    .join("");

/** The content without its thoughts: a text where nothing but text is left. */
function contentWithout(content: unknown): unknown {
  if (!Array.isArray(content) || !content.some(isThinking)) return content;
  const rest = content.filter((part) => !isThinking(part));
  const isText = rest.every((part) => typeof objectOf(part)["text"] === "string");
  return isText ? rest.map((part) => textOf(objectOf(part)["text"])).join("") : rest;
}

/** Calls without the proof they carry for the thinking before them: vendors refuse it without the thoughts. A call's own proof stays. */
function callsWithout(calls: unknown): unknown {
  const carries = (call: unknown): call is JsonObject => isObject(call) && isCarried(callSignature(call).signature);
  if (!Array.isArray(calls) || !calls.some(carries)) return calls;
  return calls.map((call: unknown) => {
    if (!carries(call)) return call;
    const { extra_content: _proof, ...rest } = call;
    return rest;
  });
}

const valueWithout = (name: string, value: unknown): unknown =>
  name === "content" ? contentWithout(value) : name === "tool_calls" ? callsWithout(value) : value;

/** A message or a delta without thinking, in every field that may have some. */
function withoutThinking(fields: JsonObject): JsonObject {
  const kept = Object.entries(fields).filter(([name]) => !REASONING_FIELDS.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, valueWithout(name, value)]));
}

const isSame = (left: JsonObject, right: JsonObject): boolean =>
  Object.keys(left).every((name) => left[name] === right[name]);

/** Sources stand at places in the content, which begins with `added` more characters now. */
function shifted(annotation: unknown, added: number): unknown {
  if (!isObject(annotation) || !isObject(annotation["url_citation"])) return annotation;
  const { url_citation: citation } = annotation;
  const [start, end] = [numberOf(citation["start_index"]), numberOf(citation["end_index"])];
  if (start === undefined || end === undefined) return annotation;
  return { ...annotation, url_citation: { ...citation, start_index: start + added, end_index: end + added } };
}

function withShifted(fields: JsonObject, added: number): JsonObject {
  const { annotations } = fields;
  if (added === 0 || !Array.isArray(annotations) || annotations.length === 0) return fields;
  return { ...fields, annotations: annotations.map((each) => shifted(each, added)) };
}

const prefixed = (prefix: string, content: unknown): unknown =>
  Array.isArray(content) ? [{ type: "text", text: prefix }, ...content] : prefix + textOf(content);

function wholeChoice(choice: unknown): unknown {
  const message = isObject(choice) ? choice["message"] : undefined;
  if (!isObject(choice) || !isObject(message)) return choice;
  const { reasoning_details: details, content } = message;
  const thoughts = reasoningText(message) || detailsText(details) || thinkingInParts(content);
  const plain = withoutThinking(message);
  if (thoughts === "") return { ...choice, message: plain };
  const prefix = OPENING + thoughts + CLOSING;
  const moved = { ...withShifted(plain, prefix.length), content: prefixed(prefix, plain["content"]) };
  return { ...choice, message: moved };
}

/** A buffered answer whose thinking stands at the front of its content. */
export const thinkingInContent = (answer: JsonObject): JsonObject => ({
  ...answer,
  choices: listOf(answer["choices"]).map(wholeChoice),
});

/** Anything of an answer that is not thinking: with it the thoughts have ended. */
function isAnswer(delta: JsonObject): boolean {
  const { content, refusal, tool_calls: calls, function_call: call, audio, images, annotations } = delta;
  const lists = [calls, images, annotations, content];
  return (
    [content, refusal].some((text) => textOf(text) !== "") ||
    lists.some((list) => listOf(list).length > 0) ||
    isObject(call) ||
    isObject(audio)
  );
}

/** What is known of one of the answers that come in a stream. */
interface ChoiceState {
  /** Thoughts came as plain text: the details repeat them. */
  hasPlain: boolean;
  /** Characters of content that were thoughts. */
  added: number;
}

/** The chunks that one chunk becomes, by their choices; they go out in this order. */
interface Split {
  thoughts: JsonObject[];
  closings: JsonObject[];
  rest: unknown[];
  isChanged: boolean;
}

const ENVELOPE = ["id", "object", "created", "model", "service_tier", "system_fingerprint"];

/** What a chunk of our own has beside its choices. A client that asked for usage gets `usage: null` in every chunk but the last. */
function envelopeOf(chunk: JsonObject): JsonObject {
  const shared = ENVELOPE.filter((name) => name in chunk).map((name) => [name, chunk[name]]);
  return { ...(Object.fromEntries(shared) as JsonObject), ...("usage" in chunk ? { usage: null } : {}) };
}

const pieceOf = (index: unknown, delta: JsonObject): JsonObject => ({
  index,
  delta,
  logprobs: null,
  finish_reason: null,
});

/** Where thinking or a proof of it may be in a chunk, by its bytes. */
const MARK = /"reasoning|"thinking"|"thought_signature"/;
const FRAME_ENDS = /(?<=\n\r?\n)/;
const NONE: readonly number[] = [];

/** Frames of one stream, in order; each choice has a state of its own. Texts are bytes as Latin-1. */
export class ThinkingInContent {
  /** Choices in the middle of their thoughts; another list after each change. */
  open: readonly number[] = NONE;
  readonly #states = new Map<number, ChoiceState>();
  #envelope: JsonObject = {};

  /** The frames for the client in place of these; chunks without thinking outside of thoughts keep their bytes. */
  take(frames: string): string {
    const isPlain = this.open.length === 0 && !MARK.test(frames);
    if (isPlain && (this.#states.size === 0 || !frames.includes('"annotations"'))) return frames;
    return frames
      .split(FRAME_ENDS)
      .map((frame) => this.#frame(frame))
      .join("");
  }

  /** The chunk that closes the thoughts of these choices; empty where there are none. */
  closingOf(choices: readonly number[]): string {
    if (choices.length === 0) return "";
    const pieces = choices.map((index) => pieceOf(index, { content: CLOSING }));
    return latin1Of(dataFrame({ ...this.#envelope, choices: pieces }));
  }

  #frame(frame: string): string {
    const { data } = readEvent(Buffer.from(frame, "latin1"), frame);
    const chunk = data === "" ? undefined : parseExactObject(data);
    if (chunk === undefined || !Array.isArray(chunk["choices"])) return frame;
    const split: Split = { thoughts: [], closings: [], rest: [], isChanged: false };
    for (const choice of listOf(chunk["choices"])) this.#choice(choice, split);
    this.#envelope = envelopeOf(chunk);
    if (!split.isChanged) return frame;
    const own = [split.thoughts, split.closings].filter((choices) => choices.length > 0);
    const chunks: JsonObject[] = own.map((choices) => ({ ...this.#envelope, choices }));
    if (split.rest.length > 0 || isObject(chunk["usage"])) chunks.push({ ...chunk, choices: split.rest });
    return latin1Of(chunks.map(dataFrame).join(""));
  }

  #choice(choice: unknown, split: Split): void {
    const index = isObject(choice) ? (numberOf(choice["index"]) ?? 0) : -1;
    if (!isObject(choice) || !Number.isInteger(index) || index < 0 || index >= MAX_CHOICES)
      return void split.rest.push(choice);
    const delta = objectOf(choice["delta"]);
    const plain = withoutThinking(delta);
    const thoughts = this.#thoughts(index, delta);
    const ends = isAnswer(plain) || textOf(choice["finish_reason"]) !== "";
    const hasThinking = !isSame(delta, plain);
    if (thoughts !== "" && !ends) {
      split.rest.push({ ...choice, delta: { ...plain, content: this.#think(index, thoughts) } });
      split.isChanged = true;
      return;
    }
    const { role, ...withoutRole } = plain;
    if (thoughts !== "") {
      const speaker = role === undefined ? {} : { role };
      split.thoughts.push(pieceOf(index, { ...speaker, content: this.#think(index, thoughts) }));
    }
    if (ends) this.#close(index, split);
    const rest = withShifted(thoughts === "" ? plain : withoutRole, this.#states.get(index)?.added ?? 0);
    split.isChanged ||= hasThinking || rest !== plain;
    // A chunk that only had a proof of thinking has nothing to say.
    const isEmpty = hasThinking && !ends && Object.keys(rest).length === 0 && !isObject(choice["logprobs"]);
    if (!isEmpty) split.rest.push({ ...choice, delta: rest });
  }

  /** Thoughts of a delta. */
  #thoughts(index: number, delta: JsonObject): string {
    const said = reasoningText(delta) || thinkingInParts(delta["content"]);
    const known = this.#states.get(index);
    const hasPlain = said !== "" || known?.hasPlain === true;
    const thoughts = hasPlain ? said : detailsText(delta["reasoning_details"]);
    if (thoughts !== "") this.#states.set(index, { hasPlain, added: known?.added ?? 0 });
    return thoughts;
  }

  /** Content that says the thoughts. */
  #think(index: number, thoughts: string): string {
    const isOpen = this.open.includes(index);
    const content = isOpen ? thoughts : OPENING + thoughts;
    if (!isOpen) this.open = [...this.open, index];
    this.#add(index, content);
    return content;
  }

  #close(index: number, split: Split): void {
    if (!this.open.includes(index)) return;
    this.open = this.open.filter((each) => each !== index);
    this.#add(index, CLOSING);
    split.closings.push(pieceOf(index, { content: CLOSING }));
    split.isChanged = true;
  }

  #add(index: number, content: string): void {
    const state = this.#states.get(index);
    if (state !== undefined) state.added += content.length;
  }
}

/** Wraps another pipe for a client of this format: the thinking becomes part of the text. */
export class ThinkingPipe extends PipeWrapper {
  readonly #thinking: ThinkingInContent;
  /** Choices in the middle of their thoughts as far as chunks went out: those that close an answer may never. */
  #shown: readonly number[];

  /** `thinking` is what is known of an answer whose earlier rounds came through other pipes. */
  constructor(inner: StreamPipe, thinking = new ThinkingInContent()) {
    super(inner);
    this.#thinking = thinking;
    this.#shown = thinking.open;
  }

  push(bytes: Buffer, text: string): FrameKind {
    const kind = this.inner.push(bytes, text);
    this.out = kind === "error" ? "" : this.#thinking.take(this.inner.out);
    if (kind === "delta" && this.out !== "") this.#shown = this.#thinking.open;
    return kind;
  }

  override closing(usage: Usage): Buffer[] {
    const end = this.#thinking.closingOf(this.#thinking.open);
    return [Buffer.from(end, "latin1"), ...super.closing(usage)];
  }

  override failing(error: ErrorInfo): Buffer {
    const end = Buffer.from(this.#thinking.closingOf(this.#shown), "latin1");
    return Buffer.concat([end, super.failing(error)]);
  }
}
