/** Finds where JSON text is invalid and describes the error so that it can be fixed. Pure. */

export type JsonProblem = "colon" | "comma" | "quote" | "value" | "close" | "name" | "trailing" | "extra";

export interface JsonError {
  /** Both counted from 1. */
  line: number;
  column: number;
  /** Offset in the text, counted from 0. */
  offset: number;
  problem: JsonProblem;
}

class Stop extends Error {
  readonly offset: number;
  readonly problem: JsonProblem;
  constructor(offset: number, problem: JsonProblem) {
    super(problem);
    this.offset = offset;
    this.problem = problem;
  }
}

const SPACE = /[ \t\r\n]*/y;
/** Characters as RFC 8259 lists those that need no escape: control characters are not among them. */
const STRING = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const WORD = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y;

function matchAt(pattern: RegExp, text: string, offset: number): number | undefined {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

const skip = (text: string, offset: number): number => matchAt(SPACE, text, offset) ?? offset;

function readString(text: string, offset: number, missing: JsonProblem): number {
  const end = matchAt(STRING, text, offset);
  if (end !== undefined) return end;
  throw new Stop(offset, text[offset] === '"' ? "quote" : missing);
}

/** A list of items up to `close`; the comma's place is the end of the item before it. */
function readItems(text: string, start: number, close: string, readItem: (at: number) => number): number {
  let at = skip(text, start);
  if (text[at] === close) return at + 1;
  for (;;) {
    const end = readItem(at);
    at = skip(text, end);
    if (text[at] === close) return at + 1;
    if (at >= text.length) throw new Stop(end, "close");
    if (text[at] !== ",") throw new Stop(end, "comma");
    const comma = at;
    at = skip(text, at + 1);
    if (text[at] === close) throw new Stop(comma, "trailing");
  }
}

function readMember(text: string, offset: number): number {
  const nameEnd = readString(text, offset, "name");
  const colon = skip(text, nameEnd);
  if (text[colon] !== ":") throw new Stop(nameEnd, "colon");
  return readValue(text, skip(text, colon + 1));
}

function readValue(text: string, offset: number): number {
  if (text[offset] === "{") return readItems(text, offset + 1, "}", (at) => readMember(text, at));
  if (text[offset] === "[") return readItems(text, offset + 1, "]", (at) => readValue(text, at));
  return matchAt(WORD, text, offset) ?? readString(text, offset, "value");
}

/** The first break in the text, or undefined where it is valid JSON. Empty text is valid: the field is unset. */
export function findJsonError(text: string): JsonError | undefined {
  if (text.trim() === "") return undefined;
  try {
    const end = skip(text, readValue(text, skip(text, 0)));
    if (end < text.length) throw new Stop(end, "extra");
    return undefined;
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    const before = text.slice(0, error.offset);
    return {
      line: before.split("\n").length,
      column: error.offset - before.lastIndexOf("\n"),
      offset: error.offset,
      problem: error.problem,
    };
  }
}

/** The text with two spaces of indent; unchanged where it is not valid. Number spellings beyond JavaScript's are kept by not touching such text. */
export function formatJson(text: string): string {
  if (text.trim() === "" || findJsonError(text) !== undefined) return text;
  const value: unknown = JSON.parse(text);
  return JSON.stringify(value, null, 2);
}
