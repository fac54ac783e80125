/** Chunks of a chat completions stream -> neutral events (platform.openai.com/docs/api-reference/chat/streaming). */
import type { StreamDecoder } from "../../stream/stream.ts";
import { isObject, listOf, numberOf, objectOf, parseObject, textOf } from "../../json/fields.ts";
import type { Citation, JsonObject, NeutralEvent, Signature } from "../../neutral/neutral.ts";
import { fingerprintOf, imagesOf } from "../answer.ts";
import { CallReader } from "./tool-calls.ts";
import { citationsOf, listedSources } from "../citations.ts";
import { brokenChunk, brokenText, finishReason } from "../finish.ts";
import {
  UNSIGNED,
  detailPart,
  detailProof,
  detailText,
  isPieceOf,
  proofOf,
  reasoningText,
  withPiece,
  wordless,
} from "../signature.ts";

/** An event that cannot be parsed ends the stream with this message. */
const BROKEN_EVENT = JSON.stringify({
  error: {
    message: "The upstream sent an event that is not JSON.",
    type: "upstream_error",
    param: null,
    code: "bad_stream_event",
  },
});

/** What is known of one of the answers that come in a stream. */
class ChoiceReader {
  readonly #choice: number;
  readonly #calls: CallReader;
  /** Thinking came as plain text: the details repeat it. */
  #hasPlainReasoning = false;
  /** Thinking is open: its end has no signature yet. */
  #isUnsigned = false;
  /** The entry of reasoning_details that it is, without its text, if the vendor adds fields. */
  #entry: JsonObject | undefined;
  #hasRefusal = false;
  #isFinished = false;
  #hasText = false;
  #hasCitations = false;
  /** Sources that the chunks list beside the choices; the last list counts. */
  sources: readonly Citation[] = [];

  constructor(choice: number, answerId: string) {
    this.#choice = choice;
    this.#calls = new CallReader(choice, answerId);
  }

  read(choice: JsonObject, events: NeutralEvent[]): void {
    if (this.#isFinished) return;
    const delta = choice["delta"];
    if (isObject(delta)) this.#readDelta(delta, events);
    const { logprobs } = choice;
    if (isObject(logprobs)) events.push({ kind: "logprobs", choice: this.#choice, logprobs });
    const word = choice["finish_reason"];
    if (typeof word === "string" && word !== "") this.#finish(word, events);
  }

  #readDelta(delta: JsonObject, events: NeutralEvent[]): void {
    this.#readReasoning(delta, events);
    const { content } = delta;
    if (typeof content === "string") this.#say(content, events);
    else if (Array.isArray(content)) for (const part of content) this.#readPart(objectOf(part), events);
    if (typeof delta["refusal"] === "string") this.#refuse(delta["refusal"], events);
    if (delta["annotations"] !== undefined || delta["images"] !== undefined) this.#readExtras(delta, events);
    if (listOf(delta["tool_calls"]).length === 0 && !isObject(delta["function_call"])) return;
    this.#endThinking(events);
    this.#calls.read(delta, events);
  }

  #readExtras(delta: JsonObject, events: NeutralEvent[]): void {
    const choice = this.#choice;
    const citations = citationsOf(delta["annotations"]);
    const images = imagesOf(delta["images"]);
    if (citations.length + images.length > 0) this.#endThinking(events);
    if (citations.length > 0) this.#hasCitations = true;
    for (const citation of citations) events.push({ kind: "citation", choice, citation });
    for (const { source } of images) events.push({ kind: "image", choice, source });
  }

  #refuse(text: string, events: NeutralEvent[]): void {
    if (text === "") return;
    this.#hasRefusal = true;
    this.#endThinking(events);
    events.push({ kind: "refusal", choice: this.#choice, text });
  }

  #say(text: string, events: NeutralEvent[]): void {
    if (text === "") return;
    this.#endThinking(events);
    this.#hasText = true;
    events.push({ kind: "text", choice: this.#choice, text });
  }

  #think(text: string, events: NeutralEvent[]): void {
    if (text === "") return;
    this.#isUnsigned = true;
    events.push({ kind: "reasoning", choice: this.#choice, text });
  }

  /** Something else begins, so thinking that got no proof ends here. */
  #endThinking(events: NeutralEvent[]): void {
    if (!this.#isUnsigned) return;
    const { signature = UNSIGNED } = this.#entry === undefined ? {} : proofOf(this.#entry);
    this.#sign(signature, events);
  }

  #sign(signature: Signature, events: NeutralEvent[]): void {
    this.#isUnsigned = false;
    this.#entry = undefined;
    events.push({ kind: "signature", choice: this.#choice, signature, isRedacted: false });
  }

  /** Mistral's reasoning models stream a list (docs.mistral.ai/capabilities/reasoning). */
  #readPart(part: JsonObject, events: NeutralEvent[]): void {
    if (part["type"] === "thinking")
      for (const thought of listOf(part["thinking"])) this.#think(textOf(objectOf(thought)["text"]), events);
    else this.#say(textOf(part["text"]), events);
  }

  #readReasoning(delta: JsonObject, events: NeutralEvent[]): void {
    const plain = reasoningText(delta);
    const details = listOf(delta["reasoning_details"]).filter(isObject);
    // Entries say where one ends and the next begins, which the plain text does not.
    const isRepeated = plain !== "" && plain === details.map(detailText).join("");
    if (plain !== "" && !isRepeated) {
      this.#hasPlainReasoning = true;
      this.#think(plain, events);
    }
    for (const detail of details) this.#readDetail(detail, isRepeated || !this.#hasPlainReasoning, events);
  }

  #readDetail(detail: JsonObject, isShown: boolean, events: NeutralEvent[]): void {
    const before = this.#entry;
    if (before !== undefined && !isPieceOf(before, detail)) this.#endThinking(events);
    const entry = this.#entry === undefined ? detail : withPiece(this.#entry, detail);
    const part = detailPart(entry);
    if (part === undefined) return;
    const { signature, isRedacted } = part;
    if (isShown) this.#think(detailText(detail), events);
    if (signature === undefined) return;
    if (isRedacted === true) events.push({ kind: "signature", choice: this.#choice, signature, isRedacted });
    else if (detailProof(entry) !== "") this.#sign(signature, events);
    else this.#entry = wordless(entry);
  }

  /** Sources listed by the chunks, if the text cites none itself. */
  #cite(events: NeutralEvent[]): void {
    if (!this.#hasText || this.#hasCitations) return;
    for (const citation of this.sources) events.push({ kind: "citation", choice: this.#choice, citation });
  }

  #finish(word: string, events: NeutralEvent[]): void {
    this.#isFinished = true;
    this.#endThinking(events);
    this.#cite(events);
    this.#calls.finish(events);
    const reason = finishReason(word, this.#calls.count > 0, this.#hasRefusal);
    events.push({ kind: "finish", choice: this.#choice, reason });
  }
}

/** `n` is at most this (platform.openai.com/docs/api-reference/chat/create); other places are garbage. */
export const MAX_CHOICES = 128;

/** `{"error": ...}` in place of a chunk, or an event that calls itself one. */
const isError = (event: string, chunk: JsonObject): boolean =>
  event === "error" || (chunk["error"] !== undefined && chunk["error"] !== null && chunk["choices"] === undefined);

/**
 * Beside the choices, or inside the last of them, where Moonshot has it (platform.moonshot.ai/docs/api/chat), or inside `x_groq`, where
 * Groq has it whether it was asked for or not (console.groq.com/docs/api-reference).
 */
function usageIn(chunk: JsonObject, choices: readonly unknown[]): JsonObject | undefined {
  const usage = chunk["usage"] ?? objectOf(choices.at(-1))["usage"] ?? objectOf(chunk["x_groq"])["usage"];
  return isObject(usage) ? usage : undefined;
}

class ChatDecoder implements StreamDecoder {
  readonly #choices = new Map<number, ChoiceReader>();
  #id: string | undefined = undefined;
  #sources: readonly Citation[] = [];

  push(event: string, data: string): readonly NeutralEvent[] {
    if (data === "") return [];
    if (data.startsWith("[DONE]")) return [{ kind: "end" }];
    const chunk = parseObject(data);
    if (chunk === undefined) return [{ kind: "error", text: BROKEN_EVENT }];
    if (isError(event, chunk)) return [{ kind: "error", text: data }];
    const broken = brokenChunk(chunk);
    if (broken !== undefined) return [{ kind: "error", text: brokenText(chunk, broken) }];
    const events: NeutralEvent[] = [];
    const choices = listOf(chunk["choices"]);
    // Azure's first chunk has no choices and often no id.
    if (choices.length > 0) this.#start(chunk, events);
    if (Array.isArray(chunk["search_results"]) || Array.isArray(chunk["citations"]))
      this.#sources = listedSources(chunk);
    for (const choice of choices) if (isObject(choice)) this.#readerOf(choice)?.read(choice, events);
    const usage = usageIn(chunk, choices);
    if (usage !== undefined) events.push({ kind: "usage", raw: usage });
    return events;
  }

  #start(chunk: JsonObject, events: NeutralEvent[]): void {
    if (this.#id !== undefined) return;
    this.#id = textOf(chunk["id"]);
    events.push({ kind: "start", id: this.#id, ...fingerprintOf(chunk) });
  }

  #readerOf(choice: JsonObject): ChoiceReader | undefined {
    const index = numberOf(choice["index"]) ?? 0;
    if (!Number.isInteger(index) || index < 0 || index >= MAX_CHOICES) return undefined;
    let reader = this.#choices.get(index);
    if (reader === undefined) {
      reader = new ChoiceReader(index, this.#id ?? "");
      this.#choices.set(index, reader);
    }
    reader.sources = this.#sources;
    return reader;
  }
}

/** A decoder for one stream. */
export const createDecoder = (): StreamDecoder => new ChatDecoder();
