/** Splits an upstream's SSE stream into events, on bytes: nothing is decoded, parsed or copied without need. */
import type { ByteBudget } from "./budget.ts";
import { UpstreamFault } from "./fault.ts";

/** Receives one whole event: its bytes with the blank line that ends it, and the same bytes as Latin-1 text for searching. */
export type EventSink = (bytes: Buffer, text: string) => void;

export type EventFaultKind =
  /** A line or an event above the limit. */
  | "too_long"
  /** More unfinished bytes in all streams together than the budget holds, which is no fault of this one's upstream. */
  | "no_memory";

type EventFault = UpstreamFault<EventFaultKind>;

const tooLong = (limitBytes: number): EventFault =>
  new UpstreamFault("too_long", `an event of the upstream is longer than ${limitBytes} bytes`);

const noMemory = (): EventFault => new UpstreamFault("no_memory", "the gateway has no memory left for this answer");

const NEWLINE = 10;
const RETURN = 13;

/**
 * Where an event may end: 0 inside a line, 1 after the end of one, 2 after the return that ends one, 3 after the return that ends a
 * blank one; a line feed behind a return belongs to it. Lines end with LF, CRLF or CR (html.spec.whatwg.org, server-sent events).
 */
type LineState = 0 | 1 | 2 | 3;

/** A carriage return without a line feed. Events are passed on with a line feed in its place, which all later code looks for. */
const LONE_RETURN = /\r(?!\n)/;

function handOn(bytes: Buffer, text: string, sink: EventSink): void {
  if (!text.includes("\r") || !LONE_RETURN.test(text)) return sink(bytes, text);
  const plain = text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  sink(Buffer.from(plain, "latin1"), plain);
}

/** Index of the character that ends the line; -1 where it goes on. */
function lineEnd(text: string, from: number, hasReturns: boolean): number {
  const newline = text.indexOf("\n", from);
  if (!hasReturns) return newline;
  const carriage = text.indexOf("\r", from);
  return newline < 0 || (carriage >= 0 && carriage < newline) ? carriage : newline;
}

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

  /** Hands every event that is now whole to `sink`, in order. Throws UpstreamFault of an EventFaultKind. */
  push(chunk: Buffer, sink: EventSink): void {
    const text = chunk.toString("latin1");
    const hasReturns = text.includes("\r");
    let start = 0;
    let from = 0;
    for (;;) {
      const end = this.#nextEnd(text, from, hasReturns);
      if (end < 0) break;
      this.#emit(chunk, text, start, end, sink);
      start = end;
      from = end;
    }
    if (start < chunk.length) this.#keep(start === 0 ? chunk : chunk.subarray(start));
  }

  /** Index just behind the blank line that ends an event, or -1 where the text holds none; the state crosses chunks. */
  #nextEnd(text: string, from: number, hasReturns: boolean): number {
    let position = from;
    for (;;) {
      if (this.#state === 0) {
        position = lineEnd(text, position, hasReturns);
        if (position < 0) return -1;
        this.#state = text.charCodeAt(position) === NEWLINE ? 1 : 2;
        position += 1;
      }
      if (position >= text.length) return -1;
      const isNewline = text.charCodeAt(position) === NEWLINE;
      if (this.#state === 3) {
        this.#state = 1;
        return isNewline ? position + 1 : position;
      }
      if (this.#state === 2) {
        this.#state = 1;
        if (isNewline) position += 1;
        continue;
      }
      if (isNewline) return position + 1;
      this.#state = text.charCodeAt(position) === RETURN ? 3 : 0;
      position += 1;
    }
  }

  #emit(chunk: Buffer, text: string, start: number, end: number, sink: EventSink): void {
    if (this.#pendingBytes === 0) {
      const isWhole = start === 0 && end === chunk.length;
      if (end - start > this.#limitBytes) throw tooLong(this.#limitBytes);
      return isWhole ? handOn(chunk, text, sink) : handOn(chunk.subarray(start, end), text.slice(start, end), sink);
    }
    this.#pieces.push(chunk.subarray(start, end));
    const bytes = Buffer.concat(this.#pieces);
    this.discard();
    if (bytes.length > this.#limitBytes) throw tooLong(this.#limitBytes);
    handOn(bytes, bytes.toString("latin1"), sink);
  }

  #keep(piece: Buffer): void {
    if (this.#pendingBytes + piece.length > this.#limitBytes) throw tooLong(this.#limitBytes);
    if (this.#budget?.take(piece.length) === false) throw noMemory();
    this.#pieces.push(piece);
    this.#pendingBytes += piece.length;
  }

  /** Drops an unfinished event and releases its bytes to the budget; for a stream that is no longer read. */
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
