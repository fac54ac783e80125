/** Where DeepSeek differs from OpenAI's chat completions (api-docs.deepseek.com/api/create-chat-completion, guides/thinking_mode). */
import { effortAsSwitch, hasLostThinking, olderLimit, systemRole } from "../../dialects/openai-chat/compatible.ts";
import { objectOf } from "../../dialects/json/fields.ts";
import type { Operation, Quirk } from "../provider.ts";

const isChat = (_model: string, operation: Operation): boolean => operation === "chat";
const OFF = { type: "disabled" } as const;

export const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isChat, patch: systemRole },
  { reason: "the vendor bounds answers by max_tokens alone", appliesTo: isChat, patch: olderLimit },
  {
    reason: "the vendor switches thinking off by a field of its own",
    appliesTo: isChat,
    patch: (body) => (body["reasoning_effort"] === "none" ? effortAsSwitch(body, () => ({ thinking: OFF })) : {}),
  },
  {
    reason: "the vendor refuses to think on where the thinking before an earlier call was not sent back",
    appliesTo: isChat,
    patch: (body) =>
      objectOf(body["thinking"])["type"] !== OFF.type && hasLostThinking(body) ? { set: { thinking: OFF } } : {},
  },
];
