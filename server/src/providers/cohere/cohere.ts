/** Cohere: channel type 34 (docs.cohere.com/docs/models, docs.cohere.com/reference/list-models). */
import { defined, listOf, numberOf, objectOf, ownOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import { readFailure } from "../../dialects/neutral/failure.ts";
import type { JsonObject, Warn } from "../../dialects/neutral/neutral.ts";
import { taskOf, textsOf, vectorsAnswer } from "../../dialects/openai-chat/operations/embeddings.ts";
import { documentTexts, rankedResults } from "../../dialects/openai-chat/operations/rerank.ts";
import { vendorFormat } from "../../dialects/vendor-format.ts";
import type { VendorOperation } from "../../dialects/vendor-operation.ts";
import { defineProvider } from "../define.ts";
import type { ProviderChannel, UpstreamErrorKind, UpstreamFailure } from "../provider.ts";
import { decodeAnswer, isBrokenEnd } from "./format-answer.ts";
import { encodeRequest } from "./format-request.ts";
import { createDecoder } from "./format-stream.ts";

// Failures of Cohere: `{message, id}`, and answers that ended with an error (docs.cohere.com/reference/errors, docs.cohere.com/reference/chat).

/** Why an answer with a status of success is none, as the status that would have said so. */
const ENDS: Readonly<Record<string, number>> = { ERROR: 500, TIMEOUT: 504 };

/** Statuses with another meaning than with other vendors: text on the account's deny list, and a request that timed out. */
const KINDS: Readonly<Record<string, UpstreamErrorKind>> = { "498": "content", "499": "timeout" };

/** A trial key has so many calls a month, which is no rate that passes. */
const MONTHLY = /calls? ?\/ ?month|per month/i;

function failure(status: number, body: string): UpstreamFailure {
  const end = textOf(parseObject(body)?.["finish_reason"]);
  const read = readFailure(ownOf(ENDS, end) ?? status, body);
  if (status === 429 && MONTHLY.test(read.message)) return { ...read, kind: "quota" };
  const kind = ownOf(KINDS, String(status));
  return kind === undefined ? read : { ...read, kind, isRetryable: kind !== "content" };
}

// Cohere's own chat, version 2 (docs.cohere.com/reference/chat), put together from its parts.

const SAFETY_MODES: ReadonlySet<string> = new Set(["CONTEXTUAL", "STRICT", "OFF"]);

/** The channel's mode of safety (docs.cohere.com/docs/safety-modes) goes with every request that may have one. */
function format({ other }: Pick<ProviderChannel, "other">) {
  const safetyMode = SAFETY_MODES.has(other.trim()) ? other.trim() : "";
  return vendorFormat({
    encodeRequest: (request, warn) => encodeRequest(request, safetyMode, warn),
    decodeAnswer,
    createDecoder,
    isErrorBody: (fields) => isBrokenEnd(textOf(fields["finish_reason"])),
  });
}

// Cohere's vectors and ranks in its own format (docs.cohere.com/reference/embed, docs.cohere.com/reference/rerank).

const vectorsIn = ({ embeddings }: JsonObject): number[][] | undefined => {
  const { float } = objectOf(embeddings);
  return Array.isArray(float) ? float.map((vector) => listOf(vector).map((value) => numberOf(value) ?? 0)) : undefined;
};

const billedTokens = ({ meta }: JsonObject): number | undefined =>
  numberOf(objectOf(objectOf(meta)["billed_units"])["input_tokens"]);

/** Google's task types -> Cohere's input types. */
const TASKS: Readonly<Record<string, string>> = {
  RETRIEVAL_QUERY: "search_query",
  QUESTION_ANSWERING: "search_query",
  FACT_VERIFICATION: "search_query",
  CODE_RETRIEVAL_QUERY: "search_query",
  RETRIEVAL_DOCUMENT: "search_document",
  CLASSIFICATION: "classification",
  CLUSTERING: "clustering",
};

/** The vendor wants to know it of every call. */
function inputType(fields: JsonObject, warn: Warn): string {
  const { taskType, title } = taskOf(fields);
  const named = taskType === undefined ? undefined : ownOf(TASKS, taskType);
  if (title !== undefined) warn("title", "Cohere has no such field");
  if (taskType !== undefined && named === undefined) warn("task_type", `Cohere has no vectors for ${taskType}`);
  return textOf(fields["input_type"]) || (named ?? "search_document");
}

const embeddings: VendorOperation = {
  path: () => "/v2/embed",
  encodeRequest({ fields }, warn) {
    if (fields["user"] !== undefined) warn("user", "Cohere has no such field");
    return defined({
      model: fields["model"],
      texts: textsOf(fields),
      input_type: inputType(fields, warn),
      embedding_types: ["float"],
      output_dimension: fields["dimensions"],
      truncate: fields["truncate"],
    });
  },
  decodeAnswer(answer, { fields }) {
    const vectors = vectorsIn(answer);
    return vectors === undefined ? undefined : vectorsAnswer(vectors, fields, billedTokens(answer));
  },
};

const NOT_TAKEN = ["max_chunks_per_doc", "max_chunk_per_doc", "overlap_tokens"];

const rerank: VendorOperation = {
  path: () => "/v2/rerank",
  encodeRequest({ fields }, warn) {
    for (const name of NOT_TAKEN)
      if (fields[name] !== undefined) warn(name, "Cohere cuts documents by max_tokens_per_doc alone");
    return defined({
      model: fields["model"],
      query: fields["query"],
      documents: documentTexts(fields),
      top_n: fields["top_n"],
      max_tokens_per_doc: fields["max_tokens_per_doc"],
    });
  },
  /** What it billed stays in `meta`: search units, or tokens of newer models. Documents it does not send back are the request's. */
  decodeAnswer({ id, results, meta }, { fields }) {
    if (!Array.isArray(results)) return undefined;
    return { id, model: fields["model"], results: rankedResults(results, fields), meta };
  },
};

/** Names in Cohere's list of models (docs.cohere.com/reference/list-models). */
const modelNames = ({ models }: JsonObject): readonly string[] =>
  listOf(models)
    .map((model) => textOf(objectOf(model)["name"]))
    .filter((name) => name !== "");

export const cohere = defineProvider({
  id: 34,
  slug: "cohere",
  name: "Cohere",
  defaultBaseUrl: "https://api.cohere.com",
  dialects: ["vendor"],
  fields: [
    { name: "base_url", label: "baseUrl", isRequired: false, placeholder: "https://api.cohere.com" },
    {
      name: "other",
      label: "safetyMode",
      isRequired: false,
      choices: [
        { value: "CONTEXTUAL", label: "safetyContextual" },
        { value: "STRICT", label: "safetyStrict" },
        { value: "OFF", label: "safetyOff" },
      ],
    },
  ],
  keyHint: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  models: [
    "command-a-plus-05-2026",
    "command-a-03-2025",
    "command-a-reasoning-08-2025",
    "command-a-vision-07-2025",
    "command-a-translate-08-2025",
    "command-r7b-12-2024",
    "command-r-plus-08-2024",
    "command-r-08-2024",
    "embed-v5.0-pro",
    "embed-v5.0-fast",
    "embed-v4.0",
    "rerank-v5.0-pro",
    "rerank-v5.0-fast",
    "rerank-v4.0-pro",
    "rerank-v4.0-fast",
    "rerank-v3.5",
  ],
  operations: ["chat", "embeddings", "rerank", "models"],
  // A page of the list has 20 models unless more are asked for.
  paths: { chat: "/v2/chat", models: "/v1/models?page_size=1000" },
  mark: { glyph: "C", colour: "#39594d" },
  failure,
  modelNames,
  format,
  ownOperations: { embeddings, rerank },
});
