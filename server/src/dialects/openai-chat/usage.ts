/** Usage of chat completions, both ways (platform.openai.com/docs/api-reference/chat/object, usage); upstream numbers are always checked. */
import { MAX_TOKEN_COUNT } from "../../../../contract/src/pricing/pricing.ts";
import { NO_USAGE, type ToolCalls, type Usage } from "../../../../contract/src/pricing/usage.ts";
import { objectOf } from "../json/fields.ts";
import type { JsonObject } from "../neutral/neutral.ts";
import { type NormalisedUsage, countOf, findObject, findText, firstCount } from "../neutral/usage-counts.ts";

/** xAI counts reasoning beside the completion, which only the total shows (docs.x.ai/developers/model-capabilities/text/reasoning). */
const isBesides = (reasoning: number, total: unknown, withoutIt: number): boolean =>
  reasoning > 0 && total === withoutIt + reasoning;

/** Searches that OpenRouter made (openrouter.ai/docs/client-sdks/python/components/bodyservertooluse). */
function searchesIn(source: JsonObject, faults: string[]): ToolCalls[] {
  const calls = countOf(objectOf(source["server_tool_use"]), "web_search_requests", faults);
  return calls === 0 ? [] : [{ tool: "web_search", calls, usdPerThousand: "" }];
}

/**
 * Reads `usage` of a chat completion, completion or embeddings answer (platform.openai.com/docs/api-reference/chat/object; DeepSeek's
 * prompt_cache_hit_tokens, Moonshot's cached_tokens, num_cached_tokens of Mistral's early 2026, cache_creation_input_tokens of gateways and, in the details, of Alibaba). Undefined
 * where neither prompt nor completion tokens are above 0.
 */
export function normaliseUsage(raw: unknown): NormalisedUsage | undefined {
  const source = objectOf(raw);
  const prompt = objectOf(source["prompt_tokens_details"]);
  const completion = objectOf(source["completion_tokens_details"]);
  const faults: string[] = [];
  const inputTokens = countOf(source, "prompt_tokens", faults);
  const said = countOf(source, "completion_tokens", faults);
  const reasoning = countOf(completion, "reasoning_tokens", faults);
  const besides = isBesides(reasoning, source["total_tokens"], inputTokens + said) ? reasoning : 0;
  const outputTokens = Math.min(said + besides, MAX_TOKEN_COUNT);
  if (inputTokens === 0 && outputTokens === 0) return undefined;
  const cacheRead = firstCount(
    [
      [prompt, "cached_tokens"],
      [source, "prompt_cache_hit_tokens"],
      [source, "cached_tokens"],
      [source, "num_cached_tokens"],
    ],
    faults,
  );
  const cacheWrite = firstCount(
    [
      [prompt, "cache_write_tokens"],
      [prompt, "cache_creation_input_tokens"],
      [source, "cache_creation_input_tokens"],
    ],
    faults,
  );
  const usage: Usage = {
    ...NO_USAGE,
    inputTokens,
    outputTokens,
    cacheReadTokens: Math.min(cacheRead, inputTokens),
    cacheWriteTokens: Math.min(cacheWrite, Math.max(0, inputTokens - cacheRead)),
    reasoningTokens: Math.min(reasoning, outputTokens),
    imageInputTokens: Math.min(countOf(prompt, "image_tokens", faults), inputTokens),
    audioInputTokens: Math.min(countOf(prompt, "audio_tokens", faults), inputTokens),
    audioOutputTokens: Math.min(countOf(completion, "audio_tokens", faults), outputTokens),
    toolCalls: searchesIn(source, faults),
  };
  return { usage, faults };
}

/** Beside the choices, or inside the last of them, where Moonshot has it (platform.moonshot.ai/docs/api/chat). */
const USAGE_DEPTHS = [1, 3];

/** The usage object of a buffered answer or a chunk; Groq's streams have it inside `x_groq` too (console.groq.com/docs/api-reference). */
export const findUsage = (text: string): unknown =>
  findObject(text, '"usage"', USAGE_DEPTHS) ?? objectOf(findObject(text, '"x_groq"', [1]))["usage"];

/** The tier that served a buffered answer or a chunk, which may be another than was asked for (api/docs/api-reference/chat/object). */
export const findTier = (text: string): string | undefined => findText(text, '"service_tier"', [1]);

/** prompt_tokens includes what was read from and written to a cache; completion_tokens includes reasoning. */
export function encodeUsage(usage: Usage): JsonObject {
  const cacheWriteTokens = usage.cacheWriteTokens + usage.cacheWriteLongTokens;
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cacheReadTokens,
      audio_tokens: usage.audioInputTokens,
      ...(usage.imageInputTokens > 0 ? { image_tokens: usage.imageInputTokens } : {}),
      ...(cacheWriteTokens > 0 ? { cache_write_tokens: cacheWriteTokens } : {}),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      audio_tokens: usage.audioOutputTokens,
    },
  };
}
