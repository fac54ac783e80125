/** Encodes items of reasoning and of tool calls into a stream (platform.openai.com/docs/api-reference/responses-streaming). */
import { parseObject, textOf } from "../../json/fields.ts";
import type { JsonObject, SearchPart } from "../../neutral/neutral.ts";
import type { ClientTool } from "../client-tools.ts";
import type { OwnName } from "../tool-names.ts";
import { FrameWriter } from "./frames.ts";
import { UNSIGNED } from "../signature.ts";
import type { ItemStatus, Place, WrittenItem } from "./message.ts";

const added = (frames: FrameWriter, { index }: Place, item: JsonObject): string =>
  frames.frame("response.output_item.added", { output_index: index, item });
const done = (frames: FrameWriter, { index }: Place, item: JsonObject): string =>
  frames.frame("response.output_item.done", { output_index: index, item });

/** Thoughts as one summary, with the signature that the next turn brings back. */
export class ReasoningItem implements WrittenItem {
  readonly #frames: FrameWriter;
  readonly #place: Place;
  readonly #head: string;
  #text = "";
  #encrypted: string | undefined;

  constructor(frames: FrameWriter, place: Place) {
    this.#frames = frames;
    this.#place = place;
    this.#head = FrameWriter.deltaHead("response.reasoning_summary_text.delta", this.#where());
  }

  #where(): JsonObject {
    return { item_id: this.#place.id, output_index: this.#place.index, summary_index: 0 };
  }

  open(): string {
    return added(this.#frames, this.#place, this.item());
  }

  think(text: string): string {
    const part = { type: "summary_text", text: "" };
    const before =
      this.#text === "" ? this.#frames.frame("response.reasoning_summary_part.added", { ...this.#where(), part }) : "";
    this.#text += text;
    return before + this.#frames.delta(this.#head, text);
  }

  sign(encrypted: string): void {
    this.#encrypted = encrypted;
  }

  close(): string {
    this.#encrypted ??= UNSIGNED;
    const part = { type: "summary_text", text: this.#text };
    const summary =
      this.#text === ""
        ? ""
        : this.#frames.frame("response.reasoning_summary_text.done", { ...this.#where(), text: this.#text }) +
          this.#frames.frame("response.reasoning_summary_part.done", { ...this.#where(), part });
    return summary + done(this.#frames, this.#place, this.item());
  }

  item(): JsonObject {
    const summary = this.#text === "" ? [] : [{ type: "summary_text", text: this.#text }];
    return { id: this.#place.id, type: "reasoning", summary, encrypted_content: this.#encrypted ?? null };
  }
}

/** Which tool is called, as the client knows it. */
export interface CallName extends OwnName {
  callId: string;
}

const nameFields = ({ callId, name, namespace }: CallName): JsonObject => ({
  call_id: callId,
  name,
  ...(namespace === undefined ? {} : { namespace }),
});

export class FunctionCallItem implements WrittenItem {
  readonly #frames: FrameWriter;
  readonly #place: Place;
  readonly #call: CallName;
  readonly #head: string;
  #arguments = "";

  constructor(frames: FrameWriter, place: Place, call: CallName) {
    this.#frames = frames;
    this.#place = place;
    this.#call = call;
    this.#head = FrameWriter.deltaHead("response.function_call_arguments.delta", this.#where());
  }

  #where(): JsonObject {
    return { item_id: this.#place.id, output_index: this.#place.index };
  }

  open(): string {
    return added(this.#frames, this.#place, this.item("in_progress"));
  }

  write(text: string): string {
    this.#arguments += text;
    return this.#frames.delta(this.#head, text);
  }

  close(status: ItemStatus): string {
    // A call without arguments is a call with an empty object.
    const before = this.#arguments === "" ? this.write("{}") : "";
    const whole = { ...this.#where(), name: this.#call.name, arguments: this.#arguments };
    return (
      before +
      this.#frames.frame("response.function_call_arguments.done", whole) +
      done(this.#frames, this.#place, this.item(status))
    );
  }

  item(status: ItemStatus): JsonObject {
    const whole = { id: this.#place.id, type: "function_call", status, arguments: this.#arguments };
    return { ...whole, ...nameFields(this.#call) };
  }
}

/** A freeform call; elsewhere it is a function with one argument, whose text is known once it is whole. */
export class CustomCallItem implements WrittenItem {
  readonly #frames: FrameWriter;
  readonly #place: Place;
  readonly #call: CallName;
  #arguments = "";
  #input = "";

  constructor(frames: FrameWriter, place: Place, call: CallName) {
    this.#frames = frames;
    this.#place = place;
    this.#call = call;
  }

  open(): string {
    return added(this.#frames, this.#place, this.item("in_progress"));
  }

  write(text: string): string {
    this.#arguments += text;
    return "";
  }

  close(status: ItemStatus): string {
    const fields = parseObject(this.#arguments);
    // What is no object with a text is passed on as the model wrote it, for the tool to judge.
    this.#input = typeof fields?.["input"] === "string" ? textOf(fields["input"]) : this.#arguments;
    const where = { item_id: this.#place.id, output_index: this.#place.index };
    return (
      this.#frames.frame("response.custom_tool_call_input.delta", { ...where, delta: this.#input }) +
      this.#frames.frame("response.custom_tool_call_input.done", { ...where, input: this.#input }) +
      done(this.#frames, this.#place, this.item(status))
    );
  }

  item(status: ItemStatus): JsonObject {
    return { id: this.#place.id, type: "custom_tool_call", status, input: this.#input, ...nameFields(this.#call) };
  }
}

/** A call of a tool with items of its own, whose fields are known once its arguments are whole. */
export class ClientCallItem implements WrittenItem {
  readonly #frames: FrameWriter;
  readonly #place: Place;
  readonly #callId: string;
  readonly #tool: ClientTool;
  #arguments = "";

  constructor(frames: FrameWriter, place: Place, callId: string, tool: ClientTool) {
    this.#frames = frames;
    this.#place = place;
    this.#callId = callId;
    this.#tool = tool;
  }

  open(): string {
    return added(this.#frames, this.#place, this.item("in_progress"));
  }

  write(text: string): string {
    this.#arguments += text;
    return "";
  }

  close(status: ItemStatus): string {
    return done(this.#frames, this.#place, this.item(status));
  }

  item(status: ItemStatus): JsonObject {
    const head = { id: this.#place.id, type: `${this.#tool.type}_call`, status, call_id: this.#callId };
    return { ...head, ...this.#tool.fromArguments(parseObject(this.#arguments) ?? {}) };
  }
}

/** A picture the model made, whole from the start. */
export class ImageItem implements WrittenItem {
  readonly #frames: FrameWriter;
  readonly #place: Place;
  readonly #data: string;

  constructor(frames: FrameWriter, place: Place, data: string) {
    this.#frames = frames;
    this.#place = place;
    this.#data = data;
  }

  open(): string {
    const item = { id: this.#place.id, type: "image_generation_call", status: "in_progress", result: null };
    return added(this.#frames, this.#place, item);
  }

  close(): string {
    const where = { item_id: this.#place.id, output_index: this.#place.index };
    return (
      this.#frames.frame("response.image_generation_call.completed", where) +
      done(this.#frames, this.#place, this.item())
    );
  }

  item(): JsonObject {
    return { id: this.#place.id, type: "image_generation_call", status: "completed", result: this.#data };
  }
}

/** A search of the web that the gateway made, whole from the start (platform.openai.com/docs/guides/tools-web-search). */
export class SearchItem implements WrittenItem {
  readonly #frames: FrameWriter;
  readonly #place: Place;
  #search: SearchPart;
  /** The client asked for the pages too (`include`). */
  readonly #wantsSources: boolean;

  constructor(frames: FrameWriter, place: Place, search: SearchPart, wantsSources: boolean) {
    this.#frames = frames;
    this.#place = place;
    this.#search = search;
    this.#wantsSources = wantsSources;
  }

  /** What came of the search. */
  found(search: SearchPart): void {
    this.#search = search;
  }

  #whole(status: string): JsonObject {
    const { query, pages } = this.#search;
    const sources = this.#wantsSources ? { sources: pages.map(({ url }) => ({ type: "url", url })) } : {};
    return {
      id: this.#place.id,
      type: "web_search_call",
      status,
      action: { type: "search", query, queries: [query], ...sources },
    };
  }

  open(): string {
    const { id, index } = this.#place;
    const where = { item_id: id, output_index: index };
    const added = { output_index: index, item: this.#whole("in_progress") };
    return (
      this.#frames.frame("response.output_item.added", added) +
      this.#frames.frame("response.web_search_call.in_progress", where) +
      this.#frames.frame("response.web_search_call.searching", where)
    );
  }

  close(): string {
    const { id, index } = this.#place;
    const completed = this.#search.error === undefined ? { item_id: id, output_index: index } : undefined;
    return (
      (completed === undefined ? "" : this.#frames.frame("response.web_search_call.completed", completed)) +
      this.#frames.frame("response.output_item.done", { output_index: index, item: this.item() })
    );
  }

  item(): JsonObject {
    return this.#whole(this.#search.error === undefined ? "completed" : "failed");
  }
}
