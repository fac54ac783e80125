/** Mistral as the console and the relay list it: channel type 42 (docs.mistral.ai/getting-started/models, docs.mistral.ai/api). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 42,
  slug: "mistral",
  name: "Mistral AI",
  defaultBaseUrl: "https://api.mistral.ai",
  keyHint: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  models: [
    "mistral-large-latest",
    "mistral-medium-latest",
    "mistral-small-latest",
    "magistral-medium-latest",
    "ministral-14b-latest",
    "ministral-8b-latest",
    "ministral-3b-latest",
    "codestral-latest",
    "devstral-2512",
    "mistral-embed",
    "codestral-embed",
  ],
  operations: ["chat", "embeddings", "models"],
  supportsStreamUsage: false,
  thinksInParts: true,
  mark: { glyph: "M", colour: "#d95f1e" },
};
