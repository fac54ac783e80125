/** Finds values by name anywhere in a body, in place: nothing else of it is parsed. */
import type { JsonField } from "../../dialects/json/bytes.ts";

const [QUOTE, COMMA, COLON, BACKSLASH] = [34, 44, 58, 92];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/** What is read of a text: a media type, or the beginning of an address. */
const HEAD_BYTES = 300;

export interface Range {
  readonly start: number;
  readonly end: number;
}

function pastBlanks(body: Buffer, from: number): number {
  let at = from;
  while (at < body.length && (body[at] ?? 0) <= 32) at += 1;
  return at;
}

/** Just behind the string that opens at `start`. */
function pastString(body: Buffer, start: number): number {
  for (let end = body.indexOf(QUOTE, start + 1); end >= 0; end = body.indexOf(QUOTE, end + 1)) {
    let backslashes = 0;
    while (body[end - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return body.length;
}

/** Just behind the value that begins at `start`; the body's brackets and strings were checked before (json/bytes.ts). */
function pastValue(body: Buffer, start: number): number {
  if (body[start] === QUOTE) return pastString(body, start);
  let depth = 0;
  for (let at = start; at < body.length;) {
    const code = body[at] ?? 0;
    if (code === QUOTE) {
      at = pastString(body, at);
      continue;
    }
    if (depth === 0 && (code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT)) return at;
    at += 1;
    if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    else if ((code === CLOSE_LIST || code === CLOSE_OBJECT) && (depth -= 1) === 0) return at;
  }
  return body.length;
}

/** Where values stand whose name is written so, quotes included, outside of one field: inside a text quotes are escaped. */
export function* valuesNamed(body: Buffer, name: Buffer, outside?: JsonField): Generator<Range> {
  for (let at = body.indexOf(name); at >= 0; at = body.indexOf(name, at)) {
    if (outside !== undefined && at >= outside.valueStart && at < outside.valueEnd) {
      at = outside.valueEnd;
      continue;
    }
    at = pastBlanks(body, at + name.length);
    // It may be a value itself.
    if (body[at] !== COLON) continue;
    const start = pastBlanks(body, at + 1);
    yield { start, end: pastValue(body, start) };
  }
}

/** Where the entries of a list stand; of anything else, which some vendors read as a list of one, the value itself. */
export function* entriesOf(
  body: Buffer,
  { valueStart, valueEnd }: Pick<JsonField, "valueStart" | "valueEnd">,
): Generator<Range> {
  if (body[valueStart] !== OPEN_LIST) return yield { start: valueStart, end: valueEnd };
  for (let at = pastBlanks(body, valueStart + 1); at < valueEnd && body[at] !== CLOSE_LIST;) {
    const end = pastValue(body, at);
    yield { start: at, end };
    at = pastBlanks(body, pastBlanks(body, end) + 1);
  }
}

/** The beginning of a text as its reader sees it, in small letters, where slashes alone are escaped; undefined for other values. */
export function headOf(body: Buffer, { start, end }: Range): string | undefined {
  if (body[start] !== QUOTE) return undefined;
  const text = body.toString("latin1", start + 1, Math.min(end - 1, start + HEAD_BYTES));
  return text.replaceAll("\\/", "/").trim().toLowerCase();
}

/** The parsed value; undefined where it is no JSON. */
export function parsedValue(body: Buffer, { start, end }: Range): unknown {
  try {
    return JSON.parse(body.toString("utf8", start, end));
  } catch {
    return undefined;
  }
}
