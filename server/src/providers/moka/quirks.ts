/** Servers of M3E know a model and its input, and nothing else of OpenAI's embeddings (github.com/wangyuxinwhy/uniem). */
import { without } from "../../dialects/openai-chat/compatible.ts";
import type { Quirk } from "../provider.ts";

export const quirks: readonly Quirk[] = [
  {
    reason: "servers of these models know no such field",
    appliesTo: (_model, operation) => operation === "embeddings",
    patch: (body) => without(body, ["dimensions", "encoding_format", "user"]),
  },
];
