/** Suno API as the console lists it: channel type 36, a server that operators run themselves (github.com/Suno-API/Suno-API). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 36,
  slug: "suno",
  name: "Suno API",
  defaultBaseUrl: "",
  keyHint: "secret-token",
  models: ["suno_music", "suno_lyrics"],
  operations: ["songs"],
  canTest: false,
  mark: { glyph: "S", colour: "#f97316" },
};
