/** Fields that xAI's models refuse (docs.x.ai/developers/model-capabilities/text/reasoning, .../images/generation). */
import { objectOf, ownOf, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { type EffortWords, type FieldPatch, effortInWords, without } from "../../dialects/openai-chat/compatible.ts";
import type { Quirk } from "../provider.ts";

/** Each effort in the words of the models that have one; the first row that fits decides. The others refuse the field. */
const EFFORTS: readonly (readonly [models: RegExp, words: EffortWords])[] = [
  [/^grok-4\.3(?:-|$)/, { minimal: "low", xhigh: "high", max: "high" }],
  [/^grok-4\.7(?:-|$)/, { none: "low", minimal: "low", max: "xhigh" }],
  [/^grok-(?:4\.[4-9]|4\.20-multi-agent|[5-9])/, { none: "low", minimal: "low", xhigh: "high", max: "high" }],
];
const NO_EFFORT: EffortWords = { none: "", minimal: "", low: "", medium: "", high: "", xhigh: "", max: "" };

const effortWords = (model: string): EffortWords => EFFORTS.find(([models]) => models.test(model))?.[1] ?? NO_EFFORT;

const reasons = (model: string): boolean => model.startsWith("grok-") && !model.includes("non-reasoning");

/** The same in the format of Responses, where the effort stands beside the wish for a summary. */
function responsesEffort(body: JsonObject, words: EffortWords): FieldPatch {
  const { effort, ...reasoning } = objectOf(body["reasoning"]);
  const word = ownOf(words, textOf(effort));
  if (word === undefined || word === effort) return {};
  return { set: { reasoning: word === "" ? reasoning : { ...reasoning, effort: word } } };
}

export const quirks: readonly Quirk[] = [
  {
    reason: "this model knows other words for how long it thinks, or none",
    appliesTo: (_model, operation, dialect) => operation === "chat" && dialect === "openai-chat",
    patch: (body, _options, model) => effortInWords(body, effortWords(model)),
  },
  {
    reason: "this model knows other words for how long it thinks, or none",
    appliesTo: (_model, operation, dialect) => operation === "chat" && dialect === "openai-responses",
    patch: (body, _options, model) => responsesEffort(body, effortWords(model)),
  },
  {
    reason: "models that reason refuse penalties",
    appliesTo: (model, operation) => operation === "chat" && reasons(model),
    patch: (body) => without(body, ["presence_penalty", "frequency_penalty"]),
  },
  {
    reason: "the vendor's pictures have an aspect_ratio and a resolution instead",
    appliesTo: (_model, operation) => operation === "images",
    patch: (body) => without(body, ["size", "quality", "style"]),
  },
];
