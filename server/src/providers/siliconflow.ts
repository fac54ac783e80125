/** SiliconFlow as the console and the relay list it: channel type 40 (docs.siliconflow.cn/cn/api-reference; abroad api.siliconflow.com). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 40,
  slug: "siliconflow",
  name: "SiliconFlow",
  defaultBaseUrl: "https://api.siliconflow.cn",
  models: [
    "deepseek-ai/DeepSeek-V4-Pro",
    "deepseek-ai/DeepSeek-V4-Flash",
    "zai-org/GLM-5.2",
    "Pro/moonshotai/Kimi-K2.6",
    "Qwen/Qwen3.5-397B-A17B",
    "Qwen/Qwen3.6-35B-A3B",
    "Qwen/Qwen3-Embedding-8B",
    "Qwen/Qwen3-Reranker-8B",
    "BAAI/bge-m3",
    "BAAI/bge-reranker-v2-m3",
    "Kwai-Kolors/Kolors",
    "Qwen/Qwen-Image",
  ],
  notice: "invite",
  operations: ["chat", "embeddings", "images", "rerank", "models"],
  mark: { glyph: "S", colour: "#6e29f6" },
};
