/** Where OpenRouter differs from OpenAI's chat completions (openrouter.ai/docs/guides/best-practices/reasoning-tokens). */
import { effortInWords } from "../../dialects/openai-chat/compatible.ts";
import type { Quirk } from "../provider.ts";

export const quirks: readonly Quirk[] = [
  {
    reason: "the vendor's longest effort is called xhigh",
    appliesTo: (_model, operation) => operation === "chat",
    patch: (body) => effortInWords(body, { max: "xhigh" }),
  },
];
