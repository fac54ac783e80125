/** Baidu's Qianfan (version 2 of its API) as the console and the relay list it: channel type 46 (cloud.baidu.com/doc/qianfan-api). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 46,
  slug: "qianfan",
  name: "Baidu Qianfan (v2)",
  defaultBaseUrl: "https://qianfan.baidubce.com",
  apiRoot: "/v2",
  keyHint: "bce-v3/ALTAK-.../...",
  models: [
    "ernie-5.1",
    "ernie-5.0",
    "ernie-5.0-thinking-latest",
    "ernie-x1.1",
    "ernie-4.5-turbo-128k",
    "ernie-4.5-turbo-32k",
    "embedding-v1",
    "bge-large-zh",
    "tao-8k",
    "bce-reranker-base",
    "irag-1.0",
    "flux.1-schnell",
  ],
  operations: ["chat", "embeddings", "images", "rerank", "models"],
  mark: { glyph: "B", colour: "#2a55d8" },
};
