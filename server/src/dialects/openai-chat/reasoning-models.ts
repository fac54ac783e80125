/** Deviations of OpenAI's reasoning models from the rest of its API, for all who serve them (platform.openai.com/docs/guides/reasoning). */
import { objectOf, textOf } from "../json/fields.ts";
import type { FormatQuirk } from "../format-quirk.ts";
import { nameQuirks } from "../name-quirks.ts";
import type { Effort } from "../neutral/neutral.ts";
import { refusedSampling } from "../neutral/openai-models.ts";
import { without } from "./compatible.ts";

const refusesMaxTokens = (model: string): boolean => /^(?:o\d|gpt-5)/.test(model) && !model.includes("-chat");

/** The effort that a request asks for, in either of OpenAI's formats; undefined where the model decides. */
const effortIn = (body: Readonly<Record<string, unknown>>): Effort | undefined =>
  (textOf(body["reasoning_effort"]) || textOf(objectOf(body["reasoning"])["effort"]) || undefined) as
    | Effort
    | undefined;

export const REASONING_QUIRKS: readonly FormatQuirk[] = [
  {
    reason: "reasoning models refuse max_tokens and take max_completion_tokens",
    appliesTo: (model, operation, dialect) =>
      operation === "chat" && dialect === "openai-chat" && refusesMaxTokens(model),
    patch(body) {
      const limit = body["max_tokens"];
      if (limit === undefined) return {};
      if (body["max_completion_tokens"] !== undefined) return { remove: ["max_tokens"] };
      return { remove: ["max_tokens"], set: { max_completion_tokens: limit } };
    },
  },
  ...nameQuirks("openai"),
  {
    reason: "reasoning models refuse sampling parameters other than their defaults",
    appliesTo: (model, operation, dialect) =>
      operation === "chat" &&
      (dialect === "openai-chat" || dialect === "openai-responses") &&
      /^(?:o\d|gpt-[5-9]|gpt-\d\d)/.test(model),
    patch: (body) => without(body, refusedSampling(body, textOf(body["model"]), effortIn(body))),
  },
];
