/** Normalises upstream counts to integers that can be priced, and finds usage objects in text; part of the hub. */
import { MAX_TOKEN_COUNT } from "../../../../contract/src/pricing/pricing.ts";
import type { ChargedTool, ToolCalls, Usage } from "../../../../contract/src/pricing/usage.ts";
import { NO_USAGE } from "../../../../contract/src/pricing/usage.ts";
import type { JsonObject } from "./neutral.ts";

/** Usage that can be priced, and what was wrong with the upstream's own. */
export interface NormalisedUsage {
  usage: Usage;
  /** Names of the counts that were no whole numbers of at least 0 and at most MAX_TOKEN_COUNT. */
  faults: readonly string[];
  /** The vendor refused the prompt before a model saw it, and counts nothing: nothing is to be estimated either. */
  isTurnedAway?: true;
}

/**
 * A count as a whole number within bounds. Absent and null are 0 and no fault; numeric text is read, everything else is 0, also what is
 * more than anything has: an upstream that counts so has not counted.
 */
export function countOf(source: JsonObject, name: string, faults: string[]): number {
  const value = source[name];
  if (value === undefined || value === null) return 0;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_TOKEN_COUNT) return value;
  faults.push(name);
  const read = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof read === "number" && read > 0 && read <= MAX_TOKEN_COUNT ? Math.ceil(read) : 0;
}

/** The first of several spellings that is above 0. */
export function firstCount(
  candidates: readonly (readonly [source: JsonObject, name: string])[],
  faults: string[],
): number {
  for (const [source, name] of candidates) {
    const count = countOf(source, name, faults);
    if (count > 0) return count;
  }
  return 0;
}

/** Counts one more call of a priced tool in a list that has each tool and variant once. */
export function noteToolCall(list: ToolCalls[], tool: ChargedTool, variant?: string): void {
  const found = list.find((each) => each.tool === tool && each.variant === variant);
  if (found === undefined)
    list.push({ tool, ...(variant === undefined ? {} : { variant }), calls: 1, usdPerThousand: "" });
  else found.calls += 1;
}

/** Usage of our own counting. */
export const estimatedUsage = (inputTokens: number, outputTokens: number): Usage => ({
  ...NO_USAGE,
  inputTokens,
  outputTokens,
  isEstimated: true,
});

/** Position just behind the value that starts at `start`, an object or list; -1 where it does not end. Strings are skipped. */
export function nestedEnd(text: string, start: number): number {
  let depth = 0;
  for (let position = start; position < text.length; position += 1) {
    const code = text.charCodeAt(position);
    if (code === 34) {
      for (position += 1; position < text.length && text.charCodeAt(position) !== 34; position += 1) {
        if (text.charCodeAt(position) === 92) position += 1;
      }
    } else if (code === 123 || code === 91) depth += 1;
    else if (code === 125 || code === 93) {
      depth -= 1;
      if (depth === 0) return position + 1;
    }
  }
  return -1;
}

/** First position at or after `start` that is no blank. */
export function skipBlanks(text: string, start: number): number {
  let position = start;
  for (let code = text.charCodeAt(position); code === 32 || code === 10 || code === 13 || code === 9;) {
    code = text.charCodeAt((position += 1));
  }
  return position;
}

/** Brackets that are closed between two positions less those that are opened there; both lie outside strings. */
function closedBetween(text: string, from: number, to: number): number {
  let closed = 0;
  for (let position = from; position < to; position += 1) {
    const code = text.charCodeAt(position);
    if (code === 34) {
      for (position += 1; position < to && text.charCodeAt(position) !== 34; position += 1) {
        if (text.charCodeAt(position) === 92) position += 1;
      }
    } else if (code === 125 || code === 93) closed += 1;
    else if (code === 123 || code === 91) closed -= 1;
  }
  return closed;
}

/** How deep places of a text lie, asked from its end to its front, so that nothing between them is read twice. */
class Depths {
  readonly #text: string;
  #from: number;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#from = text.length;
  }

  /** Objects and lists around the member whose key starts at `key` and whose value ends before `end`. */
  of(key: number, end: number): number {
    // Nested in each other, the outer one ends behind the inner one's place.
    if (end > this.#from) return closedBetween(this.#text, end, this.#text.length);
    this.#depth += closedBetween(this.#text, end, this.#from);
    this.#from = key;
    return this.#depth;
  }
}

function parsedBetween(text: string, start: number, end: number): unknown {
  try {
    return JSON.parse(text.slice(start, end));
  } catch {
    return undefined;
  }
}

/** A kind of JSON value: the character it begins with, and where one ends, just behind it; -1 where it does not. */
interface ValueKind {
  first: number;
  end(text: string, start: number): number;
}

const OBJECT: ValueKind = { first: 123, end: nestedEnd };
const TEXT: ValueKind = { first: 34, end: textEnd };

function textEnd(text: string, start: number): number {
  for (let position = start + 1; position < text.length; position += 1) {
    const code = text.charCodeAt(position);
    if (code === 34) return position + 1;
    if (code === 92) position += 1;
  }
  return -1;
}

/** Members of other depths that are passed over: of thousands, one around the other, each would be read with all that is in it. */
const MAX_PASSED = 64;

/** Finds what findObject and findText do. */
function findValue(text: string, quotedKey: string, kind: ValueKind, depths?: readonly number[]): unknown {
  const found = depths === undefined ? undefined : new Depths(text);
  let passed = 0;
  for (let key = text.lastIndexOf(quotedKey); key >= 0; key = key === 0 ? -1 : text.lastIndexOf(quotedKey, key - 1)) {
    const colon = skipBlanks(text, key + quotedKey.length);
    if (text.charCodeAt(colon) !== 58) continue;
    const start = skipBlanks(text, colon + 1);
    if (text.charCodeAt(start) !== kind.first) continue;
    const end = kind.end(text, start);
    if (end < 0) return undefined;
    if (found === undefined || depths?.includes(found.of(key, end)) === true) return parsedBetween(text, start, end);
    if ((passed += 1) > MAX_PASSED) return undefined;
  }
  return undefined;
}

/**
 * The last object under the key (written with its quotes, `"usage"`) in the text, parsed; undefined where there is none. Found by
 * scanning from the end: inside strings a quote is always escaped, so the key cannot be part of an answer's text. It can be a member
 * of something that the client or the model wrote, a schema that is repeated or a call's arguments, so `depths` names how many objects
 * and lists may be around it, 1 for a member of the whole; any number where absent.
 */
export const findObject = (text: string, quotedKey: string, depths?: readonly number[]): unknown =>
  findValue(text, quotedKey, OBJECT, depths);

/** The same for a text that is not empty. */
export function findText(text: string, quotedKey: string, depths: readonly number[]): string | undefined {
  const found = findValue(text, quotedKey, TEXT, depths);
  return typeof found === "string" && found !== "" ? found : undefined;
}
