/** Gemini's Schema object, a dialect of OpenAPI 3.0 (ai.google.dev/api/caching#Schema), as JSON Schema. */
import { pick } from "./fields.ts";
import { isObject } from "../json/fields.ts";
import type { JsonObject } from "../neutral/neutral.ts";

/** Counts that the vendor writes as text, being 64-bit. */
const COUNTS = ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"] as const;
/** Said alike in both. */
const SHARED = [
  "title",
  "description",
  "enum",
  "format",
  "pattern",
  "default",
  "minimum",
  "maximum",
  "required",
] as const;

function typeOf(schema: JsonObject): unknown {
  const type = pick(schema, "type");
  if (typeof type !== "string" || type === "TYPE_UNSPECIFIED") return undefined;
  return pick(schema, "nullable") === true ? [type.toLowerCase(), "null"] : type.toLowerCase();
}

const convert = (value: unknown): unknown => (isObject(value) ? jsonSchemaOf(value) : value);

function nestedOf(schema: JsonObject): JsonObject {
  const [properties, items, anyOf] = [pick(schema, "properties"), pick(schema, "items"), pick(schema, "anyOf")];
  return {
    ...(isObject(properties)
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, convert(value)])) }
      : {}),
    ...(items === undefined ? {} : { items: convert(items) }),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map(convert) } : {}),
  };
}

/** The same schema as JSON Schema, without what only orders or illustrates. */
export function jsonSchemaOf(schema: JsonObject): JsonObject {
  const type = typeOf(schema);
  const result: Record<string, unknown> = type === undefined ? {} : { type };
  for (const name of SHARED) {
    const value = pick(schema, name);
    if (value !== undefined) result[name] = value;
  }
  for (const name of COUNTS) {
    const value = pick(schema, name);
    if (value !== undefined) result[name] = typeof value === "string" ? Number(value) : value;
  }
  return { ...result, ...nestedOf(schema) };
}

const EMPTY_KEYS: ReadonlySet<string> = new Set(["type", "properties", "additionalProperties", "required", "$schema"]);

/** True for a schema of no arguments at all. */
export const isEmptyObjectSchema = (schema: JsonObject): boolean =>
  Object.keys(schema).every((name) => EMPTY_KEYS.has(name)) &&
  Object.keys(isObject(schema["properties"]) ? schema["properties"] : {}).length === 0 &&
  !isObject(schema["additionalProperties"]);

/** JSON Schema as the vendor's parametersJsonSchema and responseJsonSchema take it: all of it, but the name of its version. */
export function vendorSchemaOf(schema: JsonObject): JsonObject {
  if (schema["$schema"] === undefined) return schema;
  const { $schema: _version, ...rest } = schema;
  return rest;
}
