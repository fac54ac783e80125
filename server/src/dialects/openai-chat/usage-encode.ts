/** Usage in the words of chat completions (platform.openai.com/docs/api-reference/chat/object, usage). */
import type { Usage } from "../../../../contract/src/usage.ts";
import type { JsonObject } from "../neutral.ts";

/** prompt_tokens includes what was read from and written to a cache; completion_tokens includes reasoning. */
export function openAiUsage(usage: Usage): JsonObject {
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
