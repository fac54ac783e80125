/** xAI: channel type 48 (docs.x.ai/developers/models, docs.x.ai/developers/rest-api-reference). */
import { isObject, textOf } from "../dialects/json/fields.ts";
import { type ErrorText, readFailure, errorTextOf } from "../dialects/neutral/failure.ts";
import { type EffortNames, mappedEffort, without } from "../dialects/openai-chat/compatible.ts";
import { withEffort } from "../dialects/openai-responses/vendors/compatible.ts";
import { nameQuirks, refusedSampling } from "../dialects/name-quirks.ts";
import { defineProvider } from "./define.ts";
import type { Quirk, UpstreamErrorKind, UpstreamFailure } from "./provider.ts";

// Fields that xAI's models refuse (docs.x.ai/developers/model-capabilities/text/reasoning, .../images/generation).

/** Efforts by the names of the models that have one; the first matching row decides. The others refuse the field. */
const EFFORTS: readonly (readonly [models: RegExp, names: EffortNames])[] = [
  [/^grok-3-mini/, { none: "low", minimal: "low", medium: "high", xhigh: "high", max: "high" }],
  [/^grok-4\.3(?:-|$)/, { minimal: "low", xhigh: "high", max: "high" }],
  [/^grok-4\.7(?:-|$)/, { none: "low", minimal: "low", max: "xhigh" }],
  [/^grok-(?:4\.[4-9]|4\.20-multi-agent|[5-9])/, { none: "low", minimal: "low", xhigh: "high", max: "high" }],
];
const NO_EFFORT: EffortNames = { none: "", minimal: "", low: "", medium: "", high: "", xhigh: "", max: "" };

const effortNames = (model: string): EffortNames => EFFORTS.find(([models]) => models.test(model))?.[1] ?? NO_EFFORT;

const quirks: readonly Quirk[] = [
  ...nameQuirks("xai"),
  {
    reason: "this model knows other words for how long it thinks, or none",
    appliesTo: (_model, operation, dialect) => operation === "chat" && dialect === "openai-chat",
    patch: (body, _options, model) => mappedEffort(body, effortNames(model)),
  },
  {
    reason: "this model knows other words for how long it thinks, or none",
    appliesTo: (_model, operation, dialect) => operation === "chat" && dialect === "openai-responses",
    patch: (body, _options, model) => withEffort(body, effortNames(model)),
  },
  refusedSampling("xai", "models that reason refuse penalties"),
  {
    reason: "the vendor's pictures have an aspect_ratio and a resolution instead",
    appliesTo: (_model, operation) => operation === "images",
    patch: (body) => without(body, ["size", "quality", "style"]),
  },
];

// Failures of xAI: refused keys come as 400 and empty accounts as 403 or 429, which only the message shows (docs.x.ai/developers/debugging).

/** The first that fits decides. */
const KINDS: readonly (readonly [pattern: RegExp, kind: UpstreamErrorKind])[] = [
  [/\bincorrect api key\b/i, "auth"],
  [/\b(?:credits?|spending limit)\b/i, "quota"],
  [/\bcontent violates usage guidelines\b/i, "content"],
];

/** `{"code": "text", "error": "text"}`, beside OpenAI's envelope. */
function errorTextIn(parsed: unknown): ErrorText {
  const found = errorTextOf(parsed);
  return isObject(parsed) && typeof parsed["error"] === "string"
    ? { ...found, message: parsed["error"], code: textOf(parsed["code"]) }
    : found;
}

function failure(status: number, body: string): UpstreamFailure {
  const read = readFailure(status, body, errorTextIn);
  const kind = KINDS.find(([pattern]) => pattern.test(read.message))?.[1];
  return kind === undefined ? read : { ...read, kind, isRetryable: kind !== "content" };
}

export const xai = defineProvider({
  id: 48,
  slug: "xai",
  name: "xAI",
  // Its Messages have ended (docs.x.ai/developers/rest-api-reference/inference/legacy).
  dialects: ["openai-chat", "openai-responses"],
  defaultBaseUrl: "https://api.x.ai",
  keyHint: "xai-...",
  models: [
    "grok-4.7",
    "grok-4.6",
    "grok-4.5",
    "grok-4.3",
    "grok-4.20-0309-reasoning",
    "grok-4.20-0309-non-reasoning",
    "grok-build-0.1",
    "grok-imagine-image-2.0",
    "grok-imagine-image-quality",
  ],
  operations: ["chat", "images", "models"],
  // docs.x.ai/developers/model-capabilities/text/comparison: searches are of the Responses API.
  webSearch: "none",
  // docs.x.ai/developers/advanced-api-usage/prompt-caching/maximizing-cache-hits
  openAiSettings: { names: ["prompt_cache_key"] },
  mark: { glyph: "X", colour: "#4b5565" },
  quirks,
  failure,
});
