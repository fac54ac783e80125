/** Reads JSON text from storage or responses whose shape is not guaranteed. Wire formats have their own readers (dialects/json). */

/** The fields of a JSON object, each still to be checked. */
export type JsonFields = Readonly<Record<string, unknown>>;

const NO_FIELDS: JsonFields = Object.freeze({});

/** The value of a JSON text; undefined where the text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True for an object that is no list. */
export const isObject = (value: unknown): value is JsonFields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The object, or one without fields where the value is anything else. */
export const objectOf = (value: unknown): JsonFields => (isObject(value) ? value : NO_FIELDS);

/** The object that a JSON text holds; undefined where it holds anything else or is no JSON. */
export function parseObject(text: string): JsonFields | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** The text, or "" where the value is anything else. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
