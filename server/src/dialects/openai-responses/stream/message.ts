/**
 * Encodes a message item into a stream: its texts and refusals in order, each with its frames
 * (platform.openai.com/docs/api-reference/responses-streaming).
 */
import type { Citation, JsonObject } from "../../neutral/neutral.ts";
import { FrameWriter } from "./frames.ts";
import { annotationOf } from "../citations.ts";
import { addAll } from "../../json/fields.ts";

export type ItemStatus = "in_progress" | "completed" | "incomplete";

/** An output item that is still being written. */
export interface WrittenItem {
  /** Frames that end it. */
  close(status: ItemStatus): string;
  /** The item as it is in the whole response, once it is closed. */
  item(status: ItemStatus): JsonObject;
}

/** Where an item stands. */
export interface Place {
  id: string;
  index: number;
}

interface Part {
  kind: "text" | "refusal";
  text: string;
  annotations: JsonObject[];
  logprobs: unknown[];
  /** Front of its delta frames. */
  head: string;
}

const TYPES = { text: "output_text", refusal: "refusal" } as const;

function partObject({ kind, text, annotations, logprobs }: Part): JsonObject {
  if (kind === "refusal") return { type: "refusal", refusal: text };
  return { type: "output_text", text, annotations, logprobs };
}

export class MessageItem implements WrittenItem {
  readonly #frames: FrameWriter;
  readonly #place: Place;
  readonly #content: JsonObject[] = [];
  #part: Part | undefined;

  constructor(frames: FrameWriter, place: Place) {
    this.#frames = frames;
    this.#place = place;
  }

  open(): string {
    return this.#frames.frame("response.output_item.added", {
      output_index: this.#place.index,
      item: this.item("in_progress"),
    });
  }

  #where(): JsonObject {
    return { item_id: this.#place.id, output_index: this.#place.index, content_index: this.#content.length };
  }

  #openPart(kind: Part["kind"]): string {
    const before = this.#closePart();
    const where = this.#where();
    const fields = kind === "text" ? { ...where, logprobs: [] } : where;
    const head = FrameWriter.deltaHead(`response.${TYPES[kind]}.delta`, fields);
    this.#part = { kind, text: "", annotations: [], logprobs: [], head };
    return before + this.#frames.frame("response.content_part.added", { ...where, part: partObject(this.#part) });
  }

  say(kind: Part["kind"], text: string): string {
    const before = this.#part?.kind === kind ? "" : this.#openPart(kind);
    const part = this.#part as Part;
    part.text += text;
    return before + this.#frames.delta(part.head, text);
  }

  /** Sources need a text to stand behind; without one the citation says nothing. */
  cite(citation: Citation): string {
    const part = this.#part;
    if (part?.kind !== "text") return "";
    const annotation = annotationOf(citation, part.text.length);
    part.annotations.push(annotation);
    return this.#frames.frame("response.output_text.annotation.added", {
      ...this.#where(),
      annotation_index: part.annotations.length - 1,
      annotation,
    });
  }

  /** They are in the frames that close the text, and in the whole. */
  note(logprobs: readonly unknown[]): void {
    if (this.#part?.kind === "text") addAll(this.#part.logprobs, logprobs);
  }

  #closePart(): string {
    const part = this.#part;
    if (part === undefined) return "";
    this.#part = undefined;
    const where = this.#where();
    const content = part.kind === "text" ? { text: part.text, logprobs: part.logprobs } : { refusal: part.text };
    const done = this.#frames.frame(`response.${TYPES[part.kind]}.done`, { ...where, ...content });
    const whole = partObject(part);
    this.#content.push(whole);
    return done + this.#frames.frame("response.content_part.done", { ...where, part: whole });
  }

  close(status: ItemStatus): string {
    const before = this.#closePart();
    return (
      before +
      this.#frames.frame("response.output_item.done", { output_index: this.#place.index, item: this.item(status) })
    );
  }

  item(status: ItemStatus): JsonObject {
    return { id: this.#place.id, type: "message", status, role: "assistant", content: this.#content };
  }
}
