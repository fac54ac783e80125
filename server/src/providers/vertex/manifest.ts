/** Vertex AI as the console and the relay list it: channel type 41 (docs.cloud.google.com/vertex-ai/generative-ai/docs). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 41,
  slug: "vertex",
  name: "Google Vertex AI",
  dialects: ["gemini", "anthropic-messages"],
  defaultBaseUrl: "",
  keyHint: '{"type": "service_account", "project_id": …}',
  keyForms: [["API key"]],
  isKeyDocument: true,
  fields: [
    {
      name: "other",
      label: "vertexRegion",
      isRequired: true,
      placeholder: "us-central1 / global",
      pattern: '^\\s*(?:[a-z]+(?:-[a-z]+\\d+)?|\\{[\\s\\S]*"default"[\\s\\S]*\\})\\s*$',
    },
    {
      name: "base_url",
      label: "optionalBaseUrl",
      isRequired: false,
      placeholder: "https://us-central1-aiplatform.googleapis.com",
    },
  ],
  operations: ["chat", "count_tokens", "embeddings", "images", "models"],
  fetchedMedia: ["image", "file"],
  forwardedHeaders: ["anthropic-beta"],
  mark: { glyph: "V", colour: "#4285f4" },
};
