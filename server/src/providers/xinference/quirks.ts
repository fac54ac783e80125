/** Where Xinference differs from OpenAI's chat completions (inference.readthedocs.io, "Client API"). */
import { effortInWords, olderLimit } from "../../dialects/openai-chat/compatible.ts";
import type { Operation, Quirk } from "../provider.ts";

const isChat = (_model: string, operation: Operation): boolean => operation === "chat";

export const quirks: readonly Quirk[] = [
  { reason: "older servers bound answers by max_tokens alone", appliesTo: isChat, patch: olderLimit },
  {
    reason: "the engines behind it know the efforts none, low, medium and high",
    appliesTo: isChat,
    patch: (body) => effortInWords(body, { minimal: "low", xhigh: "high", max: "high" }),
  },
];
