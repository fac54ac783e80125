/** Any OpenAI-compatible address, given whole: channel type 8. */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 8,
  slug: "custom",
  name: "Custom",
  defaultBaseUrl: "",
  fields: [
    { name: "base_url", label: "fullUrl", isRequired: true, placeholder: "https://example.com/v1/chat/completions" },
  ],
  mark: { glyph: "C", colour: "#6b7280" },
};
