/** Google PaLM as the console lists it: channel type 11, decommissioned on 15 August 2024 (ai.google.dev/palm_docs/deprecation). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 11,
  slug: "palm",
  name: "Google PaLM",
  defaultBaseUrl: "https://generativelanguage.googleapis.com",
  keyHint: "AIza...",
  models: [],
  operations: [],
  isRetired: true,
  notice: "palm",
  mark: { glyph: "P", colour: "#9aa0a6" },
};
