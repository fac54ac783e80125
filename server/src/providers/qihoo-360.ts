/** 360's Zhinao: channel type 19 (ai.360.com/docs, chat completions in OpenAI's format). */
import { effortAsSwitch, isCompletions, olderLimit, systemRole } from "../dialects/openai-chat/compatible.ts";
import { defineProvider } from "./define.ts";
import type { Quirk } from "./provider.ts";

/** Where 360 differs from OpenAI's chat completions (ai.360.com/docs/437061603e0). */
const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isCompletions, patch: systemRole },
  { reason: "the vendor bounds answers by max_tokens alone", appliesTo: isCompletions, patch: olderLimit },
  {
    reason: "the vendor's models do not think",
    appliesTo: isCompletions,
    patch: (body) => effortAsSwitch(body, () => ({})),
  },
];

export const qihoo360 = defineProvider({
  id: 19,
  slug: "qihoo-360",
  name: "360 Zhinao",
  defaultBaseUrl: "https://api.360.cn",
  keyHint: "fk...",
  models: [
    "360gpt2-pro",
    "360gpt-pro",
    "360gpt-turbo",
    "360gpt-turbo-responsibility-8k",
    "embedding-bert-512-v1",
    "embedding_s1_v1",
    "semantic_similarity_s1_v1",
  ],
  operations: ["chat", "embeddings", "models"],
  mark: { glyph: "3", colour: "#19a55a" },
  quirks,
});
