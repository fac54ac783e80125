/** Splits an upstream's event stream into its events, on bytes: nothing is decoded, parsed or copied that need not be. */
import type { ByteBudget } from "./budget.ts";

/** Receives one whole event: its bytes with the blank line that ends it, and the same bytes as Latin-1 text for searching. */
export type EventSink = (bytes: Buffer, text: string) => void;

/** A line or event above the limit, or more unfinished bytes in all streams than the budget holds. */
export class SseOverflow extends Error {
  /** True where the memory of all streams together was short, which is no fault of this one's upstream. */
  readonly isOfMemory: boolean;

  constructor(limitBytes: number, isOfMemory = false) {
    super(
      isOfMemory
        ? "the gateway has no memory left for this answer"
        : `an event of the upstream is longer than ${limitBytes} bytes`,
    );
    this.name = "SseOverflow";
    this.isOfMemory = isOfMemory;
  }
}

const NEWLINE = 10;
const RETURN = 13;

/**
 * Where an event may end: 0 inside a line, 1 after a newline, 2 after a newline and a carriage return. Lines end with LF or CRLF;
 * a lone CR, which no vendor sends, ends none.
 */
type LineState = 0 | 1 | 2;

export class SseSplitter {
  readonly #limitBytes: number;
  readonly #budget: ByteBudget | undefined;
  #pieces: Buffer[] = [];
  #pendingBytes = 0;
  #state: LineState = 1;

  /** `limitBytes` bounds one event; unfinished bytes are also taken from `budget`, which close() gives back. */
  constructor(limitBytes: number, budget?: ByteBudget) {
    this.#limitBytes = limitBytes;
    this.#budget = budget;
  }

  /** Hands every event that is now whole to `sink`, in order. Throws SseOverflow. */
  push(chunk: Buffer, sink: EventSink): void {
    const text = chunk.toString("latin1");
    let start = 0;
    let from = 0;
    for (;;) {
      const end = this.#nextEnd(text, from);
      if (end < 0) break;
      this.#emit(chunk, text, start, end, sink);
      start = end;
      from = end;
    }
    if (start < chunk.length) this.#keep(start === 0 ? chunk : chunk.subarray(start));
  }

  /** Index just behind the blank line that ends an event, or -1 where the text holds none; the state crosses chunks. */
  #nextEnd(text: string, from: number): number {
    let position = from;
    for (;;) {
      if (this.#state === 0) {
        position = text.indexOf("\n", position);
        if (position < 0) return -1;
        position += 1;
        this.#state = 1;
      }
      if (position >= text.length) return -1;
      const code = text.charCodeAt(position);
      position += 1;
      if (code === NEWLINE) {
        this.#state = 1;
        return position;
      }
      this.#state = code === RETURN && this.#state === 1 ? 2 : 0;
    }
  }

  #emit(chunk: Buffer, text: string, start: number, end: number, sink: EventSink): void {
    if (this.#pendingBytes === 0) {
      const isWhole = start === 0 && end === chunk.length;
      if (end - start > this.#limitBytes) throw new SseOverflow(this.#limitBytes);
      return isWhole ? sink(chunk, text) : sink(chunk.subarray(start, end), text.slice(start, end));
    }
    this.#pieces.push(chunk.subarray(start, end));
    const bytes = Buffer.concat(this.#pieces);
    this.discard();
    if (bytes.length > this.#limitBytes) throw new SseOverflow(this.#limitBytes);
    sink(bytes, bytes.toString("latin1"));
  }

  #keep(piece: Buffer): void {
    if (this.#pendingBytes + piece.length > this.#limitBytes) throw new SseOverflow(this.#limitBytes);
    if (this.#budget?.take(piece.length) === false) throw new SseOverflow(this.#limitBytes, true);
    this.#pieces.push(piece);
    this.#pendingBytes += piece.length;
  }

  /** Drops what is kept of an unfinished event and gives its bytes back to the budget; for a stream that nobody reads on. */
  discard(): void {
    this.#budget?.give(this.#pendingBytes);
    this.#pieces = [];
    this.#pendingBytes = 0;
  }

  /** Bytes of an event that never ended (empty where there are none), and gives the budget back. Call once, at the end. */
  close(): Buffer {
    const rest = Buffer.concat(this.#pieces);
    this.discard();
    return rest;
  }
}
