/** Moka's M3E vectors, or a server of one's own that has them: channel type 44 (github.com/wangyuxinwhy/uniem). */
import { without } from "../dialects/openai-chat/compatible.ts";
import { defineProvider } from "./define.ts";
import type { Quirk } from "./provider.ts";

/** Servers of M3E know a model and its input, and nothing else of OpenAI's embeddings (github.com/wangyuxinwhy/uniem). */
const quirks: readonly Quirk[] = [
  {
    reason: "servers of these models know no such field",
    appliesTo: (_model, operation) => operation === "embeddings",
    patch: (body) => without(body, ["dimensions", "encoding_format", "user"]),
  },
];

export const moka = defineProvider({
  id: 44,
  slug: "moka",
  name: "Moka AI (M3E)",
  defaultBaseUrl: "https://api.moka.ai",
  models: ["m3e-large", "m3e-base", "m3e-small"],
  operations: ["embeddings"],
  // Its base URL has the version, where there is one.
  paths: { embeddings: "/embeddings" },
  mark: { glyph: "M", colour: "#7c3aed" },
  quirks,
});
