/** Hunyuan's vectors for a key that signs (cloud.tencent.com/document/product/1729/102832); an API key has OpenAI's path. */
import { listOf, numberOf, objectOf } from "../../dialects/json/fields.ts";
import { textsOf, vectorsAnswer } from "../../dialects/openai-chat/operations/embeddings.ts";
import type { VendorOperation } from "../../dialects/vendor-operation.ts";
import { keyParts } from "../key-parts.ts";
import type { Operation } from "../provider.ts";

const MAX_INPUTS = 200;

const embeddings: VendorOperation = {
  isFor: (key) => keyParts(key).length > 1,
  path: () => "/",
  encodeRequest: ({ fields }, warn) => {
    for (const name of ["dimensions", "user"])
      if (fields[name] !== undefined && fields[name] !== null) warn(name, "this model has no such parameter");
    return { InputList: textsOf(fields, MAX_INPUTS) };
  },
  decodeAnswer: (answer, { fields }) => {
    const { Data, Usage } = objectOf(answer["Response"]);
    if (!Array.isArray(Data)) return undefined;
    const vectors = listOf(Data).map((entry) => objectOf(entry)["Embedding"]);
    const { PromptTokens, TotalTokens } = objectOf(Usage);
    return vectorsAnswer(vectors, fields, numberOf(PromptTokens) ?? numberOf(TotalTokens) ?? 0);
  },
};

export const operations: Readonly<Partial<Record<Operation, VendorOperation>>> = { embeddings };
