/** Azure OpenAI as the console and the relay list it: channel type 3 (learn.microsoft.com/en-us/azure/foundry/openai/api-version-lifecycle). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 3,
  slug: "azure",
  name: "Azure OpenAI",
  dialects: ["openai-chat", "openai-responses"],
  defaultBaseUrl: "",
  keyHint: "",
  fields: [
    { name: "base_url", label: "azureEndpoint", isRequired: true, placeholder: "https://resource.openai.azure.com" },
    {
      name: "other",
      label: "azureApiVersion",
      isRequired: false,
      placeholder: "v1 / 2024-10-21",
      pattern: "^(?:v1|preview|latest|\\d{4}-\\d\\d-\\d\\d(?:-preview)?)$",
    },
  ],
  operations: [
    "chat",
    "completions",
    "embeddings",
    "images",
    "image_edits",
    "speech",
    "transcriptions",
    "translations",
    "realtime",
    "videos",
    "models",
  ],
  mark: { glyph: "A", colour: "#0078d4" },
};
