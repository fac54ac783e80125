/** 01.AI (Lingyiwanwu): channel type 31 (platform.lingyiwanwu.com/docs). */
import { effortAsSwitch, isCompletions, olderLimit, systemRole } from "../dialects/openai-chat/compatible.ts";
import { defineProvider } from "./define.ts";
import type { Quirk } from "./provider.ts";

/** Where 01.AI differs from OpenAI's chat completions (platform.lingyiwanwu.com/docs, chat completions). */
const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isCompletions, patch: systemRole },
  { reason: "the vendor bounds answers by max_tokens alone", appliesTo: isCompletions, patch: olderLimit },
  {
    reason: "the vendor's models do not think",
    appliesTo: isCompletions,
    patch: (body) => effortAsSwitch(body, () => ({})),
  },
];

export const lingyiwanwu = defineProvider({
  id: 31,
  slug: "lingyiwanwu",
  name: "01.AI (Yi)",
  defaultBaseUrl: "https://api.lingyiwanwu.com",
  models: ["yi-lightning", "yi-large", "yi-large-turbo", "yi-medium", "yi-medium-200k", "yi-spark", "yi-vision-v2"],
  operations: ["chat", "models"],
  mark: { glyph: "Y", colour: "#003425" },
  quirks,
});
