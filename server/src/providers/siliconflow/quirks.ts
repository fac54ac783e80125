/** Where SiliconFlow differs from OpenAI's chat completions (docs.siliconflow.cn/cn/api-reference/chat-completions). */
import { effortInWords, olderLimit, systemRole } from "../../dialects/openai-chat/compatible.ts";
import type { Operation, Quirk } from "../provider.ts";

const isChat = (_model: string, operation: Operation): boolean => operation === "chat";

export const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isChat, patch: systemRole },
  { reason: "the vendor bounds answers by max_tokens alone", appliesTo: isChat, patch: olderLimit },
  {
    reason: "the vendor knows the efforts none, low, medium, high and max",
    appliesTo: isChat,
    patch: (body) => effortInWords(body, { minimal: "low", xhigh: "max" }),
  },
];
