/** OpenAI as the console and the relay list it: channel type 1. */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 1,
  slug: "openai",
  name: "OpenAI",
  dialects: ["openai-chat", "openai-responses"],
  defaultBaseUrl: "https://api.openai.com",
  fields: [
    { name: "base_url", label: "baseUrl", isRequired: false, placeholder: "https://api.openai.com" },
    { name: "openai_organization", label: "organization", isRequired: false, placeholder: "org-..." },
  ],
  operations: [
    "chat",
    "completions",
    "embeddings",
    "images",
    "image_edits",
    "image_variations",
    "speech",
    "transcriptions",
    "translations",
    "moderations",
    "rerank",
    "realtime",
    "videos",
    "models",
  ],
  mark: { glyph: "O", colour: "#10a37f" },
};
