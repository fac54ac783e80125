/** A Xinference server as the console and the relay list it: channel type 47 (inference.readthedocs.io/en/latest/user_guide/client_api.html). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 47,
  slug: "xinference",
  name: "Xinference",
  defaultBaseUrl: "",
  fields: [{ name: "base_url", label: "baseUrl", isRequired: true, placeholder: "http://127.0.0.1:9997" }],
  models: ["qwen3", "bge-m3", "bge-reranker-v2-m3"],
  operations: [
    "chat",
    "completions",
    "embeddings",
    "rerank",
    "images",
    "speech",
    "transcriptions",
    "translations",
    "models",
  ],
  mark: { glyph: "X", colour: "#0f766e" },
};
