/** Google's Gemini API as the console and the relay list it: channel type 24. */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 24,
  slug: "gemini",
  name: "Google Gemini",
  dialects: ["gemini"],
  defaultBaseUrl: "https://generativelanguage.googleapis.com",
  keyHint: "AIza...",
  fields: [
    { name: "base_url", label: "baseUrl", isRequired: false, placeholder: "https://generativelanguage.googleapis.com" },
    { name: "other", label: "apiVersion", isRequired: false, placeholder: "v1beta" },
  ],
  operations: ["chat", "count_tokens", "embeddings", "images", "videos", "models"],
  mark: { glyph: "G", colour: "#1a73e8" },
};
