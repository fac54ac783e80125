/** Gemini's usageMetadata, both ways (ai.google.dev/api/generate-content#UsageMetadata). */
import { NO_USAGE, type ToolCalls, type Usage } from "../../../../contract/src/pricing/usage.ts";
import { isObject, listOf, objectOf, textOf } from "../json/fields.ts";
import type { JsonObject } from "../neutral/neutral.ts";
import { countOf, findObject, findText, type NormalisedUsage } from "../neutral/usage-counts.ts";

/** Searches and places are in groundingMetadata; for pricing they join the usage under these names. */
const SEARCH_COUNT = "webSearchQueryCount";
const MAPS_COUNT = "googleMapsPromptCount";

/** Queries that Google searched for in an answer. */
export const searchesOf = (grounding: unknown): readonly string[] =>
  listOf(objectOf(grounding)["webSearchQueries"]).map(textOf);

/** True where places of Google Maps are among the sources; a prompt that they answer has one price, however many they are. */
export const hasPlaces = (grounding: unknown): boolean =>
  listOf(objectOf(grounding)["groundingChunks"]).some((chunk) => isObject(objectOf(chunk)["maps"]));

/** The vendor's usage with the number of searches and of prompts that Google Maps answered, where there were any. */
export function withSearches(usage: unknown, searches: number, usesMaps: boolean): unknown {
  if (searches === 0 && !usesMaps) return usage;
  return {
    ...objectOf(usage),
    ...(searches === 0 ? {} : { [SEARCH_COUNT]: searches }),
    ...(usesMaps ? { [MAPS_COUNT]: 1 } : {}),
  };
}

/** Stands in the usage of a prompt that Google blocked "before it is sent to the model" (docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/process-blocked-responses). */
const PROMPT_BLOCKED = "promptBlocked";

/** The usage of a prompt that was blocked: what the vendor counts of it, which is nothing where Model Armor did (trafficType alone). */
export const ofBlockedPrompt = (usage: unknown): JsonObject => ({ ...objectOf(usage), [PROMPT_BLOCKED]: true });

/** Why a prompt was blocked, or "": the answer has no candidates then. */
export const blockReasonOf = (answer: JsonObject): string => textOf(objectOf(answer["promptFeedback"])["blockReason"]);

/** The relay knows what each costs. */
function toolCallsOf(source: JsonObject, faults: string[]): ToolCalls[] {
  const [searches, prompts] = [countOf(source, SEARCH_COUNT, faults), countOf(source, MAPS_COUNT, faults)];
  return [
    ...(searches === 0 ? [] : [{ tool: "web_search" as const, calls: searches, usdPerThousand: "" }]),
    ...(prompts === 0 ? [] : [{ tool: "google_maps" as const, calls: prompts, usdPerThousand: "" }]),
  ];
}

/** Tokens of one modality in a list of details. */
function ofModality(details: unknown, modality: string, faults: string[]): number {
  let count = 0;
  for (const entry of listOf(details)) {
    if (isObject(entry) && entry["modality"] === modality) count += countOf(entry, "tokenCount", faults);
  }
  return count;
}

/** Output: text and thoughts, or the rest of the total if the vendor names neither. */
function outputOf(source: JsonObject, inputTokens: number, reasoningTokens: number, faults: string[]): number {
  const written = countOf(source, "candidatesTokenCount", faults);
  if (written > 0) return written + reasoningTokens;
  return Math.max(reasoningTokens, countOf(source, "totalTokenCount", faults) - inputTokens);
}

/** Undefined where it counts nothing, unless the prompt was blocked. The prompt's count includes what was read from the cache, but not the results of tools. */
export function normaliseUsage(raw: unknown): NormalisedUsage | undefined {
  const source = objectOf(raw);
  const faults: string[] = [];
  const prompt = countOf(source, "promptTokenCount", faults);
  const inputTokens = prompt + countOf(source, "toolUsePromptTokenCount", faults);
  const thoughts = countOf(source, "thoughtsTokenCount", faults);
  const outputTokens = outputOf(source, inputTokens, thoughts, faults);
  if (inputTokens === 0 && outputTokens === 0)
    return source[PROMPT_BLOCKED] === true ? { usage: NO_USAGE, faults, isTurnedAway: true } : undefined;
  const [into, out] = [source["promptTokensDetails"], source["candidatesTokensDetails"]];
  const usage: Usage = {
    ...NO_USAGE,
    inputTokens,
    outputTokens,
    cacheReadTokens: Math.min(countOf(source, "cachedContentTokenCount", faults), inputTokens),
    reasoningTokens: Math.min(thoughts, outputTokens),
    imageInputTokens: Math.min(ofModality(into, "IMAGE", faults), inputTokens),
    audioInputTokens: Math.min(ofModality(into, "AUDIO", faults), inputTokens),
    audioOutputTokens: Math.min(ofModality(out, "AUDIO", faults), outputTokens),
    imageOutputTokens: Math.min(ofModality(out, "IMAGE", faults), outputTokens),
    toolCalls: toolCallsOf(source, faults),
  };
  return { usage, faults };
}

/** Beside the candidates; arguments of calls are objects and may hold anything. */
export const USAGE_DEPTHS = [1];
/** In promptFeedback. */
const BLOCK_DEPTHS = [2];
/** In a candidate. */
const GROUNDING_DEPTHS = [3];

/** True of the text of an answer without candidates that says why, by scanning. */
export const isBlockedPrompt = (text: string): boolean =>
  text.includes('"blockReason"') &&
  !/"candidates"\s*:\s*\[\s*\{/.test(text) &&
  (findText(text, '"blockReason"', BLOCK_DEPTHS) ?? "") !== "";

/** The usage in the text of a buffered answer, by scanning. */
export function findUsage(text: string): unknown {
  const usage = findObject(text, '"usageMetadata"', USAGE_DEPTHS);
  if (isBlockedPrompt(text)) return ofBlockedPrompt(usage);
  if (!text.includes('"webSearchQueries"') && !text.includes('"maps"')) return usage;
  const grounding = findObject(text, '"groundingMetadata"', GROUNDING_DEPTHS);
  return withSearches(usage, searchesOf(grounding).length, hasPlaces(grounding));
}

/** In usageMetadata. */
const TIER_DEPTHS = [2];

/**
 * The tier that served an answer: `serviceTier`, which Google puts into the header too (ai.google.dev/gemini-api/docs/priority-inference),
 * and Vertex AI's `trafficType` (docs.cloud.google.com/vertex-ai/generative-ai/docs/priority-paygo).
 */
export const findTier = (text: string): string | undefined =>
  findText(text, '"serviceTier"', TIER_DEPTHS) ?? findText(text, '"trafficType"', TIER_DEPTHS);

export const TIER_HEADER = "x-gemini-service-tier";

function details(total: number, image: number, audio: number): JsonObject[] {
  const counts = [
    ["TEXT", Math.max(0, total - image - audio)] as const,
    ["IMAGE", image] as const,
    ["AUDIO", audio] as const,
  ];
  return counts.flatMap(([modality, tokenCount]) => (tokenCount === 0 ? [] : [{ modality, tokenCount }]));
}

/** usageMetadata for a client; thoughts are counted apart from the text. */
export function usageMetadata(usage: Usage): JsonObject {
  const { inputTokens, outputTokens, reasoningTokens, cacheReadTokens } = usage;
  const written = Math.max(0, outputTokens - reasoningTokens);
  const outDetails = details(written, usage.imageOutputTokens, usage.audioOutputTokens);
  const hasMedia = usage.imageOutputTokens + usage.audioOutputTokens > 0;
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: written,
    totalTokenCount: inputTokens + outputTokens,
    ...(cacheReadTokens === 0 ? {} : { cachedContentTokenCount: cacheReadTokens }),
    promptTokensDetails: details(inputTokens, usage.imageInputTokens, usage.audioInputTokens),
    ...(hasMedia ? { candidatesTokensDetails: outDetails } : {}),
    ...(reasoningTokens === 0 ? {} : { thoughtsTokenCount: reasoningTokens }),
  };
}
