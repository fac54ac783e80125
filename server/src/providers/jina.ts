/** Jina AI as the console and the relay list it: channel type 38, vectors and ranks in the form that clients ask for (docs.jina.ai, api.jina.ai/redoc). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
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
};
