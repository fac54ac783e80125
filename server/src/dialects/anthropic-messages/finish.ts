/** Finish reasons of Anthropic answers, both ways (platform.claude.com/docs/en/build-with-claude/handling-stop-reasons). */
import { objectOf, ownOf, textOf } from "../json/fields.ts";
import type { FinishReason, JsonObject } from "../neutral/neutral.ts";

const REASONS: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  max_tokens: "length",
  stop_sequence: "stop_sequence",
  tool_use: "tool_calls",
  pause_turn: "pause",
  // A classifier of the vendor stopped the answer; the model itself did not say no (handling-stop-reasons).
  refusal: "content_filter",
  model_context_window_exceeded: "length",
};

const STOP_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  stop_sequence: "stop_sequence",
  tool_calls: "tool_use",
  pause: "pause_turn",
  refusal: "refusal",
  content_filter: "refusal",
};

/** Reasons the vendor may add are an end like any other. */
export const finishOf = (stopReason: string): FinishReason => ownOf(REASONS, stopReason) ?? "stop";

/** The explanation of a refusal; empty for every other finish reason, and if there is none. */
export const explanationOf = (finish: FinishReason, stopDetails: unknown): string =>
  finish === "content_filter" ? textOf(objectOf(stopDetails)["explanation"]) : "";

/** stop_reason and what goes with it. Some vendors end a turn of tool calls like any other; here it has its own reason. */
export function stopFields(finish: FinishReason, stopSequence: string | undefined, hasToolCalls: boolean): JsonObject {
  const reason = finish === "stop" && hasToolCalls ? "tool_use" : STOP_REASONS[finish];
  return {
    stop_reason: reason,
    stop_sequence: stopSequence ?? null,
    stop_details: reason === "refusal" ? { type: "refusal", category: null, explanation: null } : null,
  };
}
