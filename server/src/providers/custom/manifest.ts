/** Any OpenAI-compatible address, given whole: channel type 8. */
import type { ProviderManifest } from "../provider.ts";

export const manifest: ProviderManifest = {
  id: 8,
  slug: "custom",
  name: "Custom",
  dialects: ["openai-chat"],
  defaultBaseUrl: "",
  keyHint: "sk-...",
  fields: [
    { name: "base_url", label: "fullUrl", isRequired: true, placeholder: "https://example.com/v1/chat/completions" },
  ],
  operations: ["chat", "completions", "embeddings", "models"],
  supportsStreamUsage: true,
  canTest: true,
  mark: { glyph: "C", colour: "#6b7280" },
};
