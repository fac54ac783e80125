/** Scans the top level of a JSON object in its own bytes: the position of each field, and the samples that token estimates need; patch.ts writes. */
import { Fault } from "../../../../contract/src/fault.ts";
import { MEDIA_BYTES, isMediaString } from "./media-string.ts";
import type { StringSample } from "./string-sample.ts";

type JsonFaultKind = "syntax" | "depth" | "fields" | "entries" | "not_an_object";

/** More at the top level than any request or answer has; each costs many times its bytes. */
const MAX_FIELDS = 4096;

const TEXTS: Readonly<Partial<Record<JsonFaultKind, string>>> = {
  depth: "the JSON is nested too deeply",
  fields: `the JSON object has more than ${MAX_FIELDS} fields`,
  entries: "the lists of a field have too many entries",
};

/** The text is no JSON object, nests deeper than allowed, or has too many fields or entries. `offset` is a byte position. */
export class JsonFault extends Fault<JsonFaultKind> {
  /** The field at the top level where it is known. */
  readonly field: string | undefined;

  constructor(kind: JsonFaultKind, offset: number, field?: string) {
    super(kind, TEXTS[kind] ?? `not a valid JSON object (at byte ${offset})`);
    this.field = field;
  }
}

/** One key of the top level; positions are byte offsets. */
export interface JsonField {
  name: string;
  keyStart: number;
  valueStart: number;
  valueEnd: number;
}

export interface JsonTop {
  /** Every field in the order of writing, repetitions too. */
  fields: readonly JsonField[];
  /** Just behind the opening brace. */
  open: number;
  /** At the closing brace. */
  close: number;
  /** Bytes inside strings that are not media, anywhere in the text. */
  stringBytes: number;
  /** Tokens of these strings, estimated; 0 where they are not wanted. */
  stringTokens: number;
  /** Long strings that are encoded media, found anywhere (media-string.ts). */
  mediaParts: number;
  /** Lists, however deep. */
  lists: number;
  /** Lists and objects around one another in a field, at most. */
  deepest: number;
}

/** Of a body without fields of JSON. */
export const EMPTY_TOP: JsonTop = Object.freeze({
  fields: [],
  open: 0,
  close: 0,
  stringBytes: 0,
  stringTokens: 0,
  mediaParts: 0,
  lists: 0,
  deepest: 0,
});

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;

/** Position of the quote that closes the string opened at `start`. */
function stringEnd(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end < 0) throw new JsonFault("syntax", start);
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
}

const decodeName = (raw: string): string => {
  if (!raw.includes("\\") && !/[\u0080-\u00ff]/.test(raw)) return raw;
  try {
    return String(JSON.parse(`"${Buffer.from(raw, "latin1").toString("utf8")}"`));
  } catch {
    return raw;
  }
};

/** Walks one text once; a class only so that positions need not be handed around. */
class Reader {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #sample: StringSample | undefined;
  readonly #maxEntries: number;
  /** Objects, lists and strings that are in lists of the field that is read, however deep. */
  #entries = 0;
  readonly fields: JsonField[] = [];
  stringBytes = 0;
  mediaParts = 0;
  lists = 0;
  deepest = 0;
  #position = 0;
  /** Where the quotes of names open: of the field at the top, then of each level, 0 in a list. */
  readonly #names: number[] = [];

  constructor(text: string, maxDepth: number, sample: StringSample | undefined, maxEntries: number) {
    this.#text = text;
    this.#maxEntries = maxEntries;
    this.#maxDepth = maxDepth;
    this.#sample = sample;
  }

  #skipSpace(): number {
    let code = this.#text.charCodeAt(this.#position);
    while (isSpace(code)) code = this.#text.charCodeAt((this.#position += 1));
    return code;
  }

  #fail(): never {
    throw new JsonFault("syntax", this.#position);
  }

  #isMedia(from: number, to: number): boolean {
    if (to - from < MEDIA_BYTES) return false;
    const starts = this.#names.filter((start) => start > 0);
    // The name of a field is no value.
    if (starts.includes(from - 1)) return false;
    const path = starts.map((start) => decodeName(this.#text.slice(start + 1, stringEnd(this.#text, start))));
    return isMediaString(this.#text, from, to, path);
  }

  /** Passes one string and counts what is in it. */
  #passString(): void {
    const end = stringEnd(this.#text, this.#position);
    if (this.#isMedia(this.#position + 1, end)) this.mediaParts += 1;
    else {
      this.stringBytes += end - this.#position - 1;
      this.#sample?.add(this.#text, this.#position + 1, end);
    }
    this.#position = end + 1;
  }

  /** Passes a number, true, false or null. */
  #passWord(): void {
    const start = this.#position;
    let code = this.#text.charCodeAt(this.#position);
    while (code === code && code !== COMMA && code !== CLOSE_OBJECT && code !== CLOSE_LIST && !isSpace(code)) {
      if (code === QUOTE || code === COLON || code === OPEN_LIST || code === OPEN_OBJECT) this.#fail();
      code = this.#text.charCodeAt((this.#position += 1));
    }
    if (this.#position === start) this.#fail();
  }

  /** Throws the JsonFault that names the field at the top level. */
  #countEntry(): void {
    this.#entries += 1;
    if (this.#entries <= this.#maxEntries) return;
    const start = this.#names[0] ?? 0;
    const name = decodeName(this.#text.slice(start + 1, stringEnd(this.#text, start)));
    throw new JsonFault("entries", this.#position, name);
  }

  /** Passes a list or an object by counting brackets; strings inside are skipped whole. */
  #passNested(outerDepth: number): void {
    const text = this.#text;
    const kinds: number[] = [];
    let innermost = 0;
    let isName = false;
    for (; this.#position < text.length;) {
      const code = text.charCodeAt(this.#position);
      const isOpening = code === OPEN_OBJECT || code === OPEN_LIST;
      if (innermost === OPEN_LIST && (isOpening || code === QUOTE)) this.#countEntry();
      if (code === QUOTE) {
        if (isName) this.#names[kinds.length] = this.#position;
        this.#passString();
        continue;
      }
      if (code === COLON) isName = false;
      else if (isOpening || code === COMMA) isName = (isOpening ? code : innermost) === OPEN_OBJECT;
      if (isOpening) {
        kinds.push((innermost = code));
        this.#names[kinds.length] = 0;
        if (code === OPEN_LIST) this.lists += 1;
        this.deepest = Math.max(this.deepest, kinds.length);
        if (outerDepth + kinds.length > this.#maxDepth) throw new JsonFault("depth", this.#position);
      } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
        this.#names.length = kinds.length;
        isName = false;
        if (kinds.pop() !== code - 2) this.#fail();
        if (kinds.length === 0) return void (this.#position += 1);
        innermost = kinds.at(-1) ?? 0;
      }
      this.#position += 1;
    }
    this.#fail();
  }

  #passValue(): void {
    const code = this.#skipSpace();
    if (code === QUOTE) this.#passString();
    else if (code === OPEN_OBJECT || code === OPEN_LIST) this.#passNested(1);
    else this.#passWord();
  }

  #readField(): void {
    const keyStart = this.#position;
    if (this.fields.length >= MAX_FIELDS) throw new JsonFault("fields", keyStart);
    if (this.#text.charCodeAt(keyStart) !== QUOTE) this.#fail();
    const keyEnd = stringEnd(this.#text, keyStart);
    this.#position = keyEnd + 1;
    if (this.#skipSpace() !== COLON) this.#fail();
    this.#position += 1;
    this.#skipSpace();
    const valueStart = this.#position;
    this.#names[0] = keyStart;
    this.#entries = 0;
    this.#passValue();
    this.fields.push({
      name: decodeName(this.#text.slice(keyStart + 1, keyEnd)),
      keyStart,
      valueStart,
      valueEnd: this.#position,
    });
  }

  read(): { open: number; close: number } {
    if (this.#skipSpace() !== OPEN_OBJECT) throw new JsonFault("not_an_object", this.#position);
    const open = (this.#position += 1);
    if (this.#skipSpace() === CLOSE_OBJECT) return { open, close: this.#finish() };
    for (;;) {
      this.#skipSpace();
      this.#readField();
      const code = this.#skipSpace();
      if (code === CLOSE_OBJECT) return { open, close: this.#finish() };
      if (code !== COMMA) this.#fail();
      this.#position += 1;
    }
  }

  #finish(): number {
    const close = this.#position;
    this.#position += 1;
    this.#skipSpace();
    if (this.#position < this.#text.length) this.#fail();
    return close;
  }
}

/**
 * Finds the fields of a JSON object without parsing it. `text` is the body as Latin-1, one character a byte. Brackets, strings and
 * the top level are checked, the inside of nested values is left to the upstream. Throws JsonFault; depth is counted before anything
 * could be parsed. A sample takes every string that is no media. Objects, lists and strings in the lists of one field are at most
 * `maxEntries`: each costs many times its bytes.
 */
export function readTopLevel(
  text: string,
  maxDepth: number,
  sample?: StringSample,
  maxEntries = Number.POSITIVE_INFINITY,
): JsonTop {
  const reader = new Reader(text, maxDepth, sample, maxEntries);
  const { open, close } = reader.read();
  const { fields, stringBytes, mediaParts, lists, deepest } = reader;
  return { fields, open, close, stringBytes, stringTokens: sample?.tokens ?? 0, mediaParts, lists, deepest };
}

/** The field a receiver would take: the last of that name. */
export function fieldOf(top: JsonTop, name: string): JsonField | undefined {
  for (let index = top.fields.length - 1; index >= 0; index -= 1) {
    const field = top.fields[index];
    if (field !== undefined && field.name === name) return field;
  }
  return undefined;
}

/** Parses the value of one field; undefined where it is absent or no JSON. */
export function valueOf(body: Buffer, top: JsonTop, name: string): unknown {
  const field = fieldOf(top, name);
  if (field === undefined) return undefined;
  try {
    return JSON.parse(body.toString("utf8", field.valueStart, field.valueEnd));
  } catch {
    return undefined;
  }
}

/** Numbers inside a list or object, those in strings not counted: token ids of an input that was encoded by the client. */
export function countNumbers(body: Buffer, field: JsonField): number {
  let count = 0;
  let wasNumber = false;
  for (let at = field.valueStart; at < field.valueEnd; at += 1) {
    const code = body[at] ?? 0;
    if (code === QUOTE) {
      for (at += 1; at < field.valueEnd && body[at] !== QUOTE; at += 1) if (body[at] === BACKSLASH) at += 1;
    }
    // 0-9 + - . e E: what a number is made of; `true`, `false` and `null` do not begin with one of them.
    const isDigit = code >= 48 && code <= 57;
    if (isDigit && !wasNumber) count += 1;
    wasNumber = isDigit || (wasNumber && (code === 43 || code === 45 || code === 46 || code === 69 || code === 101));
  }
  return count;
}
