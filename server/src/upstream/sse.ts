/** Splits an upstream's SSE stream into events, on bytes: nothing is decoded, parsed or copied without need. */
import type { ByteBudget } from "./budget.ts";
import { parseJson } from "../util/json-read.ts";
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

// Streams whose events are parted by one line end: some vendors' and resellers' servers leave the blank line out.

/** A data line that begins a JSON object, or the mark of the end: so no second line of one event's data begins, when the one before is whole. */
const OPENS_DATA = /data: ?(?:\{|\[DONE\])/y;
/** Characters of a line by which it is known whether it opens data. */
const OPENING_LENGTH = "data: [DONE]".length;

function opensData(text: string, at: number): boolean {
  OPENS_DATA.lastIndex = at;
  return OPENS_DATA.test(text);
}

/** True for a data line that is an event's whole data; `line` is without its end. */
function isWholeData(line: string): boolean {
  const data = line.slice("data:".length).trim();
  return data === "[DONE]" || (data.startsWith("{") && parseJson(data) !== undefined);
}

/**
 * Where the events end in a text that begins with one: behind a blank line, and behind a line of whole data that another such line follows. With
 * `isLineWise` nothing is waited for: every line of whole data ends its event.
 */
function* looseEnds(text: string, isLineWise: boolean): Generator<number> {
  let wholeEnd = 0;
  for (let start = 0; ;) {
    const isData = opensData(text, start);
    if (isData && wholeEnd > 0) yield wholeEnd;
    if (isData) wholeEnd = 0;
    const end = text.indexOf("\n", start) + 1;
    if (end === 0) return;
    const line = text.slice(start, end - 1).trimEnd();
    if (line === "") {
      yield end;
      wholeEnd = 0;
    } else if (isData && isWholeData(line)) {
      if (isLineWise) yield end;
      else wholeEnd = end;
    }
    start = end;
  }
}

/** Looks at an event that has not ended are bounded: each joins its pieces. */
const MAX_LOOKS = 64;

/** Index of the character that ends the line; -1 where it is incomplete. */
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
  /** Finished lines of the event that is under way; how many of them were looked at, and how often. */
  #lines = 0;
  #knownLines = 0;
  #looks = 0;
  /** The stream leaves blank lines out: its events are lines of data. */
  #isLineWise = false;

  /** `limitBytes` bounds one event; unfinished bytes are also taken from `budget`, which close() gives back. */
  constructor(limitBytes: number, budget?: ByteBudget) {
    this.#limitBytes = limitBytes;
    this.#budget = budget;
  }

  /** Hands every event that is now whole to `sink`, in order. Throws UpstreamFault of an EventFaultKind. */
  push(chunk: Buffer, sink: EventSink): void {
    if (this.#isLineWise) return this.#pushLines(chunk, sink);
    const text = chunk.toString("latin1");
    const hasReturns = text.includes("\r");
    let start = 0;
    let from = 0;
    for (;;) {
      const end = this.#nextEnd(text, from, hasReturns);
      if (end < 0) break;
      this.#emit(chunk, text, start, end, sink);
      if (this.#isLineWise) return this.#pushLines(chunk.subarray(end), sink);
      start = end;
      from = end;
    }
    if (start === chunk.length) return;
    this.#keep(start === 0 ? chunk : chunk.subarray(start));
    if (this.#lines > this.#knownLines && this.#looks < MAX_LOOKS) this.#lookAtRest(sink);
  }

  /** Goes over to lines where what is kept of an event holds the whole data of one and the beginning of the next. */
  #lookAtRest(sink: EventSink): void {
    const bytes = Buffer.concat(this.#pieces);
    const text = bytes.toString("latin1");
    const tailLength = text.length - text.lastIndexOf("\n") - 1;
    this.#looks += 1;
    if (looseEnds(text, false).next().done !== true) {
      this.discard();
      return this.#emitLines(bytes, sink);
    }
    // Until its next line ends the answer stays the same.
    if (tailLength >= OPENING_LENGTH) this.#knownLines = this.#lines;
  }

  #pushLines(chunk: Buffer, sink: EventSink): void {
    if (chunk.length === 0) return;
    if (!chunk.includes(NEWLINE)) return this.#keep(chunk);
    const bytes = this.#pieces.length === 0 ? chunk : Buffer.concat([...this.#pieces, chunk]);
    this.discard();
    this.#emitLines(bytes, sink);
  }

  /** Hands on the events of a stream without blank lines, each with the blank line that it lacks. */
  #emitLines(bytes: Buffer, sink: EventSink): void {
    this.#isLineWise = true;
    const text = bytes.toString("latin1");
    let start = 0;
    for (const end of looseEnds(text, true)) {
      const event = text.slice(start, end);
      if (event.length > this.#limitBytes) throw tooLong(this.#limitBytes);
      if (event.trim() !== "") {
        const whole = /\n\r?\n$/.test(event) ? event : `${event}\n`;
        handOn(Buffer.from(whole, "latin1"), whole, sink);
      }
      start = end;
    }
    if (start < bytes.length) this.#keep(bytes.subarray(start));
  }

  /** Index just behind the blank line that ends an event, or -1 where the text holds none; the state crosses chunks. */
  #nextEnd(text: string, from: number, hasReturns: boolean): number {
    let position = from;
    for (;;) {
      if (this.#state === 0) {
        position = lineEnd(text, position, hasReturns);
        if (position < 0) return -1;
        this.#state = text.charCodeAt(position) === NEWLINE ? 1 : 2;
        this.#lines += 1;
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

  /** The event that is whole now, where it may be several: most have one line of data, or one with a name before it. */
  #severalIn(chunk: Buffer, start: number, end: number): Buffer | undefined {
    const lines = this.#lines;
    [this.#lines, this.#knownLines, this.#looks] = [0, 0, 0];
    const [first = chunk.subarray(start, end)] = this.#pieces;
    if (lines < 2 || (lines === 2 && !first.toString("latin1", 0, 5).startsWith("data"))) return undefined;
    const bytes = Buffer.concat([...this.#pieces, chunk.subarray(start, end)]);
    const { value } = looseEnds(bytes.toString("latin1"), false).next();
    return value === undefined || value === bytes.length ? undefined : bytes;
  }

  #emit(chunk: Buffer, text: string, start: number, end: number, sink: EventSink): void {
    const several = this.#severalIn(chunk, start, end);
    if (several !== undefined) {
      this.discard();
      return this.#emitLines(several, sink);
    }
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
