/** Gemini's embeddings, for clients and upstreams (ai.google.dev/api/embeddings). */
import { neededTextAt, numberAt, objectAt, objectsAt, pick, spellings, textAt } from "../fields.ts";
import { isObject, listOf, numberOf, objectOf, unknownNames } from "../../json/fields.ts";
import { type JsonObject, TranslationFault } from "../../neutral/neutral.ts";
import type { NeutralEmbeddings, NeutralVectors } from "../../neutral/embeddings.ts";
import type { OperationCodec } from "../../neutral/operation-codec.ts";

const READ = spellings(["model", "content", "taskType", "title", "outputDimensionality"]);

const CONFIG = spellings(["embedContentConfig"]);

/** A request with its settings beside the content: Google's enterprise platform has them in an object of their own. */
function flat(request: JsonObject, path: string): JsonObject {
  const config = objectAt(pick(request, "embedContentConfig"), `${path}embedContentConfig`);
  if (config === undefined) return request;
  return { ...Object.fromEntries(Object.entries(request).filter(([name]) => !CONFIG.has(name))), ...config };
}

/** The text of a content: its parts in one. */
function inputAt(request: JsonObject, path: string): string {
  const at = `${path}content`;
  const parts = objectsAt(pick(objectAt(pick(request, "content"), at) ?? {}, "parts"), `${at}.parts`);
  if (parts.length === 0) throw new TranslationFault(at, `${at} holds no parts.`);
  return parts.map((part, index) => neededTextAt(pick(part, "text"), `${at}.parts[${index}].text`)).join("");
}

/** What is asked for all texts alike; a batch that asks differently for each has no other form. */
function settingsOf(requests: readonly JsonObject[], pathAt: (index: number) => string): Partial<NeutralEmbeddings> {
  const settings = requests.map((request, index) => {
    const dimensions = numberAt(pick(request, "outputDimensionality"), `${pathAt(index)}outputDimensionality`);
    const taskType = textAt(pick(request, "taskType"), `${pathAt(index)}taskType`);
    const title = textAt(pick(request, "title"), `${pathAt(index)}title`);
    return {
      ...(dimensions === undefined ? {} : { dimensions }),
      ...(taskType === undefined ? {} : { taskType }),
      ...(title === undefined ? {} : { title }),
    };
  });
  const [first = {}] = settings;
  const other = settings.findIndex((one) => JSON.stringify(one) !== JSON.stringify(first));
  if (other < 0) return first;
  throw new TranslationFault(`requests[${other}]`, "The model behind this name embeds all texts of a call alike.");
}

function decodeRequest(fields: JsonObject, { model }: { model: string }): NeutralEmbeddings {
  const isSingle = pick(fields, "requests") === undefined;
  const pathAt = (index: number): string => (isSingle ? "" : `requests[${index}].`);
  const given = isSingle ? [fields] : objectsAt(pick(fields, "requests"), "requests");
  if (given.length === 0) throw new TranslationFault("requests", "requests is empty.");
  const requests = given.map((request, index) => flat(request, pathAt(index)));
  return {
    model,
    isSingle,
    inputs: requests.map((request, index) => inputAt(request, pathAt(index))),
    encodingFormat: "float",
    ...settingsOf(requests, pathAt),
    unknownFields: requests.flatMap((request, index) =>
      unknownNames(request, READ).map((name) => pathAt(index) + name),
    ),
  };
}

/** Always the call for many: its answer is the same for one. */
function encodeRequest({ model, inputs, dimensions, taskType, title }: NeutralEmbeddings): JsonObject {
  const requests = inputs.map((input, index) => {
    if (typeof input !== "string") throw new TranslationFault(`input[${index}]`, "Gemini embeds texts, not tokens.");
    return {
      model: `models/${model}`,
      content: { parts: [{ text: input }] },
      ...(taskType === undefined ? {} : { taskType }),
      ...(title === undefined ? {} : { title }),
      ...(dimensions === undefined ? {} : { outputDimensionality: dimensions }),
    };
  });
  return { requests };
}

const vectorOf = (embedding: unknown): number[] =>
  listOf(objectOf(embedding)["values"]).map((value) => numberOf(value) ?? 0);

function decodeAnswer(fields: JsonObject): NeutralVectors | undefined {
  const { embedding, embeddings, usageMetadata: rawUsage } = fields;
  if (isObject(embedding)) return { vectors: [vectorOf(embedding)], rawUsage };
  return Array.isArray(embeddings) ? { vectors: embeddings.map(vectorOf), rawUsage } : undefined;
}

export const geminiEmbeddings: OperationCodec<NeutralEmbeddings, NeutralVectors> = {
  client: {
    decodeRequest,
    encodeAnswer({ vectors }, { isSingle }, { inputTokens }) {
      const embeddings = vectors.map((values) => ({ values }));
      const usageMetadata = { promptTokenCount: inputTokens, totalTokenCount: inputTokens };
      return isSingle ? { embedding: embeddings[0] ?? { values: [] }, usageMetadata } : { embeddings, usageMetadata };
    },
  },
  upstream: {
    path: (model) => `/v1beta/models/${encodeURIComponent(model)}:batchEmbedContents`,
    encodeRequest,
    decodeAnswer,
  },
};
