/** Finish reasons of Gemini answers, both ways (ai.google.dev/api/generate-content#FinishReason). */
import type { FinishReason } from "../neutral/neutral.ts";

/**
 * Reasons that are no plain end (ai.google.dev/api/generate-content#FinishReason). All others, those to come among them, end the answer as it
 * stands: a call that the model wrote wrongly, a language or a picture that it does not make is no policy's refusal, and agents ask again.
 */
const FINISHES: ReadonlyMap<string, FinishReason> = new Map([
  ["MAX_TOKENS", "length"],
  ["CONTINUATION", "pause"],
  ["SAFETY", "content_filter"],
  ["RECITATION", "content_filter"],
  ["BLOCKLIST", "content_filter"],
  ["PROHIBITED_CONTENT", "content_filter"],
  ["SPII", "content_filter"],
  ["MODEL_ARMOR", "content_filter"],
  ["IMAGE_SAFETY", "content_filter"],
  ["IMAGE_PROHIBITED_CONTENT", "content_filter"],
  ["IMAGE_RECITATION", "content_filter"],
]);

/** What a finishReason means; the vendor has none of its own for an answer that ends in calls. */
export function finishOf(word: string, hasCalls: boolean): FinishReason {
  const reason = FINISHES.get(word) ?? "stop";
  return reason === "stop" && hasCalls ? "tool_calls" : reason;
}

/** finishReason for a client. */
export const FINISH_WORDS: Readonly<Record<FinishReason, string>> = {
  stop: "STOP",
  stop_sequence: "STOP",
  tool_calls: "STOP",
  length: "MAX_TOKENS",
  content_filter: "SAFETY",
  refusal: "SAFETY",
  pause: "CONTINUATION",
};
