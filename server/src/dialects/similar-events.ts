/**
 * Reads the events of one stream, most of which differ from the one before in a few strings and numbers: what is known of them is
 * compared, and only the rest is read; part of the hub.
 */
import { hasLongNumber } from "./exact-json.ts";
import { parseObject } from "./json-fields.ts";
import type { JsonObject } from "./neutral.ts";
import { readEvent } from "./sse-event.ts";
import { nestedEnd, skipBlanks } from "./usage-counts.ts";

const QUOTE = 34;
const COMMA = 44;
const ZERO = 48;
const NINE = 57;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** Of longer events the words are the most, and they are read anyhow. */
const MAX_BYTES = 4096;
const MAX_DEPTH = 8;
/** So many shapes are known at a time, and so many events are compared to find them. */
const MAX_FORMS = 4;
const MAX_TRIES = 32;
/** V8 keeps a whole text alive for each slice of it from this length on. */
const SHARED_SLICE_CHARACTERS = 13;
/** Whole numbers of so many digits are exact. */
const MAX_DIGITS = 15;

type Path = readonly string[];
type Container = Record<string | number, unknown>;

const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;
const isClosing = (code: number): boolean => code === CLOSE_OBJECT || code === CLOSE_LIST;

/** Where the events of a form differ: the content of a string, or a whole number. */
interface Hole {
  readonly path: Path;
  readonly start: number;
  readonly end: number;
  readonly isString: boolean;
}

/** A member that is replaced, by a hole's value or because something in it is. */
interface Branch {
  readonly key: string | number;
  /** Number of the hole; -1 where it lies deeper. */
  readonly hole: number;
  readonly below: Branch[];
}

/** An event whose data is one JSON object. */
interface ReadObject {
  /** Latin-1. */
  readonly text: string;
  readonly event: string;
  readonly value: JsonObject;
  /** Where the object begins in the text. */
  readonly start: number;
}

/** Keeps nothing alive of the piece that the event came in. */
function readObject(bytes: Buffer): ReadObject | undefined {
  const text = bytes.toString("latin1");
  const line = text.startsWith("data:") ? 0 : text.indexOf("\ndata:") + 1;
  const { event, data } = readEvent(bytes, text);
  // Numbers that have to keep their digits are the decoder's own business.
  const value = hasLongNumber(data) ? undefined : parseObject(data);
  return value === undefined ? undefined : { text, event, value, start: skipBlanks(text, line + "data:".length) };
}

/** Position of the quote that ends a string whose first character is at `start`; -1 where JSON forbids what is in it. */
function stringEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code < 32) return -1;
    if (code === BACKSLASH) at += 1;
  }
  return -1;
}

function digitsEnd(text: string, start: number): number {
  let end = start;
  for (let code = text.charCodeAt(end); code >= ZERO && code <= NINE;) code = text.charCodeAt((end += 1));
  return end;
}

/** Position behind a value of a text that is JSON. */
function valueEnd(text: string, start: number): number {
  const code = text.charCodeAt(start);
  if (code === QUOTE) return stringEnd(text, start + 1) + 1;
  if (code === OPEN_OBJECT || code === OPEN_LIST) return nestedEnd(text, start);
  let end = start;
  while (end < text.length && text.charCodeAt(end) !== COMMA && !isClosing(text.charCodeAt(end))) end += 1;
  return end;
}

/** Position of a member's value in the object, or of an element in the list, that opens at `open`; -1 where there seems to be none. */
function memberStart(text: string, open: number, name: string): number {
  const isList = text.charCodeAt(open) === OPEN_LIST;
  let at = skipBlanks(text, open + 1);
  for (let place = 0; !isClosing(text.charCodeAt(at)); place += 1) {
    let key = String(place);
    if (!isList) {
      const end = stringEnd(text, at + 1);
      if (end < 0) return -1;
      key = text.slice(at + 1, end);
      at = skipBlanks(text, skipBlanks(text, end + 1) + 1);
    }
    if (key === name) return at;
    const behind = valueEnd(text, at);
    if (behind <= at) return -1;
    at = skipBlanks(text, behind);
    if (text.charCodeAt(at) === COMMA) at = skipBlanks(text, at + 1);
  }
  return -1;
}

function holeAt({ text, start: top }: ReadObject, path: Path): Hole | undefined {
  let start = top;
  for (const name of path) {
    start = memberStart(text, start, name);
    if (start < 0) return undefined;
  }
  if (text.charCodeAt(start) === QUOTE)
    return { path, start: start + 1, end: stringEnd(text, start + 1), isString: true };
  const end = digitsEnd(text, start);
  return /[\s,\]}]/.test(text.charAt(end)) ? { path, start, end, isString: false } : undefined;
}

/** Puts the paths of what is not the same in both into `found`. */
function compare(left: unknown, right: unknown, path: Path, found: Path[]): void {
  if (!isContainer(left) || !isContainer(right)) {
    if (!Object.is(left, right)) found.push(path);
  } else if (path.length < MAX_DEPTH) {
    for (const name of Object.keys(right)) compare(left[name], right[name], [...path, name], found);
  }
}

function branchesOf(sample: unknown, holes: readonly Hole[]): Branch[] {
  const top: Branch[] = [];
  for (const [hole, { path }] of holes.entries()) {
    let [level, value] = [top, sample];
    for (const [depth, name] of path.entries()) {
      const key = Array.isArray(value) ? Number(name) : name;
      let branch = level.find((known) => known.key === key);
      if (branch === undefined) level.push((branch = { key, hole: depth === path.length - 1 ? hole : -1, below: [] }));
      level = branch.below;
      value = (value as Container)[key];
    }
  }
  return top;
}

/** A copy with the holes filled; what has none is shared with the sample. */
function filled(sample: Container, branches: readonly Branch[], values: readonly unknown[]): Container {
  const copy: Container = Array.isArray(sample) ? (sample.slice() as unknown as Container) : { ...sample };
  for (const { key, hole, below } of branches)
    copy[key] = hole >= 0 ? values[hole] : filled(sample[key] as Container, below, values);
  return copy;
}

/** Events that are alike but for their holes. */
class Form {
  readonly event: string;
  readonly #sample: Container;
  readonly #holes: readonly Hole[];
  readonly #branches: readonly Branch[];
  /** What stands before each hole. */
  readonly #literals: readonly string[];
  /** What stands behind the last one. */
  readonly #rest: string;
  readonly #values: unknown[] = [];

  constructor({ text, event, value }: ReadObject, holes: readonly Hole[]) {
    this.event = event;
    this.#sample = value;
    this.#holes = holes;
    this.#branches = branchesOf(value, holes);
    this.#literals = holes.map(({ start }, place) => text.slice(holes[place - 1]?.end ?? 0, start));
    this.#rest = text.slice(holes.at(-1)?.end);
  }

  /** The object of an event that has this form. */
  read(bytes: Buffer, text: string): JsonObject | undefined {
    let at = 0;
    for (let place = 0; place < this.#holes.length; place += 1) {
      const literal = this.#literals[place] ?? "";
      const start = at + literal.length;
      // Comparing a slice is far quicker than startsWith.
      if (text.slice(at, start) !== literal) return undefined;
      const isString = this.#holes[place]?.isString === true;
      at = isString ? stringEnd(text, start) : digitsEnd(text, start);
      if (at < 0) return undefined;
      const value = isString ? stringOf(bytes, text, start, at) : wholeNumber(text, start, at);
      if (value === undefined) return undefined;
      this.#values[place] = value;
    }
    return text.slice(at) === this.#rest ? filled(this.#sample, this.#branches, this.#values) : undefined;
  }
}

/** The form that both events have; undefined where they differ in more than strings and whole numbers, or in nothing. */
function commonForm(before: ReadObject, after: ReadObject): Form | undefined {
  const paths: Path[] = [];
  compare(before.value, after.value, [], paths);
  const holes = paths.map((path) => holeAt(after, path)).filter((hole) => hole !== undefined);
  if (holes.length === 0) return undefined;
  const form = new Form(
    after,
    holes.toSorted((left, right) => left.start - right.start),
  );
  // Whatever else differs, or a hole at the first of two members with one name, leaves a difference outside of the holes.
  return form.read(Buffer.from(before.text, "latin1"), before.text) === undefined ? undefined : form;
}

/** A whole number of JSON; undefined where there is none, or one that is not exact. */
function wholeNumber(text: string, start: number, end: number): number | undefined {
  const digits = end - start;
  if (digits === 0 || digits > MAX_DIGITS || (digits > 1 && text.charCodeAt(start) === ZERO)) return undefined;
  let value = 0;
  for (let at = start; at < end; at += 1) value = value * 10 + text.charCodeAt(at) - ZERO;
  return value;
}

/** A string of JSON by its content's place; undefined where an escape is wrong. */
function stringOf(bytes: Buffer, text: string, start: number, end: number): string | undefined {
  let isAscii = true;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) return unescaped(bytes.toString("utf8", start - 1, end + 1));
    if (code > 127) isAscii = false;
  }
  if (!isAscii) return bytes.toString("utf8", start, end);
  return end - start < SHARED_SLICE_CHARACTERS ? text.slice(start, end) : bytes.toString("latin1", start, end);
}

function unescaped(json: string): string | undefined {
  try {
    return JSON.parse(json) as string;
  } catch {
    return undefined;
  }
}

export class SimilarEvents {
  /** Name of the event read last. */
  event = "";
  readonly #forms: Form[] = [];
  #last: ReadObject | undefined = undefined;
  #tries = MAX_TRIES;

  /**
   * The object that is an event's data, as JSON.parse would give it, where the event is like one seen before; undefined where it is
   * not or nobody knows. `bytes` and `text` as in readEvent. To be read, not changed: objects share what is the same in them.
   */
  read(bytes: Buffer, text: string): JsonObject | undefined {
    for (const form of this.#forms) {
      const value = form.read(bytes, text);
      if (value === undefined) continue;
      this.event = form.event;
      return value;
    }
    if (this.#tries > 0 && bytes.length <= MAX_BYTES) this.#learn(bytes);
    return undefined;
  }

  /** Events that follow one another are compared. */
  #learn(bytes: Buffer): void {
    const before = this.#last;
    const read = readObject(bytes);
    if (read === undefined) return;
    this.#tries -= 1;
    this.#last = this.#tries > 0 ? read : undefined;
    const form = before === undefined ? undefined : commonForm(before, read);
    if (form === undefined) return;
    if (this.#forms.length === MAX_FORMS) this.#forms.pop();
    this.#forms.unshift(form);
  }
}
