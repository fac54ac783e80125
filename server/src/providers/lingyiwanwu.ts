/** 01.AI (Lingyiwanwu) as the console and the relay list it: channel type 31 (platform.lingyiwanwu.com/docs). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 31,
  slug: "lingyiwanwu",
  name: "01.AI (Yi)",
  defaultBaseUrl: "https://api.lingyiwanwu.com",
  models: ["yi-lightning", "yi-large", "yi-large-turbo", "yi-medium", "yi-medium-200k", "yi-spark", "yi-vision-v2"],
  operations: ["chat", "models"],
  mark: { glyph: "Y", colour: "#003425" },
};
