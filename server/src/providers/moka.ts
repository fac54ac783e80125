/** Moka's M3E vectors, or a server of one's own that has them, as the console and the relay list it: channel type 44 (github.com/wangyuxinwhy/uniem). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 44,
  slug: "moka",
  name: "Moka AI (M3E)",
  defaultBaseUrl: "https://api.moka.ai",
  models: ["m3e-large", "m3e-base", "m3e-small"],
  operations: ["embeddings"],
  // Its base URL has the version, where there is one.
  paths: { embeddings: "/embeddings" },
  mark: { glyph: "M", colour: "#7c3aed" },
};
