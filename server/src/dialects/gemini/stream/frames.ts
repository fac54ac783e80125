/** The two framings of Gemini's streams: SSE for `alt=sse`, else one growing JSON array. */

/** Writes the frames of one stream in order. */
export class GeminiFrames {
  readonly #isArray: boolean;
  #isFirst = true;

  constructor(isArray: boolean) {
    this.#isArray = isArray;
  }

  /** One answer piece, given as JSON text without line breaks. */
  frame(json: string): string {
    if (!this.#isArray) return `data: ${json}\r\n\r\n`;
    const head = this.#isFirst ? "[" : ",\r\n";
    this.#isFirst = false;
    return head + json;
  }

  /** What ends the stream: nothing for events. */
  end(): string {
    if (!this.#isArray) return "";
    return this.#isFirst ? "[]" : "]";
  }
}
