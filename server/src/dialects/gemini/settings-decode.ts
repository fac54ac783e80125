/** Gemini's generationConfig -> neutral parameters (ai.google.dev/api/generate-content#generationconfig). */
import { booleanAt, numberAt, objectAt, objectsAt, pick, spellings, textAt, textsAt } from "./fields.ts";
import { jsonSchemaOf } from "./schema.ts";
import { defined } from "../json/fields.ts";
import {
  type Effort,
  type JsonObject,
  type NeutralRequest,
  type Reasoning,
  type ResponseFormat,
  TranslationFault,
} from "../neutral/neutral.ts";

const PATH = "generationConfig";

const READ = spellings([
  "maxOutputTokens",
  "temperature",
  "topP",
  "topK",
  "presencePenalty",
  "frequencyPenalty",
  "seed",
  "stopSequences",
  "candidateCount",
  "responseLogprobs",
  "logprobs",
  "responseMimeType",
  "responseSchema",
  "responseJsonSchema",
  "responseFormat",
  "responseModalities",
  "thinkingConfig",
]);

const EFFORTS: ReadonlyMap<string, Effort> = new Map([
  ["MINIMAL", "minimal"],
  ["LOW", "low"],
  ["MEDIUM", "medium"],
  ["HIGH", "high"],
]);

/** A name for a schema that has none, in the letters that other vendors allow. */
const nameOf = (schema: JsonObject): string => {
  const title = typeof schema["title"] === "string" ? schema["title"].replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) : "";
  return title || "response";
};

function schemaFormat(schema: JsonObject): ResponseFormat {
  const description = schema["description"];
  return {
    kind: "json_schema",
    name: nameOf(schema),
    schema,
    ...(typeof description === "string" ? { description } : {}),
  };
}

/** The newer spelling: `responseFormat: [{text: {mimeType, schema}}]`. */
function newFormat(config: JsonObject): ResponseFormat | undefined {
  for (const [index, entry] of objectsAt(pick(config, "responseFormat"), `${PATH}.responseFormat`).entries()) {
    const text = objectAt(pick(entry, "text"), `${PATH}.responseFormat[${index}].text`);
    if (text === undefined) {
      throw new TranslationFault(
        `${PATH}.responseFormat[${index}]`,
        "The model behind this name answers in text only.",
      );
    }
    const schema = objectAt(pick(text, "schema"), `${PATH}.responseFormat[${index}].text.schema`);
    if (schema !== undefined) return schemaFormat(schema);
    if (/json$/i.test(textAt(pick(text, "mimeType"), `${PATH}.responseFormat[${index}].text.mimeType`) ?? ""))
      return { kind: "json" };
  }
  return undefined;
}

function readFormat(config: JsonObject): ResponseFormat | undefined {
  const mimeType = textAt(pick(config, "responseMimeType"), `${PATH}.responseMimeType`) ?? "text/plain";
  if (mimeType === "text/plain") return newFormat(config);
  if (mimeType !== "application/json") {
    throw new TranslationFault(`${PATH}.responseMimeType`, `The model behind this name cannot answer as ${mimeType}.`);
  }
  const schema = objectAt(pick(config, "responseJsonSchema"), `${PATH}.responseJsonSchema`);
  const openApi = objectAt(pick(config, "responseSchema"), `${PATH}.responseSchema`);
  const found = schema ?? (openApi === undefined ? undefined : jsonSchemaOf(openApi));
  return found === undefined ? { kind: "json" } : schemaFormat(found);
}

function readThinking(config: JsonObject): Reasoning | undefined {
  const path = `${PATH}.thinkingConfig`;
  const thinking = objectAt(pick(config, "thinkingConfig"), path);
  if (thinking === undefined) return undefined;
  const budget = numberAt(pick(thinking, "thinkingBudget"), `${path}.thinkingBudget`);
  const level = textAt(pick(thinking, "thinkingLevel"), `${path}.thinkingLevel`)?.toUpperCase();
  if (level !== undefined && level !== "THINKING_LEVEL_UNSPECIFIED" && !EFFORTS.has(level)) {
    throw new TranslationFault(`${path}.thinkingLevel`, `${path}.thinkingLevel must be MINIMAL, LOW, MEDIUM or HIGH.`);
  }
  return defined({
    effort: EFFORTS.get(level ?? ""),
    budgetTokens: budget !== undefined && budget >= 0 ? budget : undefined,
    isAdaptive: budget === -1 ? true : undefined,
    isShown: booleanAt(pick(thinking, "includeThoughts"), `${path}.includeThoughts`),
  });
}

/** Only this vendor's upstreams answer in pictures and sound through it, and those are asked in their own format. */
function refuseModalities(config: JsonObject): void {
  const modalities = textsAt(pick(config, "responseModalities"), `${PATH}.responseModalities`) ?? [];
  const foreign = modalities.find((name) => !["TEXT", "MODALITY_UNSPECIFIED"].includes(name.toUpperCase()));
  if (foreign !== undefined) {
    throw new TranslationFault(
      `${PATH}.responseModalities`,
      `The model behind this name does not answer in ${foreign}.`,
    );
  }
}

/** Fields of a neutral request that are in generationConfig. Throws TranslationFault. */
export function readConfig(config: JsonObject): Partial<NeutralRequest> {
  refuseModalities(config);
  const number = (name: string): number | undefined => numberAt(pick(config, name), `${PATH}.${name}`);
  return defined({
    maxTokens: number("maxOutputTokens"),
    temperature: number("temperature"),
    topP: number("topP"),
    topK: number("topK"),
    presencePenalty: number("presencePenalty"),
    frequencyPenalty: number("frequencyPenalty"),
    seed: number("seed"),
    stop: textsAt(pick(config, "stopSequences"), `${PATH}.stopSequences`),
    choices: number("candidateCount"),
    hasLogprobs: booleanAt(pick(config, "responseLogprobs"), `${PATH}.responseLogprobs`),
    topLogprobs: number("logprobs"),
    responseFormat: readFormat(config),
    reasoning: readThinking(config),
  });
}

/** Names in generationConfig that have no neutral form. */
export const unknownConfig = (config: JsonObject): string[] =>
  Object.keys(config)
    .filter((name) => !READ.has(name) && config[name] !== null)
    .map((name) => `${PATH}.${name}`);
