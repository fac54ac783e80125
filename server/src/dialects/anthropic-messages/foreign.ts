/** A conversation that goes on with Anthropic after other vendors had turns in it: their thinking is refused there and stays behind. */
import { isObject, listOf, textOf } from "../json-fields.ts";
import { SIGNATURE_MARK } from "../neutral-signature.ts";
import type { JsonObject } from "../neutral.ts";

/** Thinking whose proof this gateway packed, or marked as none; Anthropic's own begins with neither mark. */
function isForeign(block: unknown): boolean {
  if (!isObject(block)) return false;
  const isThinking = block["type"] === "thinking" || block["type"] === "redacted_thinking";
  const proof = textOf(block["signature"] ?? block["data"]);
  return isThinking && (proof.startsWith(SIGNATURE_MARK) || proof.startsWith(`call:${SIGNATURE_MARK}`));
}

/** The message without it; undefined where nothing else was said. */
function cleaned(message: unknown): unknown {
  if (!isObject(message) || !listOf(message["content"]).some(isForeign)) return message;
  const content = listOf(message["content"]).filter((block) => !isForeign(block));
  return content.length === 0 ? undefined : { ...message, content };
}

/** With a budget of thinking the turn that is open has to begin with its thinking (thinking.ts). */
function needsThinking({ thinking }: JsonObject, messages: readonly unknown[]): boolean {
  if (!isObject(thinking) || thinking["type"] !== "enabled") return false;
  const turn = messages.findLast((message) => isObject(message) && message["role"] === "assistant");
  const [first] = isObject(turn) ? listOf(turn["content"]) : [];
  const isCall = isObject(first) && (first["type"] === "tool_use" || first["type"] === "text");
  const last = messages.at(-1);
  const results = isObject(last) ? listOf(last["content"]) : [];
  return isCall && results.some((block) => isObject(block) && block["type"] === "tool_result");
}

/** Top-level fields to send instead of the client's own; none where there is nothing of another vendor. */
export function withoutForeignProofs(fields: JsonObject): JsonObject {
  const given = listOf(fields["messages"]);
  const messages = given.map(cleaned).filter((message) => message !== undefined);
  if (messages.every((message, index) => message === given[index]) && messages.length === given.length) return {};
  return needsThinking(fields, messages) ? { messages, thinking: { type: "disabled" } } : { messages };
}
