/** Converse's answers in one piece -> neutral ones, and what its streams have of them too: ends and counts (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html). */
import { isObject, listOf, numberOf, objectOf, ownOf, textOf } from "../../dialects/json/fields.ts";
import type { FinishReason, JsonObject, NeutralAnswer, NeutralPart } from "../../dialects/neutral/neutral.ts";
import { UNSIGNED } from "../../dialects/openai-chat/signature.ts";

const ENDS: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  stop_sequence: "stop_sequence",
  guardrail_intervened: "content_filter",
  content_filtered: "content_filter",
};

export const finishOf = (word: string): FinishReason => ownOf(ENDS, word) ?? "stop";

/**
 * Counts in the words of chat completions. Its input leaves out what the cache held
 * (docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html), except where `isWhole` says so and the counts allow it.
 */
export function usageOf(usage: unknown, isWhole = false): JsonObject | undefined {
  if (!isObject(usage)) return undefined;
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheWriteInputTokens } = usage;
  const [fresh, read = 0, written = 0] = [inputTokens, cacheReadInputTokens, cacheWriteInputTokens].map(numberOf);
  const kept = isWhole && fresh !== undefined && fresh >= read + written ? 0 : read + written;
  return {
    prompt_tokens: fresh === undefined ? inputTokens : fresh + kept,
    completion_tokens: outputTokens,
    prompt_tokens_details: { cached_tokens: cacheReadInputTokens, cache_write_tokens: cacheWriteInputTokens },
  };
}

function partsOf(block: JsonObject): NeutralPart[] {
  const { text, toolUse, reasoningContent } = block;
  if (typeof text === "string") return text === "" ? [] : [{ kind: "text", text }];
  if (isObject(toolUse)) {
    const { toolUseId, name, input } = toolUse;
    return [
      { kind: "tool_call", id: textOf(toolUseId), name: textOf(name), arguments: JSON.stringify(objectOf(input)) },
    ];
  }
  const thought = textOf(objectOf(objectOf(reasoningContent)["reasoningText"])["text"]);
  return thought === "" ? [] : [{ kind: "reasoning", text: thought, signature: UNSIGNED }];
}

/** Reads an answer in one piece, which has no id; undefined where the body is none. */
export function decodeAnswer({ output, stopReason, usage }: JsonObject): NeutralAnswer | undefined {
  const { message } = objectOf(output);
  if (!isObject(message)) return undefined;
  const parts = listOf(message["content"]).flatMap((block) => partsOf(objectOf(block)));
  return { id: "", choices: [{ parts, finish: finishOf(textOf(stopReason)) }], rawUsage: usageOf(usage) };
}
