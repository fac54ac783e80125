/** OpenAI's failed answers (platform.openai.com/docs/guides/error-codes). */
import { readOpenAiFailure } from "../../dialects/openai-chat-errors.ts";
import type { UpstreamFailure } from "../provider.ts";

export const failure = (status: number, body: string): UpstreamFailure => readOpenAiFailure(status, body);
