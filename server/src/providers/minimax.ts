/** MiniMax as the console and the relay list it: channel type 35 (platform.minimax.io/docs/api-reference/text-openai-api; in China api.minimaxi.com). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 35,
  slug: "minimax",
  name: "MiniMax",
  defaultBaseUrl: "https://api.minimax.io",
  keyHint: "eyJ...",
  // Messages come first: there thinking is apart from the answer, in chat completions it is inside the content.
  dialects: ["anthropic-messages", "openai-chat", "openai-responses"],
  models: [
    "MiniMax-M3",
    "MiniMax-M2.7",
    "MiniMax-M2.7-highspeed",
    "MiniMax-M2.5",
    "MiniMax-M2.5-highspeed",
    "MiniMax-M2.1",
    "speech-2.8-hd",
    "speech-2.8-turbo",
    "image-01",
    "image-01-live",
  ],
  operations: ["chat", "images", "speech", "models"],
  mark: { glyph: "M", colour: "#e2336d" },
};
