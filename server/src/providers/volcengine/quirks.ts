/** Where Ark differs from OpenAI's chat completions (volcengine.com/docs/82379/1494384, /1449737). */
import { effortInWords, systemRole } from "../../dialects/openai-chat/compatible.ts";
import type { Operation, Quirk } from "../provider.ts";

const isChat = (_model: string, operation: Operation): boolean => operation === "chat";

export const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isChat, patch: systemRole },
  {
    reason: "the vendor knows the efforts minimal, which is none, to high",
    appliesTo: isChat,
    patch: (body) => effortInWords(body, { none: "minimal", xhigh: "high", max: "high" }),
  },
];
