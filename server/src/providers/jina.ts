/** Jina AI: channel type 38, vectors and ranks in the form that clients ask for (docs.jina.ai, api.jina.ai/redoc). */
import { readFailure } from "../dialects/neutral/failure.ts";
import { without } from "../dialects/openai-chat/compatible.ts";
import { defineProvider } from "./define.ts";
import type { Quirk, UpstreamFailure } from "./provider.ts";

/** Where Jina differs from OpenAI's embeddings (api.jina.ai/redoc): its vectors are numbers unless another field says otherwise. */
const quirks: readonly Quirk[] = [
  {
    reason: "the vendor refuses fields that it does not know",
    appliesTo: (_model, operation) => operation === "embeddings",
    patch: (body) => without(body, ["encoding_format", "user"]),
  },
];

// Failures of Jina: `{detail}`, a text or a list of faults (api.jina.ai/redoc).

const EMPTY = /insufficient|(?:out of|no more|not enough) (?:tokens|balance|credits)/i;

/** An empty account has the status of a key that may not do this. */
function failure(status: number, body: string): UpstreamFailure {
  const read = readFailure(status, body);
  return status === 403 && EMPTY.test(read.message) ? { ...read, kind: "quota" } : read;
}

export const jina = defineProvider({
  id: 38,
  slug: "jina",
  name: "Jina AI",
  defaultBaseUrl: "https://api.jina.ai",
  keyHint: "jina_...",
  models: [
    "jina-embeddings-v5-text-small",
    "jina-embeddings-v5-text-nano",
    "jina-embeddings-v4",
    "jina-embeddings-v3",
    "jina-clip-v2",
    "jina-code-embeddings-1.5b",
    "jina-reranker-v3",
    "jina-reranker-m0",
    "jina-reranker-v2-base-multilingual",
  ],
  operations: ["embeddings", "rerank"],
  mark: { glyph: "J", colour: "#009191" },
  quirks,
  failure,
});
