/** Suno API: channel type 36, a server that operators run themselves (github.com/Suno-API/Suno-API). */
import { defineProvider } from "./define.ts";

export const suno = defineProvider({
  id: 36,
  slug: "suno",
  name: "Suno API",
  defaultBaseUrl: "",
  keyHint: "secret-token",
  models: ["suno_music", "suno_lyrics"],
  operations: ["songs"],
  canTest: false,
  mark: { glyph: "S", colour: "#f97316" },
});
