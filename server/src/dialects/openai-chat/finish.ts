/** Why an answer ended, in the words of chat completions and in neutral ones. */
import { isObject, listOf, objectOf, ownOf, textOf } from "../json/fields.ts";
import type { FinishReason, JsonObject } from "../neutral/neutral.ts";

/** OpenAI's words, and those vendors of its format put in their place. */
const REASONS: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  content_filter: "content_filter",
  sensitive: "content_filter",
};

/**
 * Words with which a vendor says that an answer broke off by its own fault (openrouter.ai/docs/api_reference/errors-and-debugging,
 * api-docs.deepseek.com/api/create-chat-completion, docs.bigmodel.cn, docs.mistral.ai/api).
 */
const BROKEN: ReadonlySet<string> = new Set(["error", "network_error", "insufficient_system_resource"]);

/** The word with which one of the choices broke off; undefined where none did. */
export function brokenWord(fields: JsonObject): string | undefined {
  const broken = listOf(fields["choices"]).find((choice) => BROKEN.has(textOf(objectOf(choice)["finish_reason"])));
  return broken === undefined ? undefined : textOf(objectOf(broken)["finish_reason"]);
}

/** The error of an answer or a chunk that broke off: the vendor's own words where it has some. */
export function brokenText(fields: JsonObject, word: string): string {
  const own = fields["error"];
  const error = { message: `The upstream broke off its answer: ${word}.`, type: "upstream_error", code: word };
  return JSON.stringify({ error: isObject(own) ? own : error });
}

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
