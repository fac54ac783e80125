/** A vendor of OpenAI's format in one file, for the test that registers and calls one (no such vendor exists). */
import { defineProvider } from "../../../server/src/providers/define.ts";

export const acme = defineProvider({
  id: 4712,
  slug: "acme",
  name: "Acme",
  defaultBaseUrl: "https://api.acme.example",
  apiRoot: "/api/v3",
  models: ["acme-large", "acme-small"],
  operations: ["chat", "embeddings", "models"],
  refusedFields: { logit_bias: "the vendor answers 400 to it" },
  mark: { glyph: "A", colour: "#7c3aed" },
});
