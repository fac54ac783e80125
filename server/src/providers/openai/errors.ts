/** OpenAI's failed answers (platform.openai.com/docs/guides/error-codes). */
import { readFailure } from "../../dialects/failure.ts";
import type { UpstreamFailure } from "../provider.ts";

export const failure = (status: number, body: string): UpstreamFailure => readFailure(status, body);
