/** Vectors of Vertex AI (docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api). */
import { defined, listOf, numberOf, objectOf, unknownNames } from "../../dialects/json/fields.ts";
import { taskOf, textsOf, vectorsAnswer } from "../../dialects/openai-chat/operations/embeddings.ts";
import type { VendorOperation } from "../../dialects/vendor-operation.ts";
import type { Operation } from "../provider.ts";

/** Of the page's limits on a request. */
const MOST_TEXTS = 250;

const READ: ReadonlySet<string> = new Set([
  "model",
  "input",
  "dimensions",
  "encoding_format",
  "task_type",
  "taskType",
  "title",
]);

export const operations: Readonly<Partial<Record<Operation, VendorOperation>>> = {
  embeddings: {
    // The endpoint makes it, which knows the channel.
    path: () => "",
    encodeRequest({ fields }, warn) {
      for (const name of unknownNames(fields, READ)) warn(name, "has no place in the format of the upstream");
      const outputDimensionality = numberOf(fields["dimensions"]);
      const { taskType, title } = taskOf(fields);
      const own = defined({ task_type: taskType, title });
      return {
        instances: textsOf(fields, MOST_TEXTS).map((content) => ({ content, ...own })),
        ...(outputDimensionality === undefined ? {} : { parameters: { outputDimensionality } }),
      };
    },
    decodeAnswer({ predictions }, { fields }) {
      if (!Array.isArray(predictions)) return undefined;
      const found = listOf(predictions).map((prediction) => objectOf(objectOf(prediction)["embeddings"]));
      const tokens = found.map(({ statistics }) => numberOf(objectOf(statistics)["token_count"]) ?? 0);
      const sum = tokens.reduce((left, right) => left + right, 0);
      return vectorsAnswer(
        found.map(({ values }) => values),
        fields,
        sum,
      );
    },
  },
};
