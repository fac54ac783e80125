/** Why a Gemini answer ended, both ways (ai.google.dev/api/generate-content#FinishReason). */
import type { FinishReason } from "../neutral/neutral.ts";

/** Reasons that are no plain end (ai.google.dev/api/generate-content#FinishReason); those not named here count as a filter. */
const FINISHES: ReadonlyMap<string, FinishReason> = new Map([
  ["STOP", "stop"],
  ["MAX_TOKENS", "length"],
  ["CONTINUATION", "pause"],
]);

/** What a finishReason means; the vendor has no word of its own for an answer that ends in calls. */
export function finishOf(word: string, hasCalls: boolean): FinishReason {
  const reason = FINISHES.get(word) ?? "content_filter";
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
