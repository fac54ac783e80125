/** Wenxin's vectors (cloud.baidu.com/doc/WENXINWORKSHOP/s/alj562vvu). */
import { listOf, numberOf, objectOf } from "../../dialects/json/fields.ts";
import { textsOf, vectorsAnswer, warnOfTask } from "../../dialects/openai-chat/operations/embeddings.ts";
import type { VendorOperation } from "../../dialects/vendor-operation.ts";
import type { Operation } from "../provider.ts";

const MAX_INPUTS = 16;

const embeddings: VendorOperation = {
  // The endpoint knows the model's path.
  path: () => "",
  encodeRequest: ({ fields }, warn) => {
    const { dimensions, user } = fields;
    if (dimensions !== undefined && dimensions !== null) warn("dimensions", "this model has vectors of one length");
    warnOfTask(fields, warn);
    return { input: textsOf(fields, MAX_INPUTS), ...(typeof user === "string" ? { user_id: user } : {}) };
  },
  decodeAnswer: ({ data, usage }, { fields }) => {
    if (!Array.isArray(data)) return undefined;
    const sorted = data.map(objectOf).toSorted((a, b) => (numberOf(a["index"]) ?? 0) - (numberOf(b["index"]) ?? 0));
    const { prompt_tokens: prompt, total_tokens: total } = objectOf(usage);
    const vectors = sorted.map(({ embedding }) => listOf(embedding));
    return vectorsAnswer(vectors, fields, numberOf(prompt) ?? numberOf(total) ?? 0);
  },
};

export const operations: Readonly<Partial<Record<Operation, VendorOperation>>> = { embeddings };
