/** Deviations of OpenAI's reasoning models from the rest of its chat API, for all who serve them (platform.openai.com/docs/guides/reasoning). */
import { objectOf, textOf } from "../json/fields.ts";
import type { FormatQuirk } from "../format-quirk.ts";

/** Suffixes that set an effort: no model of OpenAI's ends in one; xAI's grok-3-mini has an effort of its own too (docs.x.ai/docs/guides/reasoning). */
const EFFORT_SUFFIX = /^((?:o\d|gpt-5|grok-3-mini).*)-(none|minimal|low|medium|high|xhigh)$/;
const isReasoning = (model: string): boolean => /^(?:o\d|gpt-5)/.test(model) && !model.includes("-chat");

/** Sampling parameters that reasoning models refuse unless they have their default. */
const SAMPLING_DEFAULTS = { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0 } as const;

export const REASONING_QUIRKS: readonly FormatQuirk[] = [
  {
    reason: "reasoning models refuse max_tokens and take max_completion_tokens",
    appliesTo: (model, operation, dialect) => operation === "chat" && dialect === "openai-chat" && isReasoning(model),
    patch(body) {
      const limit = body["max_tokens"];
      if (limit === undefined) return {};
      if (body["max_completion_tokens"] !== undefined) return { remove: ["max_tokens"] };
      return { remove: ["max_tokens"], set: { max_completion_tokens: limit } };
    },
  },
  {
    reason: "reasoning models refuse sampling parameters other than their defaults",
    appliesTo: (model, operation, dialect) => operation === "chat" && dialect === "openai-chat" && /^o\d/.test(model),
    patch(body) {
      const remove = Object.entries(SAMPLING_DEFAULTS).filter(
        ([name, value]) => body[name] !== undefined && body[name] !== value,
      );
      return remove.length === 0 ? {} : { remove: remove.map(([name]) => name) };
    },
  },
  {
    reason: "a suffix like -high on a reasoning model's name stands for reasoning_effort",
    appliesTo: (model, operation, dialect) =>
      operation === "chat" && dialect === "openai-chat" && EFFORT_SUFFIX.test(model),
    patch(body) {
      const [, model, named = ""] = EFFORT_SUFFIX.exec(String(body["model"])) ?? [];
      if (model === undefined) return {};
      const effort = textOf(body["reasoning_effort"]) || named;
      return { set: { model, reasoning_effort: effort }, effort };
    },
  },
  {
    reason: "a suffix like -high on a reasoning model's name stands for reasoning.effort",
    appliesTo: (model, operation, dialect) =>
      operation === "chat" && dialect === "openai-responses" && EFFORT_SUFFIX.test(model),
    patch(body) {
      const [, model, named = ""] = EFFORT_SUFFIX.exec(String(body["model"])) ?? [];
      if (model === undefined) return {};
      const reasoning = objectOf(body["reasoning"]);
      const effort = textOf(reasoning["effort"]) || named;
      return { set: { model, reasoning: { ...reasoning, effort } }, effort };
    },
  },
];
