/**
 * Services that have OpenAI's API of videos, which OpenAI itself ended: channel type 55 (developers.openai.com/api/reference/resources/videos).
 */
import { defineProvider } from "./define.ts";

export const sora = defineProvider({
  id: 55,
  slug: "sora",
  name: "Sora",
  defaultBaseUrl: "",
  models: ["sora-2", "sora-2-pro"],
  operations: ["videos"],
  canTest: false,
  mark: { glyph: "S", colour: "#10a37f" },
});
