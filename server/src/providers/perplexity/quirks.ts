/** Where Perplexity differs from OpenAI's chat completions (docs.perplexity.ai/api-reference/chat-completions-post). */
import { effortInWords, olderLimit, systemRole } from "../../dialects/openai-chat/compatible.ts";
import type { Operation, Quirk } from "../provider.ts";

const isChat = (_model: string, operation: Operation): boolean => operation === "chat";

export const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isChat, patch: systemRole },
  { reason: "the vendor bounds answers by max_tokens alone", appliesTo: isChat, patch: olderLimit },
  {
    reason: "the vendor knows the efforts minimal to high",
    appliesTo: isChat,
    patch: (body) => effortInWords(body, { none: "minimal", xhigh: "high", max: "high" }),
  },
];
