/** OpenAI: channel type 1. */
import { OPENAI_SHARED } from "../dialects/neutral/openai-shared.ts";
import { REASONING_QUIRKS } from "../dialects/openai-chat/reasoning-models.ts";
import { openaiStyleBalance } from "./balance.ts";
import { defineProvider } from "./define.ts";

export const openai = defineProvider({
  id: 1,
  slug: "openai",
  name: "OpenAI",
  dialects: ["openai-chat", "openai-responses"],
  compacts: true,
  defaultBaseUrl: "https://api.openai.com",
  fields: [
    { name: "base_url", label: "baseUrl", isRequired: false, placeholder: "https://api.openai.com" },
    { name: "openai_organization", label: "organization", isRequired: false, placeholder: "org-..." },
  ],
  operations: [
    "chat",
    "completions",
    "embeddings",
    "images",
    "image_edits",
    "image_variations",
    "speech",
    "transcriptions",
    "translations",
    "moderations",
    "rerank",
    "realtime",
    "videos",
    "models",
  ],
  // docs/guides/prompt-caching; compatible servers under this type refuse them: Cerebras by 422, Groq by 400 (zed-industries/zed#36215).
  openAiSettings: { names: OPENAI_SHARED, ownModelsBut: "https://api.openai.com/" },
  servesAnyModel: true,
  mark: { glyph: "O", colour: "#10a37f" },
  // OpenAI's billing answers sessions of its own site alone; gateways under the same type give keys their limit and usage in its form.
  balance: openaiStyleBalance,
  // Where OpenAI's models differ from each other.
  quirks: REASONING_QUIRKS,
});
