/** Error envelope and closing frames of the OpenAI format. */
import type { Usage } from "../../../../contract/src/usage.ts";
import type { AnswerFacts, ErrorFacts } from "../dialect.ts";
import { dataFrame } from "../sse-event.ts";

/** The error envelope: `{"error":{...}}`, every field present as the official SDKs expect. */
export const errorEnvelope = ({ message, type, param, code }: ErrorFacts): string =>
  JSON.stringify({ error: { message, type, param, code } });

/** An error inside a stream that has begun. */
export const errorFrame = (error: ErrorFacts): string => `data: ${errorEnvelope(error)}\n\n`;

export const DONE_FRAME = "data: [DONE]\n\n";

/** The frame a client asked for and the upstream left out. */
export function usageFrame({ requestId, createdAt, model }: AnswerFacts, isChat: boolean, usage: Usage): string {
  const counts = {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
  const object = isChat ? "chat.completion.chunk" : "text_completion";
  return dataFrame({ id: requestId, object, created: createdAt, model, choices: [], usage: counts });
}
