/** DeepSeek as the console and the relay list it: channel type 43 (api-docs.deepseek.com/quick_start/pricing). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 43,
  slug: "deepseek",
  name: "DeepSeek",
  defaultBaseUrl: "https://api.deepseek.com",
  models: ["deepseek-flash", "deepseek-v4-pro", "deepseek-v4-flash"],
  operations: ["chat", "completions", "models"],
  mark: { glyph: "D", colour: "#4a5fe0" },
};
