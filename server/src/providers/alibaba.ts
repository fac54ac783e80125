/** Alibaba's Model Studio (DashScope) as the console and the relay list it: channel type 17 (help.aliyun.com/zh/model-studio/models). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 17,
  slug: "alibaba",
  name: "Alibaba Qwen",
  defaultBaseUrl: "https://dashscope.aliyuncs.com",
  models: [
    "qwen3.8-max",
    "qwen3.8-flash",
    "qwen3.7-max",
    "qwen3.7-plus",
    "qwen3.7-flash",
    "qwen3-max",
    "qwen-plus",
    "qwen-flash",
    "qwen3-coder-plus",
    "qwen3-coder-flash",
    "qwen3-vl-plus",
    "text-embedding-v4",
    "qwen-image-2.0-pro",
    "wan2.6-t2i",
    "qwen3-rerank",
    "gte-rerank-v2",
  ],
  operations: ["chat", "completions", "embeddings", "images", "rerank", "models"],
  mark: { glyph: "Q", colour: "#6a4fe0" },
};
