/** Events of Cohere's stream -> neutral ones (docs.cohere.com/docs/streaming, docs.cohere.com/reference/chat-stream). */
import { isObject, numberOf, objectOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject, NeutralEvent } from "../../dialects/neutral/neutral.ts";
import { missingCallId } from "../../dialects/openai-chat/answer.ts";
import { UNSIGNED } from "../../dialects/openai-chat/signature.ts";
import type { StreamDecoder } from "../../dialects/stream/stream.ts";
import { citationsOf, finishOf, isBrokenEnd, isTextContent, usageOf } from "./format-answer.ts";

const BROKEN_EVENT = JSON.stringify({ message: "The upstream sent an event that is not JSON." });

/** Text of one content of the message, and its offset in the whole text. */
interface Content {
  text: string;
  offset: number;
}

class CohereDecoder implements StreamDecoder {
  #id = "";
  /** From the first piece of thinking to its end. */
  #isThinking = false;
  /** Characters of the text so far. */
  #length = 0;
  readonly #contents = new Map<number, Content>();
  #lastContent: Content = { text: "", offset: 0 };
  /** Our number of a call, by the vendor's. */
  readonly #calls = new Map<number, number>();
  /** Calls that have arguments. */
  readonly #written = new Set<number>();

  push(event: string, data: string): readonly NeutralEvent[] {
    if (data === "" || data.startsWith("[DONE]")) return [];
    const fields = parseObject(data);
    if (fields === undefined) return [{ kind: "error", text: BROKEN_EVENT }];
    const type = textOf(fields["type"]) || event;
    // Failures inside a stream have no event of their own: they are the body that a failed call has.
    if (type === "error" || (type === "" && fields["message"] !== undefined)) return [{ kind: "error", text: data }];
    const events: NeutralEvent[] = [];
    this.#read(type, fields, events);
    return events;
  }

  #read(type: string, fields: JsonObject, events: NeutralEvent[]): void {
    const delta = objectOf(fields["delta"]);
    const message = objectOf(delta["message"]);
    const index = numberOf(fields["index"]) ?? 0;
    switch (type) {
      case "message-start":
        this.#id = textOf(fields["id"]);
        return void events.push({ kind: "start", id: this.#id });
      case "content-start":
      case "content-delta":
        return this.#content(index, objectOf(message["content"]), events);
      case "content-end":
        return this.#endThinking(events);
      case "tool-plan-delta":
        return this.#think(textOf(message["tool_plan"]), events);
      case "tool-call-start":
        return this.#call(index, objectOf(message["tool_calls"]), events);
      case "tool-call-delta":
        return this.#arguments(index, objectOf(message["tool_calls"]), events);
      case "citation-start":
        return this.#cite(objectOf(message["citations"]), events);
      case "message-end":
        return this.#end(delta, events);
      default:
    }
  }

  #content(index: number, content: JsonObject, events: NeutralEvent[]): void {
    this.#think(textOf(content["thinking"]), events);
    const text = textOf(content["text"]);
    if (text === "") return;
    this.#endThinking(events);
    let open = this.#contents.get(index);
    if (open === undefined) this.#contents.set(index, (open = { text: "", offset: this.#length }));
    open.text += text;
    this.#lastContent = open;
    this.#length += text.length;
    events.push({ kind: "text", choice: 0, text });
  }

  #think(text: string, events: NeutralEvent[]): void {
    if (text === "") return;
    this.#isThinking = true;
    events.push({ kind: "reasoning", choice: 0, text });
  }

  #endThinking(events: NeutralEvent[]): void {
    if (!this.#isThinking) return;
    this.#isThinking = false;
    events.push({ kind: "signature", choice: 0, signature: UNSIGNED, isRedacted: false });
  }

  #call(index: number, call: JsonObject, events: NeutralEvent[]): void {
    this.#endThinking(events);
    const own = this.#calls.size;
    this.#calls.set(index, own);
    const id = textOf(call["id"]) || missingCallId(this.#id, 0, own);
    events.push({ kind: "tool_call", choice: 0, index: own, id, name: textOf(objectOf(call["function"])["name"]) });
    this.#arguments(index, call, events);
  }

  #arguments(index: number, call: JsonObject, events: NeutralEvent[]): void {
    const own = this.#calls.get(index);
    const text = textOf(objectOf(call["function"])["arguments"]);
    // `null` means no arguments, unless it is a piece of them.
    if (own === undefined || text === "" || (text === "null" && !this.#written.has(own))) return;
    this.#written.add(own);
    events.push({ kind: "tool_arguments", choice: 0, index: own, text });
  }

  #cite(citation: JsonObject, events: NeutralEvent[]): void {
    if (!isTextContent(citation)) return;
    const named = this.#contents.get(numberOf(citation["content_index"]) ?? -1);
    const { text, offset } = named ?? this.#lastContent;
    for (const each of citationsOf(citation, text, offset))
      events.push({ kind: "citation", choice: 0, citation: each });
  }

  #end(delta: JsonObject, events: NeutralEvent[]): void {
    const word = textOf(delta["finish_reason"]);
    const error = textOf(delta["error"]);
    if (error !== "" || isBrokenEnd(word)) {
      const message = error || "The upstream gave up on its answer.";
      return void events.push({ kind: "error", text: JSON.stringify({ message, finish_reason: word || "ERROR" }) });
    }
    this.#endThinking(events);
    events.push({ kind: "finish", choice: 0, reason: finishOf(word) });
    const usage = usageOf(delta["usage"]);
    if (isObject(usage)) events.push({ kind: "usage", raw: usage });
    events.push({ kind: "end" });
  }
}

/** A decoder for one stream. */
export const createDecoder = (): StreamDecoder => new CohereDecoder();
