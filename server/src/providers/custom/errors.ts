/** Failed answers of OpenAI-compatible servers, whatever place they put their message in. */
import { readOpenAiFailure } from "../../dialects/openai-chat-errors.ts";
import type { UpstreamFailure } from "../provider.ts";

export const failure = (status: number, body: string): UpstreamFailure => readOpenAiFailure(status, body);
