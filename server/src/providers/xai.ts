/** xAI as the console and the relay list it: channel type 48 (docs.x.ai/developers/models, docs.x.ai/developers/rest-api-reference). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 48,
  slug: "xai",
  name: "xAI",
  dialects: ["openai-chat", "openai-responses"],
  defaultBaseUrl: "https://api.x.ai",
  keyHint: "xai-...",
  models: [
    "grok-4.7",
    "grok-4.6",
    "grok-4.5",
    "grok-4.3",
    "grok-4.20-0309-reasoning",
    "grok-4.20-0309-non-reasoning",
    "grok-build-0.1",
    "grok-imagine-image-2.0",
    "grok-imagine-image-quality",
  ],
  operations: ["chat", "images", "models"],
  mark: { glyph: "X", colour: "#4b5565" },
};
