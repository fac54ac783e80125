/** Splits a pasted text into keys: one a line, and each JSON object is one key however many lines it takes. Used by server and form. */

/** What a text holds. */
export interface KeyText {
  /** Each once, in their order; JSON objects on one line. */
  keys: string[];
  /** How many stood there again. */
  duplicates: number;
  /** The line, counted from 1, where a JSON object or list begins that cannot be read; undefined where all can. */
  brokenLine: number | undefined;
}

const OPENS = new Set(["{", "["]);
const CLOSES = new Set(["}", "]"]);

/** Where the JSON value that begins at `start` ends, or undefined where its brackets are never closed. */
function endOfJson(text: string, start: number): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (isInString) {
      if (character === "\\") at += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (OPENS.has(character)) depth += 1;
    else if (CLOSES.has(character) && (depth -= 1) === 0) return at + 1;
  }
  return undefined;
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

/** The keys that a JSON value holds: an object is one, a list holds objects or texts. Undefined for anything else. */
function keysOfJson(json: string): string[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined; // The caller names the line.
  }
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!entries.every((entry) => isObject(entry) || typeof entry === "string")) return undefined;
  return entries.map((entry) => (typeof entry === "string" ? entry.trim() : JSON.stringify(entry)));
}

interface Found {
  keys: string[];
  /** Where the rest begins. */
  end: number;
}

const LINE_END = /[\r\n]/g;

/** The keys that begin at `start`; undefined where a JSON value cannot be read. */
function keysAt(text: string, start: number): Found | undefined {
  if (OPENS.has(text.charAt(start))) {
    const end = endOfJson(text, start);
    const keys = end === undefined ? undefined : keysOfJson(text.slice(start, end));
    return end === undefined || keys === undefined ? undefined : { keys, end };
  }
  LINE_END.lastIndex = start;
  const end = LINE_END.exec(text)?.index ?? text.length;
  return { keys: [text.slice(start, end).trim()], end };
}

/** Reads the keys of a text. Blank lines, and commas between JSON objects, count for nothing. */
export function readKeys(text: string): KeyText {
  const keys = new Set<string>();
  let duplicates = 0;
  let at = 0;
  for (;;) {
    while (at < text.length && /[\s,\uFEFF]/.test(text.charAt(at))) at += 1;
    if (at >= text.length) return { keys: [...keys], duplicates, brokenLine: undefined };
    const found = keysAt(text, at);
    if (found === undefined) {
      const brokenLine = text.slice(0, at).split(/\r\n|\r|\n/).length;
      return { keys: [...keys], duplicates, brokenLine };
    }
    for (const key of found.keys) {
      if (key === "") continue;
      if (keys.has(key)) duplicates += 1;
      keys.add(key);
    }
    at = found.end;
  }
}
