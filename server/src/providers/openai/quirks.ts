/** Where OpenAI's reasoning models differ from the rest of its chat API (platform.openai.com/docs/guides/reasoning). */
import type { Quirk } from "../provider.ts";

const EFFORT_SUFFIX = /^(o\d.*)-(high|medium|low)$/;
const isReasoning = (model: string): boolean => /^(?:o\d|gpt-5)/.test(model) && !model.includes("-chat");

/** Sampling parameters that reasoning models refuse unless they have their default. */
const SAMPLING_DEFAULTS = { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0 } as const;

export const quirks: readonly Quirk[] = [
  {
    reason: "reasoning models refuse max_tokens and take max_completion_tokens",
    appliesTo: (model, operation) => operation === "chat" && isReasoning(model),
    patch(body) {
      const limit = body["max_tokens"];
      if (limit === undefined) return {};
      if (body["max_completion_tokens"] !== undefined) return { remove: ["max_tokens"] };
      return { remove: ["max_tokens"], set: { max_completion_tokens: limit } };
    },
  },
  {
    reason: "reasoning models refuse sampling parameters other than their defaults",
    appliesTo: (model, operation) => operation === "chat" && /^o\d/.test(model),
    patch(body) {
      const remove = Object.entries(SAMPLING_DEFAULTS).filter(
        ([name, value]) => body[name] !== undefined && body[name] !== value,
      );
      return remove.length === 0 ? {} : { remove: remove.map(([name]) => name) };
    },
  },
  {
    reason: "a suffix of -high, -medium or -low on an o-series name stands for reasoning_effort",
    appliesTo: (model, operation) => operation === "chat" && EFFORT_SUFFIX.test(model),
    patch(body) {
      const [, model, effort] = EFFORT_SUFFIX.exec(String(body["model"])) ?? [];
      return model === undefined ? {} : { set: { model, reasoning_effort: body["reasoning_effort"] ?? effort } };
    },
  },
];
