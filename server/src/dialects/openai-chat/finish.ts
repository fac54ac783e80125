/** Why an answer ended, in the words of chat completions and in neutral ones. */
import { ownOf } from "../json/fields.ts";
import type { FinishReason } from "../neutral/neutral.ts";

/** OpenAI's words, and those vendors of its format put in their place. */
const REASONS: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  max_tokens: "length",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  content_filter: "content_filter",
  sensitive: "content_filter",
};

/** What an upstream's word means, given what the answer held: some vendors say stop behind tool calls. */
export function finishReason(word: string, hasCalls: boolean, hasRefusal: boolean): FinishReason {
  const reason = ownOf(REASONS, word) ?? "stop";
  if (reason !== "stop") return reason;
  if (hasCalls) return "tool_calls";
  return hasRefusal ? "refusal" : "stop";
}

const WORDS: Readonly<Record<FinishReason, string>> = {
  stop: "stop",
  stop_sequence: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
  refusal: "content_filter",
  pause: "stop",
};

/**
 * The word for a client; `isLegacy` where it knows the retired functions only. A refusal that is spelled out ends like an answer; one
 * without words is a filter's.
 */
export function finishWord(reason: FinishReason, hasCalls: boolean, hasRefusal: boolean, isLegacy = false): string {
  if (reason === "refusal" && hasRefusal) return "stop";
  const word = reason === "stop" && hasCalls ? "tool_calls" : WORDS[reason];
  return isLegacy && word === "tool_calls" ? "function_call" : word;
}
