/** A knowledge base of AI Proxy as the console and the relay list it: channel type 21 (docs.aiproxy.io/dev/library). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 21,
  slug: "aiproxy-library",
  name: "AI Proxy knowledge base",
  defaultBaseUrl: "https://api.aiproxy.io",
  dialects: ["vendor"],
  operations: ["chat"],
  paths: { chat: "/api/library/ask" },
  models: ["gpt-4o", "gpt-4o-mini"],
  fields: [
    { name: "base_url", label: "baseUrl", isRequired: false, placeholder: "https://api.aiproxy.io" },
    { name: "other", label: "libraryId", isRequired: true, placeholder: "1234" },
  ],
  mark: { glyph: "A", colour: "#0f766e" },
};
