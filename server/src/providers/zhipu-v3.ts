/** Zhipu under the channel type of its version 3, which has ended: calls go to version 4 with the same key (docs.bigmodel.cn/cn/api/introduction). */
import { GLM_MODELS } from "../../dialects/openai-chat/vendors/glm.ts";
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 16,
  slug: "zhipu-v3",
  name: "Zhipu GLM (v3)",
  defaultBaseUrl: "https://open.bigmodel.cn",
  keyHint: "id.secret",
  // before-send.ts authorises.
  keyHeader: "",
  notice: "zhipuV3",
  models: GLM_MODELS,
  operations: ["chat", "embeddings", "models"],
  supportsStreamUsage: false,
  mark: { glyph: "Z", colour: "#2a6fd8" },
};
