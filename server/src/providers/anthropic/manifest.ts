/** Anthropic as the console and the relay list it: channel type 14. */
import type { ProviderManifest } from "../provider.ts";

export const manifest: ProviderManifest = {
  id: 14,
  slug: "anthropic",
  name: "Anthropic Claude",
  dialects: ["anthropic-messages"],
  defaultBaseUrl: "https://api.anthropic.com",
  keyHint: "sk-ant-...",
  fields: [{ name: "base_url", label: "baseUrl", isRequired: false, placeholder: "https://api.anthropic.com" }],
  operations: ["chat", "count_tokens", "models"],
  supportsStreamUsage: false,
  forwardedHeaders: ["anthropic-version", "anthropic-beta"],
  canTest: true,
  mark: { glyph: "A", colour: "#d97757" },
};
