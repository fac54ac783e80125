/** Ollama's vectors in its own words, which count what went in (docs.ollama.com/api/embed). */
import { defined, listOf, numberOf } from "../../dialects/json/fields.ts";
import { textsOf, vectorsAnswer, warnOfTask } from "../../dialects/openai-chat/operations/embeddings.ts";
import type { VendorOperation } from "../../dialects/vendor-operation.ts";
import type { Operation } from "../provider.ts";

const embeddings: VendorOperation = {
  path: () => "/api/embed",
  encodeRequest({ fields }, warn) {
    if (fields["user"] !== undefined) warn("user", "Ollama has no such field");
    warnOfTask(fields, warn);
    return defined({
      model: fields["model"],
      input: textsOf(fields),
      dimensions: fields["dimensions"],
      truncate: fields["truncate"],
      keep_alive: fields["keep_alive"],
      options: fields["options"],
    });
  },
  decodeAnswer({ embeddings: vectors, prompt_eval_count: tokens }, { fields }) {
    if (!Array.isArray(vectors)) return undefined;
    const numbers = vectors.map((vector) => listOf(vector).map((value) => numberOf(value) ?? 0));
    return vectorsAnswer(numbers, fields, numberOf(tokens));
  },
};

export const operations: Readonly<Partial<Record<Operation, VendorOperation>>> = { embeddings };
