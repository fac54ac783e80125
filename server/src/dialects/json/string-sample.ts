/** Estimates tokens of a request's strings: all of a short one, even samples of a long one; part of the hub. */
import { TokenEstimate } from "../neutral/token-estimate.ts";

/** The front of a body is counted wholly, of what is behind it every eighth block. */
const WHOLE_BYTES = 4096;
const BLOCK_BITS = 8;
const SAMPLED_BLOCKS = 8;

/** Takes every string in the order of the text. */
export class StringSample {
  readonly #whole = new TokenEstimate();
  readonly #sample = new TokenEstimate();
  #behindBytes = 0;
  #sampledBytes = 0;

  get tokens(): number {
    const share = this.#sampledBytes === 0 ? 0 : this.#behindBytes / this.#sampledBytes;
    return this.#whole.tokens + Math.ceil(this.#sample.tokens * share);
  }

  /** Takes the string whose characters stand between the positions; `text` is the body as Latin-1. */
  add(text: string, from: number, to: number): void {
    if (from < WHOLE_BYTES) this.#whole.addJson(text, from, Math.min(to, WHOLE_BYTES));
    this.#whole.endText();
    if (to > WHOLE_BYTES) this.#addSampled(text, Math.max(from, WHOLE_BYTES), to);
  }

  #addSampled(text: string, from: number, to: number): void {
    this.#behindBytes += to - from;
    for (let at = from; at < to;) {
      const block = at >> BLOCK_BITS;
      const end = Math.min(to, (block + 1) << BLOCK_BITS);
      const skipped = block % SAMPLED_BLOCKS;
      if (skipped === 0) {
        this.#sample.addJson(text, at, end);
        this.#sampledBytes += end - at;
      }
      at = skipped === 0 ? end : (block - skipped + SAMPLED_BLOCKS) << BLOCK_BITS;
    }
    this.#sample.endText();
  }
}
