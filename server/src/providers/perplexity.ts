/** Perplexity as the console and the relay list it: channel type 27, whose paths have no version (docs.perplexity.ai/api-reference). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 27,
  slug: "perplexity",
  name: "Perplexity",
  defaultBaseUrl: "https://api.perplexity.ai",
  apiRoot: "",
  keyHint: "pplx-...",
  models: ["sonar", "sonar-pro", "sonar-reasoning-pro"],
  operations: ["chat"],
  supportsStreamUsage: false,
  mark: { glyph: "P", colour: "#1f7f8c" },
};
