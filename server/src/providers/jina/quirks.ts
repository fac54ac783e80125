/** Where Jina differs from OpenAI's embeddings (api.jina.ai/redoc): its vectors are numbers unless another field says otherwise. */
import { without } from "../../dialects/openai-chat/compatible.ts";
import type { Quirk } from "../provider.ts";

export const quirks: readonly Quirk[] = [
  {
    reason: "the vendor refuses fields that it does not know",
    appliesTo: (_model, operation) => operation === "embeddings",
    patch: (body) => without(body, ["encoding_format", "user"]),
  },
];
