/** Events of a Responses upstream -> neutral ones (platform.openai.com/docs/api-reference/responses-streaming). */
import type { StreamDecoder } from "../../stream/stream.ts";
import { isObject, listOf, numberOf, ownOf, parseObject, textOf } from "../../json/fields.ts";
import { writtenArguments } from "../../neutral/waiting-calls.ts";
import type { FinishReason, JsonObject, NeutralEvent } from "../../neutral/neutral.ts";
import { imageSource, itemText, isVendorCall, offeredNames } from "../answer-parts.ts";
import { citationOf } from "../citations.ts";
import { answerFinish } from "../finish.ts";
import { errorText, unreadable } from "../errors.ts";
import { reasoningText } from "../messages-decode.ts";
import { ownSignature } from "../signature.ts";
import { CalledTools, withToolCalls } from "../usage.ts";

/** The item whose deltas are sent as they come. Interleaved ones wait until they are complete. */
interface OpenItem {
  index: number;
  /** Number of its tool call; -1 where it is none. */
  call: number;
  hasText: boolean;
  /** The summary or content part of its last text. */
  part: string;
}

const NOTHING: readonly NeutralEvent[] = [];
const CALL_TYPES: ReadonlySet<unknown> = new Set(["function_call", "custom_tool_call"]);

export class ResponsesDecoder implements StreamDecoder {
  #events: NeutralEvent[] = [];
  #hasStarted = false;
  #open: OpenItem | undefined;
  readonly #waiting: JsonObject[] = [];
  #hasItems = false;
  #calls = 0;
  readonly #called = new CalledTools();
  #hasText = false;
  #hasRefusal = false;
  #offered: ReadonlySet<string> = new Set();

  push(event: string, data: string): readonly NeutralEvent[] {
    if (data === "" || data === "[DONE]") return NOTHING;
    const parsed = parseObject(data);
    if (parsed === undefined) return [{ kind: "error", text: unreadable(data) }];
    this.#events = [];
    this.#take(textOf(parsed["type"]) || event, parsed, data);
    return this.#events;
  }

  #take(type: string, event: JsonObject, data: string): void {
    const handle = ownOf(HANDLERS, type);
    if (handle !== undefined) handle(this, event);
    else if (type === "error" || type === "response.failed" || (type === "" && isObject(event["error"])))
      this.#events.push({ kind: "error", text: errorText(event, data) });
  }

  /** @internal The methods below serve HANDLERS. */
  start(event: JsonObject): void {
    if (isObject(event["response"])) this.#offered = offeredNames(event["response"]);
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    const response = event["response"];
    this.#events.push({ kind: "start", id: isObject(response) ? textOf(response["id"]) : "" });
  }

  added(event: JsonObject): void {
    const item = event["item"];
    if (!isObject(item)) return;
    this.#hasItems = true;
    if (this.#open !== undefined) return;
    this.start({});
    this.#open = { index: numberOf(event["output_index"]) ?? 0, call: -1, hasText: false, part: "" };
    if (this.#isClientCall(item)) this.#open.call = this.#beginCall(item);
  }

  /** True for a call that the client is asked to make. */
  #isClientCall(item: JsonObject): boolean {
    return CALL_TYPES.has(item["type"]) && !isVendorCall(item, this.#offered);
  }

  #beginCall(item: JsonObject): number {
    const index = this.#calls;
    this.#calls += 1;
    const id = textOf(item["call_id"]) || textOf(item["id"]);
    this.#events.push({ kind: "tool_call", choice: 0, index, id, name: textOf(item["name"]) });
    return index;
  }

  /** The open item where the event belongs to it and the call it may be. */
  #own(event: JsonObject): OpenItem | undefined {
    const index = numberOf(event["output_index"]) ?? this.#open?.index;
    return this.#open !== undefined && this.#open.index === index ? this.#open : undefined;
  }

  text(event: JsonObject, kind: "text" | "refusal"): void {
    const item = this.#own(event);
    const text = textOf(event["delta"]);
    if (item === undefined) return;
    item.hasText ||= text !== "";
    if (text !== "") this.#say(kind, text);
    const logprobs = listOf(event["logprobs"]);
    if (logprobs.length > 0) this.#events.push({ kind: "logprobs", choice: 0, logprobs: { content: logprobs } });
  }

  #say(kind: "text" | "refusal" | "reasoning", text: string): void {
    if (kind === "text") this.#hasText = true;
    if (kind === "refusal") this.#hasRefusal = true;
    this.#events.push({ kind, choice: 0, text });
  }

  /** Parts of a summary are paragraphs. */
  reasoning(event: JsonObject, part: string): void {
    const item = this.#own(event);
    const text = textOf(event["delta"]);
    if (item === undefined || text === "") return;
    this.#say("reasoning", item.hasText && item.part !== part ? `\n\n${text}` : text);
    item.hasText = true;
    item.part = part;
  }

  arguments(event: JsonObject): void {
    const item = this.#own(event);
    const text = textOf(event["delta"]);
    // What stands for no arguments is written with the whole item.
    const isNothing = text === "" || (!item?.hasText && text === "null");
    if (item === undefined || item.call < 0 || isNothing) return;
    item.hasText = true;
    this.#events.push({ kind: "tool_arguments", choice: 0, index: item.call, text });
  }

  annotation(event: JsonObject): void {
    const citation = citationOf(event["annotation"]);
    if (citation !== undefined && this.#own(event) !== undefined)
      this.#events.push({ kind: "citation", choice: 0, citation });
  }

  done(event: JsonObject): void {
    const item = event["item"];
    if (!isObject(item)) return;
    this.#hasItems = true;
    this.start({});
    const open = this.#own(event);
    if (open === undefined && this.#open !== undefined) return void this.#waiting.push(item);
    this.#finishItem(item, open);
    this.#open = undefined;
    for (const waiting of this.#waiting.splice(0)) this.#finishItem(waiting, undefined);
  }

  /** What an item holds beyond the deltas that came of it. */
  #finishItem(item: JsonObject, open: OpenItem | undefined): void {
    const hasText = open?.hasText === true;
    const type = item["type"];
    if (type === "message") this.#finishMessage(item, hasText);
    else if (type === "reasoning") this.#finishReasoning(item, hasText);
    else if (this.#isClientCall(item)) this.#finishCall(item, open);
    else if (type === "image_generation_call") this.#finishImage(item);
    this.#noteCall(item);
  }

  #noteCall(item: JsonObject): void {
    const call = this.#called.count(item);
    if (call !== undefined) this.#events.push({ kind: "priced_call", tool: call.tool, variant: call.variant });
  }

  #finishMessage(item: JsonObject, hasText: boolean): void {
    if (hasText) return;
    for (const { kind, text, citations } of itemText(item)) {
      if (text !== "") this.#say(kind, text);
      for (const citation of citations) this.#events.push({ kind: "citation", choice: 0, citation });
    }
  }

  #finishReasoning(item: JsonObject, hasText: boolean): void {
    const text = hasText ? "" : reasoningText(item);
    if (text !== "") this.#say("reasoning", text);
    const encrypted = textOf(item["encrypted_content"]);
    if (encrypted === "") return;
    const signature = ownSignature(textOf(item["id"]), encrypted);
    const isRedacted = !hasText && text === "";
    this.#events.push({ kind: "signature", choice: 0, signature, ...(isRedacted ? { isRedacted } : {}) });
  }

  #finishCall(item: JsonObject, open: OpenItem | undefined): void {
    const index = open === undefined || open.call < 0 ? this.#beginCall(item) : open.call;
    if (open?.hasText === true) return;
    const isCustom = item["type"] === "custom_tool_call";
    const text = isCustom
      ? JSON.stringify({ input: textOf(item["input"]) })
      : writtenArguments(textOf(item["arguments"]));
    this.#events.push({ kind: "tool_arguments", choice: 0, index, text });
  }

  #finishImage(item: JsonObject): void {
    const source = imageSource(item);
    if (source !== undefined) this.#events.push({ kind: "image", choice: 0, source });
  }

  end(event: JsonObject): void {
    this.start(event);
    const response = isObject(event["response"]) ? event["response"] : {};
    // Some servers send no items on the way, only the whole response.
    const items = this.#hasItems ? this.#waiting.splice(0) : listOf(response["output"]).filter(isObject);
    for (const item of items) this.#finishItem(item, undefined);
    this.#events.push({ kind: "finish", choice: 0, reason: this.#reason(response) });
    const raw = withToolCalls(response["usage"], this.#called, response);
    if (raw !== undefined) this.#events.push({ kind: "usage", raw });
    this.#events.push({ kind: "end" });
  }

  #reason(response: JsonObject): FinishReason {
    return answerFinish(response, { hasCall: this.#calls > 0, hasText: this.#hasText, hasRefusal: this.#hasRefusal });
  }
}

const HANDLERS: Readonly<Record<string, (decoder: ResponsesDecoder, event: JsonObject) => void>> = {
  "response.created": (decoder, event) => decoder.start(event),
  "response.queued": (decoder, event) => decoder.start(event),
  "response.in_progress": (decoder, event) => decoder.start(event),
  "response.output_item.added": (decoder, event) => decoder.added(event),
  "response.output_item.done": (decoder, event) => decoder.done(event),
  "response.output_text.delta": (decoder, event) => decoder.text(event, "text"),
  "response.refusal.delta": (decoder, event) => decoder.text(event, "refusal"),
  "response.reasoning_summary_text.delta": (decoder, event) =>
    decoder.reasoning(event, `summary ${String(event["summary_index"])}`),
  "response.reasoning_text.delta": (decoder, event) =>
    decoder.reasoning(event, `content ${String(event["content_index"])}`),
  "response.function_call_arguments.delta": (decoder, event) => decoder.arguments(event),
  "response.output_text.annotation.added": (decoder, event) => decoder.annotation(event),
  "response.completed": (decoder, event) => decoder.end(event),
  "response.incomplete": (decoder, event) => decoder.end(event),
};
