/** Where Workers AI differs from OpenAI's chat completions and embeddings (developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility). */
import { effortInWords, olderLimit, plainVectors, systemRole } from "../../dialects/openai-chat/compatible.ts";
import type { Operation, Quirk } from "../provider.ts";

const isChat = (_model: string, operation: Operation): boolean => operation === "chat";

export const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isChat, patch: systemRole },
  { reason: "the vendor bounds answers by max_tokens alone", appliesTo: isChat, patch: olderLimit },
  {
    reason: "the vendor's models know the efforts low, medium and high",
    appliesTo: isChat,
    patch: (body) => effortInWords(body, { minimal: "low", xhigh: "high", max: "high" }),
  },
  {
    reason: "the vendor's vectors are numbers only",
    appliesTo: (_model, operation) => operation === "embeddings",
    patch: plainVectors,
  },
];
