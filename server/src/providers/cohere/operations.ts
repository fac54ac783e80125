/** Cohere's vectors and ranks in its own words (docs.cohere.com/reference/embed, docs.cohere.com/reference/rerank). */
import { defined, listOf, numberOf, objectOf, ownOf, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject, Warn } from "../../dialects/neutral/neutral.ts";
import { taskOf, textsOf, vectorsAnswer } from "../../dialects/openai-chat/operations/embeddings.ts";
import { documentTexts, rankedResults } from "../../dialects/openai-chat/operations/rerank.ts";
import type { VendorOperation } from "../../dialects/vendor-operation.ts";
import type { Operation } from "../provider.ts";

const vectorsIn = ({ embeddings }: JsonObject): number[][] | undefined => {
  const { float } = objectOf(embeddings);
  return Array.isArray(float) ? float.map((vector) => listOf(vector).map((value) => numberOf(value) ?? 0)) : undefined;
};

const billedTokens = ({ meta }: JsonObject): number | undefined =>
  numberOf(objectOf(objectOf(meta)["billed_units"])["input_tokens"]);

/** What vectors are for, in Google's words, as Cohere says it. */
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

export const operations: Readonly<Partial<Record<Operation, VendorOperation>>> = { embeddings, rerank };
