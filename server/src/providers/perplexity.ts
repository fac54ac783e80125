/** Perplexity: channel type 27, whose paths have no version (docs.perplexity.ai/api-reference). */
import { mappedEffort, isCompletions, olderLimit, systemRole } from "../dialects/openai-chat/compatible.ts";
import { defineProvider } from "./define.ts";
import type { Quirk } from "./provider.ts";

/** Where Perplexity differs from OpenAI's chat completions (docs.perplexity.ai/api-reference/chat-completions-post). */
const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isCompletions, patch: systemRole },
  { reason: "the vendor bounds answers by max_tokens alone", appliesTo: isCompletions, patch: olderLimit },
  {
    reason: "the vendor knows the efforts minimal to high",
    appliesTo: isCompletions,
    patch: (body) => mappedEffort(body, { none: "minimal", xhigh: "high", max: "high" }),
  },
];

export const perplexity = defineProvider({
  id: 27,
  slug: "perplexity",
  name: "Perplexity",
  defaultBaseUrl: "https://api.perplexity.ai",
  apiRoot: "",
  keyHint: "pplx-...",
  models: ["sonar", "sonar-pro", "sonar-reasoning-pro"],
  operations: ["chat"],
  supportsStreamUsage: false,
  mark: { glyph: "P", colour: "#1f7f8c" },
  quirks,
});
