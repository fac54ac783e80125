/** Volcano Engine's Ark (Doubao) as the console and the relay list it: channel type 45 (volcengine.com/docs/82379/1330310). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 45,
  slug: "volcengine",
  name: "Volcano Ark (Doubao)",
  defaultBaseUrl: "https://ark.cn-beijing.volces.com",
  keyHint: "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
  models: [
    "doubao-seed-2-1-pro-260628",
    "doubao-seed-2-1-turbo-260628",
    "doubao-seed-2-0-pro-260215",
    "doubao-seed-2-0-lite-260428",
    "doubao-seed-2-0-mini-260428",
    "doubao-seed-2-0-code-preview-260215",
    "doubao-seed-1-8-251228",
    "doubao-seed-1-6-251015",
    "doubao-seed-1-6-flash-250828",
    "doubao-seedream-4-5-251128",
    "doubao-seedream-4-0-250828",
  ],
  operations: ["chat", "embeddings", "images", "models"],
  mark: { glyph: "V", colour: "#1f7fd6" },
};
