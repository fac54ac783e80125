/** JSON that preserves the digits of long integers: 64-bit ids in tool arguments, and bounds of schemas; part of the hub. */
import type { JsonObject } from "../neutral/neutral.ts";

/** A whole number beyond what a double can tell apart begins so; few texts have one, and only those are read the slow way. */
const LONG_NUMBER = /[:[,\s]-?\d{16}/;
/** True where a JSON text may hold a whole number that a double rounds. */
const hasLongNumber = (text: string): boolean => LONG_NUMBER.test(text);
const WHOLE = /^-?\d+$/;

/** What the language's own types do not know yet (proposal-json-parse-with-source). */
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): { readonly rawJSON: string };
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
};

/** True for a number that parseExact did not convert. */
export const isRawNumber = (value: unknown): boolean => isRawJSON(value);

type Reviver = (name: string, value: unknown, context: { source?: string }) => unknown;

const keepDigits: Reviver = (_name, value, { source }) =>
  typeof value === "number" && !Number.isSafeInteger(value) && source !== undefined && WHOLE.test(source)
    ? rawJSON(source)
    : value;

/**
 * The value of a JSON text. Whole numbers that a double would round are there as they are written: JSON.stringify writes them back so,
 * and they are neither numbers nor objects to the readers of fields.ts. Throws SyntaxError.
 */
export const parseExact = (text: string): unknown =>
  hasLongNumber(text) ? JSON.parse(text, keepDigits as (name: string, value: unknown) => unknown) : JSON.parse(text);

const isExactObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isRawJSON(value);

/** The object a JSON text holds, its numbers exact; undefined where it holds anything else. */
export function parseExactObject(text: string): JsonObject | undefined {
  try {
    const value = parseExact(text);
    return isExactObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The object with numbers in place of the long ones of its top level, which are settings: a vendor rounds them as it likes. */
export function withPlainSettings(fields: JsonObject): JsonObject {
  const long = Object.entries(fields).filter(([, value]) => isRawJSON(value));
  if (long.length === 0) return fields;
  return {
    ...fields,
    ...Object.fromEntries(long.map(([name, value]) => [name, Number((value as { rawJSON: string }).rawJSON)])),
  };
}
