/** Finds positions in JSON text: where it is invalid, where a key is duplicated, and where the value of a path is. Pure; used on both sides. */

type JsonProblem =
  | "colon"
  | "comma"
  | "quote"
  | "value"
  | "close"
  | "name"
  | "trailing"
  | "extra"
  | "duplicate"
  | "deep";

/** Names and indexes that lead from the whole value to one inside it. */
export type JsonPath = readonly (string | number)[];

/** A position in a text, for display. */
export interface JsonPlace {
  /** Both counted from 1. */
  line: number;
  column: number;
  /** Offset in the text, counted from 0. */
  offset: number;
}

export interface JsonError extends JsonPlace {
  problem: JsonProblem;
  /** The name that stands twice in one object; "" for every other problem. */
  name: string;
}

/** No setting nests deeper; what reads it may recurse. */
const MAX_DEPTH = 64;

class Stop extends Error {
  readonly offset: number;
  readonly problem: JsonProblem;
  readonly duplicate: string;
  constructor(offset: number, problem: JsonProblem, duplicate = "") {
    super(problem);
    this.offset = offset;
    this.problem = problem;
    this.duplicate = duplicate;
  }
}

const SPACE = /[ \t\r\n]*/y;
/** Characters as RFC 8259 lists those that need no escape: control characters are not among them. */
const UNESCAPED = /[ !#-[\]-\uffff]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const WORD = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y;

function matchAt(pattern: RegExp, text: string, offset: number): number | undefined {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** Called for each value inside with its path; all numbers are offsets. */
interface Visitor {
  /** Before the value is read; `name` is where its name begins, or the value again in a list. */
  begin?(path: JsonPath, value: number, name: number): void;
  /** Once it is read; what is inside it came before. */
  end?(path: JsonPath, value: number, end: number): void;
}

/** Reads a text from left to right and throws Stop at its first break. Each read function takes an offset and gives the one behind it. */
class Reader {
  readonly #text: string;
  readonly #visitor: Visitor;
  readonly #path: (string | number)[] = [];

  constructor(text: string, visitor: Visitor) {
    this.#text = text;
    this.#visitor = visitor;
  }

  readAll(): void {
    const end = this.#skip(this.#readValue(this.#skip(0)));
    if (end < this.#text.length) throw new Stop(end, "extra");
  }

  #skip(offset: number): number {
    return matchAt(SPACE, this.#text, offset) ?? offset;
  }

  #readString(offset: number, missing: JsonProblem): number {
    if (this.#text[offset] !== '"') throw new Stop(offset, missing);
    let at: number | undefined = offset + 1;
    while (at !== undefined) {
      at = matchAt(UNESCAPED, this.#text, at) ?? at;
      if (this.#text[at] === '"') return at + 1;
      at = matchAt(ESCAPE, this.#text, at);
    }
    throw new Stop(offset, "quote");
  }

  /** A list of items up to `close`; the comma's place is the end of the item before it. */
  #readItems(start: number, close: string, readItem: (at: number, index: number) => number): number {
    if (this.#path.length >= MAX_DEPTH) throw new Stop(start - 1, "deep");
    let at = this.#skip(start);
    if (this.#text[at] === close) return at + 1;
    for (let index = 0; ; index += 1) {
      const end = readItem(at, index);
      at = this.#skip(end);
      if (this.#text[at] === close) return at + 1;
      if (at >= this.#text.length) throw new Stop(end, "close");
      if (this.#text[at] !== ",") throw new Stop(end, "comma");
      const comma = at;
      at = this.#skip(at + 1);
      if (this.#text[at] === close) throw new Stop(comma, "trailing");
    }
  }

  #readObject(offset: number): number {
    const names = new Set<string>();
    return this.#readItems(offset + 1, "}", (at) => {
      const nameEnd = this.#readString(at, "name");
      const name = JSON.parse(this.#text.slice(at, nameEnd)) as string;
      if (names.has(name)) throw new Stop(at, "duplicate", name);
      names.add(name);
      const colon = this.#skip(nameEnd);
      if (this.#text[colon] !== ":") throw new Stop(nameEnd, "colon");
      return this.#readInside(name, this.#skip(colon + 1), at);
    });
  }

  #readInside(step: string | number, value: number, name: number): number {
    this.#path.push(step);
    this.#visitor.begin?.(this.#path, value, name);
    const end = this.#readValue(value);
    this.#visitor.end?.(this.#path, value, end);
    this.#path.pop();
    return end;
  }

  #readValue(offset: number): number {
    if (this.#text[offset] === "{") return this.#readObject(offset);
    if (this.#text[offset] === "[")
      return this.#readItems(offset + 1, "]", (at, index) => this.#readInside(index, at, at));
    return matchAt(WORD, this.#text, offset) ?? this.#readString(offset, "value");
  }
}

function placeAt(text: string, offset: number): JsonPlace {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n"), offset };
}

function stopOf(text: string, visitor: Visitor = {}): Stop | undefined {
  try {
    new Reader(text, visitor).readAll();
    return undefined;
  } catch (error) {
    if (error instanceof Stop) return error;
    throw error;
  }
}

/**
 * The first break in the text, or undefined where it is valid JSON that names nothing twice in one object. Empty text is valid: the
 * field is unset.
 */
export function findJsonError(text: string): JsonError | undefined {
  if (text.trim() === "") return undefined;
  const stop = stopOf(text);
  return stop && { ...placeAt(text, stop.offset), problem: stop.problem, name: stop.duplicate };
}

const isStartOf = (path: JsonPath, whole: JsonPath): boolean =>
  path.length <= whole.length && path.every((step, index) => step === whole[index]);

/**
 * Where the value of a path is in JSON text, or its name with `part` "name". Where the path leads further than the text, the place
 * is that of the innermost value there is. Never throws: what stands behind a break in the text counts as missing.
 */
export function placeOfPath(text: string, path: JsonPath, part: "value" | "name" = "value"): JsonPlace {
  let found = Math.max(text.search(/[^ \t\r\n]/), 0);
  let depth = 0;
  const begin = (at: JsonPath, value: number, name: number): void => {
    if (at.length <= depth || !isStartOf(at, path)) return;
    depth = at.length;
    found = part === "name" && depth === path.length ? name : value;
  };
  stopOf(text, { begin });
  return placeAt(text, found);
}

/** The members of the object at `path` in JSON text: their names and their values' own text, with numbers as they were written. */
export function membersOf(text: string, path: JsonPath = []): readonly (readonly [name: string, text: string])[] {
  const members: [string, string][] = [];
  const end = (at: JsonPath, valueBegin: number, valueEnd: number): void => {
    const name = at.at(-1);
    if (at.length === path.length + 1 && typeof name === "string" && isStartOf(path, at))
      members.push([name, text.slice(valueBegin, valueEnd)]);
  };
  stopOf(text, { end });
  return members;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const INDENT = "  ";

/** The text with two spaces of indent and every number and string as it was written; unchanged where it is not valid. */
export function formatJson(text: string): string {
  if (text.trim() === "" || findJsonError(text) !== undefined) return text;
  let depth = 0;
  let before = "";
  let formatted = "";
  const newLine = (): string => `\n${INDENT.repeat(depth)}`;
  for (const [token] of text.matchAll(TOKEN)) {
    const isClosing = token === "}" || token === "]";
    const isFirst = before === "{" || before === "[";
    if (isClosing) depth -= 1;
    if (isFirst !== isClosing || before === ",") formatted += newLine();
    formatted += token === ":" ? ": " : token;
    if (token === "{" || token === "[") depth += 1;
    before = token;
  }
  return formatted;
}
