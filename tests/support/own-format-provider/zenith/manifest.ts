/** A vendor with a format, calls and tokens of its own: what the tests of the provider interface call (no such vendor exists). */
import type { ProviderDeclaration } from "../../../../server/src/providers/provider.ts";

export const manifest: ProviderDeclaration = {
  id: 4713,
  slug: "zenith",
  name: "Zenith",
  defaultBaseUrl: "https://api.zenith.example",
  dialects: ["vendor"],
  models: ["zenith-1"],
  operations: ["chat", "embeddings", "images", "speech", "transcriptions", "models"],
  keyForms: [["id", "secret"]],
  keyHeader: "",
  paths: { chat: "/chat" },
};
