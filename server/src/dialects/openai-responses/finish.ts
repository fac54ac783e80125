/** Finish reasons of responses, both ways (platform.openai.com/docs/api-reference/responses/object, status and incomplete_details). */
import { objectOf } from "../json/fields.ts";
import type { FinishReason, JsonObject } from "../neutral/neutral.ts";

/** Why a response ended, by its status and by what is in it. */
export function answerFinish(
  response: JsonObject,
  seen: { hasCall: boolean; hasText: boolean; hasRefusal: boolean },
): FinishReason {
  const reason = objectOf(response["incomplete_details"])["reason"];
  if (response["status"] === "incomplete" || reason !== undefined)
    return reason === "content_filter" ? "content_filter" : "length";
  if (seen.hasCall) return "tool_calls";
  return seen.hasRefusal && !seen.hasText ? "refusal" : "stop";
}

/** Why an answer is incomplete; undefined if complete. A refusal with text is complete; one without text is a filter's. */
export function incompleteReason(finish: FinishReason, hasRefusal: boolean): string | undefined {
  if (finish === "length") return "max_output_tokens";
  return finish === "content_filter" || (finish === "refusal" && !hasRefusal) ? "content_filter" : undefined;
}
