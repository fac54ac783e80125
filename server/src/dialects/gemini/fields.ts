/** Reads Gemini's JSON as its API does: camelCase or snake_case names, a single value for a list, faults with the path. */
import { isObject } from "../json/fields.ts";
import { type JsonObject, TranslationFault } from "../neutral/neutral.ts";

const snakeNames = new Map<string, string>();

/** `systemInstruction` -> `system_instruction`. */
export function snakeOf(name: string): string {
  const known = snakeNames.get(name);
  if (known !== undefined) return known;
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  snakeNames.set(name, snake);
  return snake;
}

/** The value under the name in either spelling (protobuf.dev/programming-guides/json); undefined where absent or null. */
export function pick(fields: JsonObject, name: string): unknown {
  const value = fields[name] ?? fields[snakeOf(name)];
  return value === null ? undefined : value;
}

/** The names of `known` in both spellings. */
export const spellings = (known: readonly string[]): ReadonlySet<string> =>
  new Set(known.flatMap((name) => [name, snakeOf(name)]));

/** Throws TranslationFault where the value is there and no object. */
export function objectAt(value: unknown, path: string): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw new TranslationFault(path, `${path} must be an object.`);
  return value;
}

/** A list; a single object counts as a list of one, as the vendor's parser takes it. Throws TranslationFault. */
export function objectsAt(value: unknown, path: string): readonly JsonObject[] {
  if (value === undefined || value === null) return [];
  if (isObject(value)) return [value];
  if (!Array.isArray(value)) throw new TranslationFault(path, `${path} must be a list of objects.`);
  for (const [index, entry] of value.entries()) {
    if (!isObject(entry)) throw new TranslationFault(`${path}[${index}]`, `${path}[${index}] must be an object.`);
  }
  return value as JsonObject[];
}

/** Throws TranslationFault where the value is there and no string. */
export function textAt(value: unknown, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw new TranslationFault(path, `${path} must be a string.`);
  return value;
}

/** A text that has to be there and hold something. Throws TranslationFault. */
export function neededTextAt(value: unknown, path: string): string {
  const text = textAt(value, path);
  if (text === undefined || text === "") throw new TranslationFault(path, `${path} is missing.`);
  return text;
}

/** A number, also as text, as protobuf's JSON allows. Throws TranslationFault. */
export function numberAt(value: unknown, path: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value === "string" && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value)) return Number(value);
  throw new TranslationFault(path, `${path} must be a number.`);
}

/** Throws TranslationFault where the value is there and no boolean. */
export function booleanAt(value: unknown, path: string): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "boolean") throw new TranslationFault(path, `${path} must be true or false.`);
  return value;
}

/** A list of strings. Throws TranslationFault. */
export function textsAt(value: unknown, path: string): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.every((entry) => typeof entry === "string")) return list;
  throw new TranslationFault(path, `${path} must be a list of strings.`);
}

/** Python's SDK writes bytes in the URL-safe alphabet, which no other vendor reads. */
export const plainBase64 = (data: string): string =>
  data.includes("-") || data.includes("_") ? data.replaceAll("-", "+").replaceAll("_", "/") : data;
