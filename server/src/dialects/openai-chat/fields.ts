/** Reads values of a chat request strictly: a wrong type is a fault that names the field as the client does. */
import { isObject } from "../json/fields.ts";
import { type JsonObject, TranslationFault } from "../neutral/neutral.ts";

/** Throws: the value at `path` is not what it should be. */
export function refuse(path: string, expected: string): never {
  throw new TranslationFault(path, `'${path}' ${expected}.`);
}

/** Null and undefined both mean that the client left a field out. */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

export function needObject(value: unknown, path: string): JsonObject {
  return isObject(value) ? value : refuse(path, "must be an object");
}

export function needText(value: unknown, path: string): string {
  return typeof value === "string" ? value : refuse(path, "must be a string");
}

/** A text that names something, so it may not be empty. */
export function needName(value: unknown, path: string): string {
  const text = needText(value, path);
  return text === "" ? refuse(path, "must not be empty") : text;
}

export function needList(value: unknown, path: string): readonly unknown[] {
  return Array.isArray(value) ? value : refuse(path, "must be an array");
}

export const textAt = (fields: JsonObject, name: string, path = name): string | undefined =>
  isAbsent(fields[name]) ? undefined : needText(fields[name], path);

export const objectAt = (fields: JsonObject, name: string, path = name): JsonObject | undefined =>
  isAbsent(fields[name]) ? undefined : needObject(fields[name], path);

export const listAt = (fields: JsonObject, name: string, path = name): readonly unknown[] =>
  isAbsent(fields[name]) ? [] : needList(fields[name], path);

export function booleanAt(fields: JsonObject, name: string, path = name): boolean | undefined {
  const value = fields[name];
  if (isAbsent(value)) return undefined;
  return typeof value === "boolean" ? value : refuse(path, "must be true or false");
}

export function numberAt(fields: JsonObject, name: string, path = name): number | undefined {
  const value = fields[name];
  if (isAbsent(value)) return undefined;
  return typeof value === "number" && Number.isFinite(value) ? value : refuse(path, "must be a number");
}

/** A whole number of at least `least`. */
export function wholeAt(fields: JsonObject, name: string, least: number, path = name): number | undefined {
  const value = numberAt(fields, name, path);
  if (value === undefined || (Number.isInteger(value) && value >= least)) return value;
  return refuse(path, `must be a whole number of at least ${least}`);
}

/** One of the values in the table. */
export function wordAt<Word extends string>(
  fields: JsonObject,
  name: string,
  values: readonly Word[],
  path = name,
): Word | undefined {
  const value = textAt(fields, name, path);
  if (value === undefined) return undefined;
  return values.find((word) => word === value) ?? refuse(path, `must be one of ${values.join(", ")}`);
}
