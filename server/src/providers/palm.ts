/** Google PaLM: channel type 11, decommissioned on 15 August 2024 (ai.google.dev/palm_docs/deprecation). */
import { defineProvider } from "./define.ts";

export const palm = defineProvider({
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
});
