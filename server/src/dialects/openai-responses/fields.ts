/** Reads typed fields of a Responses request; a malformed one is a fault with its path. Part of the OpenAI Responses dialect. */
import { isObject, numberOf } from "../json/fields.ts";
import { type JsonObject, TranslationFault } from "../neutral/neutral.ts";

/** `input[2].content`: the place of a field inside another. */
export const placeOf = (at: string, name: string): string => (at === "" ? name : `${at}.${name}`);

/** Reads one field: undefined where it is absent or null, a fault naming it where it is of another type. */
function reader<Value>(isValue: (value: unknown) => boolean, what: string) {
  return (fields: JsonObject, name: string, at = ""): Value | undefined => {
    const value = fields[name];
    if (value === undefined || value === null) return undefined;
    if (!isValue(value)) throw new TranslationFault(placeOf(at, name), `${placeOf(at, name)} must be ${what}`);
    return value as Value;
  };
}

export const readText = reader<string>((value) => typeof value === "string", "a string");
export const readNumber = reader<number>((value) => numberOf(value) !== undefined, "a number");
export const readBoolean = reader<boolean>((value) => typeof value === "boolean", "true or false");
export const readObject = reader<JsonObject>(isObject, "an object");
export const readList = reader<readonly unknown[]>(Array.isArray, "a list");

/** A text that must be there and hold something. Throws TranslationFault otherwise. */
export function needText(fields: JsonObject, name: string, at: string): string {
  const text = readText(fields, name, at);
  if (text === undefined || text === "")
    throw new TranslationFault(placeOf(at, name), `${placeOf(at, name)} is missing`);
  return text;
}

/** An entry of a list that must be an object. Throws TranslationFault otherwise. */
export function needObject(value: unknown, at: string): JsonObject {
  if (!isObject(value)) throw new TranslationFault(at, `${at} must be an object`);
  return value;
}
