/** Finish reasons of chat completions <-> neutral ones. */
import { isObject, listOf, objectOf, ownOf, textOf } from "../json/fields.ts";
import type { FinishReason, JsonObject } from "../neutral/neutral.ts";

/** OpenAI's finish reasons, and those that compatible vendors use instead. */
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
 * Finish reasons by which a vendor says that an answer broke off by its own fault (openrouter.ai/docs/api_reference/errors-and-debugging,
 * api-docs.deepseek.com/api/create-chat-completion, docs.bigmodel.cn, docs.mistral.ai/api).
 */
const BROKEN: ReadonlySet<string> = new Set(["error", "network_error", "insufficient_system_resource"]);

/** The finish reason of a choice that broke off; undefined if none did. */
export function brokenWord(fields: JsonObject): string | undefined {
  const broken = listOf(fields["choices"]).find((choice) => BROKEN.has(textOf(objectOf(choice)["finish_reason"])));
  return broken === undefined ? undefined : textOf(objectOf(broken)["finish_reason"]);
}

/**
 * The same for a chunk with an error beside its choices, whatever they say (openrouter.ai/docs/api_reference/errors-and-debugging); an
 * error without words is a server that writes every field.
 */
export const brokenChunk = (fields: JsonObject): string | undefined =>
  brokenWord(fields) ?? (textOf(objectOf(fields["error"])["message"]) === "" ? undefined : "error");

/** The error of an answer or a chunk that broke off: the vendor's own message if there is one. */
export function brokenText(fields: JsonObject, word: string): string {
  const own = fields["error"];
  const error = { message: `The upstream broke off its answer: ${word}.`, type: "upstream_error", code: word };
  return JSON.stringify({ error: isObject(own) ? own : error });
}

/** The neutral finish reason, given the answer's content: some vendors say stop after tool calls. */
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
 * The finish reason for a client; `isLegacy` where it knows the retired functions only. A refusal that is spelled out ends like an answer; one
 * without text is a filter's.
 */
export function finishWord(reason: FinishReason, hasCalls: boolean, hasRefusal: boolean, isLegacy = false): string {
  if (reason === "refusal" && hasRefusal) return "stop";
  const word = reason === "stop" && hasCalls ? "tool_calls" : WORDS[reason];
  return isLegacy && word === "tool_calls" ? "function_call" : word;
}
