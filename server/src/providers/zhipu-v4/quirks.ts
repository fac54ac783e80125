/** Where GLM models differ from OpenAI's chat completions (docs.bigmodel.cn/cn/guide/capabilities/thinking, api-reference). */
import { effortAsSwitch, olderLimit, systemRole } from "../../dialects/openai-chat/compatible.ts";
import type { Operation, Quirk } from "../provider.ts";

const isChat = (_model: string, operation: Operation): boolean => operation === "chat";
/** From this one on models take OpenAI's efforts, each of its words. */
const takesEffort = (model: string): boolean => /^glm-(?:5\.[2-9]|[6-9])/.test(model);

export const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isChat, patch: systemRole },
  { reason: "the vendor bounds answers by max_tokens alone", appliesTo: isChat, patch: olderLimit },
  {
    reason: "this model thinks or does not, by a field of its own",
    appliesTo: (model, operation) => operation === "chat" && !takesEffort(model),
    patch: (body) => effortAsSwitch(body, (isOn) => ({ thinking: { type: isOn ? "enabled" : "disabled" } })),
  },
];
