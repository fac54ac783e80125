/** Cohere's vectors and ranks in its own words (docs.cohere.com/reference/embed, docs.cohere.com/reference/rerank). */
import { defined, listOf, numberOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { textsOf, vectorsAnswer } from "../../dialects/openai-chat/operations/embeddings.ts";
import { documentTexts, rankedResults } from "../../dialects/openai-chat/operations/rerank.ts";
import type { VendorOperation } from "../../dialects/vendor-operation.ts";
import type { Operation } from "../provider.ts";

const vectorsIn = ({ embeddings }: JsonObject): number[][] | undefined => {
  const { float } = objectOf(embeddings);
  return Array.isArray(float) ? float.map((vector) => listOf(vector).map((value) => numberOf(value) ?? 0)) : undefined;
};

const billedTokens = ({ meta }: JsonObject): number | undefined =>
  numberOf(objectOf(objectOf(meta)["billed_units"])["input_tokens"]);

const embeddings: VendorOperation = {
  path: () => "/v2/embed",
  encodeRequest({ fields }, warn) {
    if (fields["user"] !== undefined) warn("user", "Cohere has no such field");
    return defined({
      model: fields["model"],
      texts: textsOf(fields),
      // The vendor wants to know what the vectors are for; clients of OpenAI say nothing of it.
      input_type: textOf(fields["input_type"]) || "search_document",
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
