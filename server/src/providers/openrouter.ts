/** OpenRouter as the console and the relay list it: channel type 20 (openrouter.ai/docs/api_reference/overview). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 20,
  slug: "openrouter",
  name: "OpenRouter",
  defaultBaseUrl: "https://openrouter.ai/api",
  keyHint: "sk-or-v1-...",
  models: ["openrouter/auto"],
  operations: ["chat", "completions", "embeddings", "models"],
  forwardedHeaders: ["http-referer", "x-title"],
  mark: { glyph: "R", colour: "#5f6b80" },
};
