/** Where 01.AI differs from OpenAI's chat completions (platform.lingyiwanwu.com/docs, chat completions). */
import { effortAsSwitch, olderLimit, systemRole } from "../../dialects/openai-chat/compatible.ts";
import type { Operation, Quirk } from "../provider.ts";

const isChat = (_model: string, operation: Operation): boolean => operation === "chat";

export const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isChat, patch: systemRole },
  { reason: "the vendor bounds answers by max_tokens alone", appliesTo: isChat, patch: olderLimit },
  { reason: "the vendor's models do not think", appliesTo: isChat, patch: (body) => effortAsSwitch(body, () => ({})) },
];
