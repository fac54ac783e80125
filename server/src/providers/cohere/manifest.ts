/** Cohere as the console and the relay list it: channel type 34 (docs.cohere.com/docs/models, docs.cohere.com/reference/list-models). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 34,
  slug: "cohere",
  name: "Cohere",
  defaultBaseUrl: "https://api.cohere.com",
  dialects: ["vendor"],
  fields: [
    { name: "base_url", label: "baseUrl", isRequired: false, placeholder: "https://api.cohere.com" },
    {
      name: "other",
      label: "safetyMode",
      isRequired: false,
      choices: [
        { value: "CONTEXTUAL", label: "safetyContextual" },
        { value: "STRICT", label: "safetyStrict" },
        { value: "OFF", label: "safetyOff" },
      ],
    },
  ],
  keyHint: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  models: [
    "command-a-plus-05-2026",
    "command-a-03-2025",
    "command-a-reasoning-08-2025",
    "command-a-vision-07-2025",
    "command-a-translate-08-2025",
    "command-r7b-12-2024",
    "command-r-plus-08-2024",
    "command-r-08-2024",
    "embed-v5.0-pro",
    "embed-v5.0-fast",
    "embed-v4.0",
    "rerank-v5.0-pro",
    "rerank-v5.0-fast",
    "rerank-v4.0-pro",
    "rerank-v4.0-fast",
    "rerank-v3.5",
  ],
  operations: ["chat", "embeddings", "rerank", "models"],
  // A page of the list has 20 models unless more are asked for.
  paths: { chat: "/v2/chat", models: "/v1/models?page_size=1000" },
  mark: { glyph: "C", colour: "#39594d" },
};
