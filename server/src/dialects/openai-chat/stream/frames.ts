/** Frames that close a stream of the OpenAI format. */
import type { Usage } from "../../../../../contract/src/pricing/usage.ts";
import type { AnswerInfo } from "../../neutral/info.ts";
import { dataFrame } from "../../stream/sse-event.ts";

export const DONE_FRAME = "data: [DONE]\n\n";

/** The frame a client asked for and the upstream left out. */
export function usageFrame({ requestId, createdAt, model }: AnswerInfo, isChat: boolean, usage: Usage): string {
  const counts = {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
  const object = isChat ? "chat.completion.chunk" : "text_completion";
  return dataFrame({ id: requestId, object, created: createdAt, model, choices: [], usage: counts });
}
