/** Zhipu's GLM models as the console and the relay list them: channel type 26 (docs.bigmodel.cn/cn/guide/start/model-overview). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 26,
  slug: "zhipu-v4",
  name: "Zhipu GLM (v4)",
  defaultBaseUrl: "https://open.bigmodel.cn",
  keyHint: "xxxxxxxxxxxxxxxx.xxxxxxxx",
  models: [
    "glm-5.3",
    "glm-5.3-flash",
    "glm-5.2",
    "glm-5v-turbo",
    "glm-5-turbo",
    "glm-4.7",
    "glm-4.7-flashx",
    "glm-4.7-flash",
    "glm-4.6v",
    "glm-4.5-air",
    "glm-4-long",
    "embedding-3",
  ],
  operations: ["chat", "embeddings", "models"],
  supportsStreamUsage: false,
  mark: { glyph: "Z", colour: "#2a6fd8" },
};
