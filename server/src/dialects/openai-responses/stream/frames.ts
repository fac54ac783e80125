/** Frames of a Responses stream: each has its type as event name and in its data, and an increasing sequence_number. */
import type { JsonObject } from "../../neutral/neutral.ts";

export class FrameWriter {
  #sequence = 0;

  /** A frame of any event. */
  frame(type: string, fields: JsonObject): string {
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: this.#next(), ...fields })}\n\n`;
  }

  /** The unchanging front of an item's delta frames, for `delta`. */
  static deltaHead(type: string, fields: JsonObject): string {
    return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields }).slice(0, -1)},"sequence_number":`;
  }

  /** The commonest frame; only its text is written anew. */
  delta(head: string, text: string): string {
    return `${head}${this.#next()},"delta":${JSON.stringify(text)}}\n\n`;
  }

  #next(): number {
    const sequence = this.#sequence;
    this.#sequence += 1;
    return sequence;
  }
}
