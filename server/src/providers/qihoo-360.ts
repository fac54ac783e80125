/** 360's Zhinao as the console and the relay list it: channel type 19 (ai.360.com/docs, chat completions in OpenAI's format). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 19,
  slug: "qihoo-360",
  name: "360 Zhinao",
  defaultBaseUrl: "https://api.360.cn",
  keyHint: "fk...",
  models: [
    "360gpt2-pro",
    "360gpt-pro",
    "360gpt-turbo",
    "360gpt-turbo-responsibility-8k",
    "embedding-bert-512-v1",
    "embedding_s1_v1",
    "semantic_similarity_s1_v1",
  ],
  operations: ["chat", "embeddings", "models"],
  mark: { glyph: "3", colour: "#19a55a" },
};
