/** Structured answers of Claude models (platform.claude.com/docs/en/build-with-claude/structured-outputs). */
import { isObject } from "../json/fields.ts";
import type { JsonObject, ResponseFormat, Warn } from "../neutral/neutral.ts";
import { TranslationFault } from "../neutral/neutral.ts";
import type { ModelTraits } from "./models.ts";

/** The vendor has no mode for JSON of any shape; its models keep to this. */
const ANY_JSON =
  "Answer with a single valid JSON object and nothing else: no other text, and no code fences around it.";

/** `output_config.format` and a sentence for the system prompt, where the format needs them. */
export interface Format {
  format?: JsonObject;
  instruction?: string;
}

/** Every object has to be closed; a schema that does not say so is closed here, as the vendor's own SDK does. */
function closed(schema: unknown, note: () => void): unknown {
  if (Array.isArray(schema)) return schema.map((entry) => closed(entry, note));
  if (!isObject(schema)) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, keepsValues(name) ? value : closed(value, note)]),
  );
  if (schema["type"] !== "object" || schema["additionalProperties"] === false) return inner;
  note();
  return { ...inner, additionalProperties: false };
}

/** Keywords whose value is data, not a schema. */
const keepsValues = (name: string): boolean =>
  name === "enum" || name === "const" || name === "default" || name === "examples";

export function formatFor(format: ResponseFormat | undefined, traits: ModelTraits, warn: Warn): Format {
  if (format === undefined) return {};
  if (format.kind === "json") {
    warn("response_format", "this model has no mode for JSON without a schema; it is asked for in the system prompt");
    return { instruction: ANY_JSON };
  }
  if (!traits.hasStructuredOutputs)
    throw new TranslationFault("response_format", "answers held to a JSON schema are not supported by this model");
  let isOpen = false;
  const schema = closed(format.schema, () => void (isOpen = true));
  if (isOpen) warn("response_format", "objects of the schema were closed with additionalProperties: false");
  return { format: { type: "json_schema", schema } };
}
