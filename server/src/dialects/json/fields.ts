/** Reads values of parsed JSON by their expected type; part of the hub. */
import { isRawNumber } from "./exact.ts";
import type { JsonObject } from "../neutral/neutral.ts";

/** What the language gives for numbers that keep their digits (exact.ts) is an object to it alone, and has no prototype. */
const isLongNumber = (value: object): boolean => Object.getPrototypeOf(value) === null && isRawNumber(value);

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isLongNumber(value);

const NO_FIELDS: JsonObject = Object.freeze({});

/** The object, or an empty one. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : NO_FIELDS);
/** The list, or an empty one. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/** The text, or an empty one. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
/** A table's own entry for an untrusted name; undefined for inherited properties such as `constructor`. */
export const ownOf = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** Puts the items behind those of a list: spread into one push, so many as a request may hold are more than a call takes. */
export function addAll<Item>(list: Item[], items: readonly Item[]): void {
  for (const item of items) list.push(item);
}

export const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The object a JSON text holds; undefined where it holds anything else. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A copy without the keys whose value is undefined. */
export function defined<Shape extends object>(fields: Shape): { [Key in keyof Shape]: Exclude<Shape[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** Names of the fields that are not in `known` and hold something. */
export const unknownNames = (fields: JsonObject, known: ReadonlySet<string>): string[] =>
  Object.keys(fields).filter((name) => !known.has(name) && fields[name] !== null && fields[name] !== undefined);
