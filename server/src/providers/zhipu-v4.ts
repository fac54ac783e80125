/** Zhipu's GLM models as the console and the relay list them: channel type 26 (docs.bigmodel.cn/cn/guide/start/model-overview). */
import { GLM_MODELS } from "../../dialects/openai-chat/vendors/glm.ts";
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 26,
  slug: "zhipu-v4",
  name: "Zhipu GLM (v4)",
  defaultBaseUrl: "https://open.bigmodel.cn",
  keyHint: "xxxxxxxxxxxxxxxx.xxxxxxxx",
  models: [...GLM_MODELS, "glm-image", "cogview-4-250304"],
  operations: ["chat", "embeddings", "images", "models"],
  supportsStreamUsage: false,
  mark: { glyph: "Z", colour: "#2a6fd8" },
};
