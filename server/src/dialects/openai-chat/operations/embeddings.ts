/** OpenAI's embeddings, for clients and upstreams (platform.openai.com/docs/api-reference/embeddings). */
import { defined, isObject, listOf, numberOf, textOf, unknownNames } from "../../json/fields.ts";
import { type JsonObject, TranslationFault, type Warn } from "../../neutral/neutral.ts";
import type { NeutralEmbeddings, NeutralVectors } from "../../neutral/embeddings.ts";
import type { OperationCodec } from "../../neutral/operation-codec.ts";

const READ: ReadonlySet<string> = new Set([
  "model",
  "input",
  "dimensions",
  "encoding_format",
  "task_type",
  "taskType",
  "title",
]);

/** What the vectors are for, as Google's task types; OpenAI has none, and its clients send them in either spelling. */
export function taskOf(fields: JsonObject): Pick<NeutralEmbeddings, "taskType" | "title"> {
  const taskType = textOf(fields["task_type"]) || textOf(fields["taskType"]);
  const title = textOf(fields["title"]);
  return { ...(taskType === "" ? {} : { taskType }), ...(title === "" ? {} : { title }) };
}

/** Warns of them, for vendors whose vectors are all of one kind. */
export function warnOfTask(fields: JsonObject, warn: Warn): void {
  const { taskType, title } = taskOf(fields);
  if (taskType !== undefined) warn("task_type", "this model's vectors have no kind of task");
  if (title !== undefined) warn("title", "this model's vectors have no title");
}

const isTokens = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.every((token) => Number.isInteger(token));

/** A text, tokens, or a list of either. */
function inputsOf(input: unknown): NeutralEmbeddings["inputs"] {
  if (typeof input === "string" && input !== "") return [input];
  if (isTokens(input)) return [input];
  if (!Array.isArray(input) || input.length === 0)
    throw new TranslationFault("input", "input must be a text or a list of texts.");
  return input.map((entry: unknown, index) => {
    if ((typeof entry === "string" && entry !== "") || isTokens(entry)) return entry;
    throw new TranslationFault(`input[${index}]`, `input[${index}] must be a text or a list of tokens.`);
  });
}

function decodeRequest(fields: JsonObject): NeutralEmbeddings {
  const { input, dimensions, encoding_format: format } = fields;
  const count = numberOf(dimensions);
  if (dimensions !== undefined && dimensions !== null && count === undefined) {
    throw new TranslationFault("dimensions", "dimensions must be a number.");
  }
  return {
    model: typeof fields["model"] === "string" ? fields["model"] : "",
    inputs: inputsOf(input),
    isSingle: !Array.isArray(input) || isTokens(input),
    ...(count === undefined ? {} : { dimensions: count }),
    encodingFormat: format === "base64" ? "base64" : "float",
    ...taskOf(fields),
    unknownFields: unknownNames(fields, READ),
  };
}

function encodeRequest(
  { model, inputs, isSingle, dimensions, taskType, title }: NeutralEmbeddings,
  warn: Warn,
): JsonObject {
  if (taskType !== undefined) warn("taskType", "OpenAI's embeddings have no kind of task");
  if (title !== undefined) warn("title", "OpenAI's embeddings have no title");
  const input = isSingle ? inputs[0] : inputs;
  return { model, input, encoding_format: "float", ...(dimensions === undefined ? {} : { dimensions }) };
}

/** 32-bit floats, the least byte first, as the vendor's own libraries read them. */
function packed(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString("base64");
}

function unpacked(text: string): number[] {
  const bytes = Buffer.from(text, "base64");
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4));
}

const vectorOf = (embedding: unknown): number[] =>
  typeof embedding === "string" ? unpacked(embedding) : listOf(embedding).map((value) => numberOf(value) ?? 0);

function decodeAnswer({ data, usage }: JsonObject): NeutralVectors | undefined {
  if (!Array.isArray(data)) return undefined;
  const entries = data.filter(isObject).map((entry, place) => ({ entry, index: numberOf(entry["index"]) ?? place }));
  const vectors = entries.toSorted((a, b) => a.index - b.index).map(({ entry }) => vectorOf(entry["embedding"]));
  return { vectors, rawUsage: usage };
}

/** The texts of a request, for vendors that take no tokens. Throws TranslationFault for anything else, and for more than `most`. */
export function textsOf(fields: JsonObject, most = Number.POSITIVE_INFINITY): string[] {
  const { inputs } = decodeRequest(fields);
  const isList = Array.isArray(fields["input"]);
  const texts = inputs.map((input, index) => {
    if (typeof input === "string") return input;
    throw new TranslationFault(isList ? `input[${index}]` : "input", "This model takes texts, not tokens.");
  });
  if (texts.length > most) throw new TranslationFault("input", `This model takes at most ${most} texts.`);
  return texts;
}

/**
 * The answer to such a request from a vendor's vectors, each where its input stands; `promptTokens` is undefined where the vendor counted
 * nothing.
 */
export function vectorsAnswer(vectors: readonly unknown[], fields: JsonObject, promptTokens?: number): JsonObject {
  const { encodingFormat } = decodeRequest(fields);
  const data = vectors.map((vector, index) => {
    const numbers = vectorOf(vector);
    return { object: "embedding", index, embedding: encodingFormat === "base64" ? packed(numbers) : numbers };
  });
  const usage =
    promptTokens === undefined ? {} : { usage: { prompt_tokens: promptTokens, total_tokens: promptTokens } };
  return { object: "list", data, model: fields["model"], ...usage };
}

/** OpenAI's request, with fields that only vendors of other formats support. */
const encodeWhole = ({ taskType, title, ...request }: NeutralEmbeddings, warn: Warn): JsonObject => ({
  ...encodeRequest(request, warn),
  ...defined({ task_type: taskType, title }),
});

export const openAiEmbeddings: OperationCodec<NeutralEmbeddings, NeutralVectors> = {
  client: {
    decodeRequest,
    encodeAnswer({ vectors }, { encodingFormat }, { inputTokens }, { model }) {
      const data = vectors.map((vector, index) => {
        return { object: "embedding", index, embedding: encodingFormat === "base64" ? packed(vector) : vector };
      });
      return { object: "list", data, model, usage: { prompt_tokens: inputTokens, total_tokens: inputTokens } };
    },
  },
  upstream: { path: () => "/v1/embeddings", encodeRequest, decodeAnswer },
};

/** The same for vendors whose requests are made from OpenAI's. */
export const wholeEmbeddings: OperationCodec<NeutralEmbeddings, NeutralVectors> = {
  ...openAiEmbeddings,
  upstream: { path: () => "", encodeRequest: encodeWhole, decodeAnswer },
};
