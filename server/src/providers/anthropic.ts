/** Anthropic as the console and the relay list it: channel type 14. */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 14,
  slug: "anthropic",
  name: "Anthropic Claude",
  dialects: ["anthropic-messages"],
  defaultBaseUrl: "https://api.anthropic.com",
  keyHint: "sk-ant-...",
  operations: ["chat", "count_tokens", "models"],
  supportsStreamUsage: false,
  forwardedHeaders: ["anthropic-version", "anthropic-beta"],
  mark: { glyph: "A", colour: "#d97757" },
};
