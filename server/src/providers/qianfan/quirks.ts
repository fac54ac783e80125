/** Where Qianfan differs from OpenAI's chat completions (cloud.baidu.com/doc/qianfan-api/s/3m7of64lb). */
import { effortAsSwitch, effortInWords, plainVectors, systemRole } from "../../dialects/openai-chat/compatible.ts";
import type { Operation, Quirk } from "../provider.ts";

const isChat = (_model: string, operation: Operation): boolean => operation === "chat";

export const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isChat, patch: systemRole },
  {
    reason: "the vendor switches thinking off by a field of its own, and knows the efforts low to high",
    appliesTo: isChat,
    patch: (body) =>
      body["reasoning_effort"] === "none"
        ? effortAsSwitch(body, (isOn) => ({ enable_thinking: isOn }))
        : effortInWords(body, { minimal: "low", xhigh: "high", max: "high" }),
  },
  {
    reason: "the vendor's vectors are numbers only",
    appliesTo: (_model, operation) => operation === "embeddings",
    patch: plainVectors,
  },
];
