/** Gemini's failed answers (ai.google.dev/gemini-api/docs/troubleshooting). */
import { readGeminiFailure } from "../../dialects/gemini/errors.ts";
import type { UpstreamFailure } from "../provider.ts";

export const failure = (status: number, body: string): UpstreamFailure => readGeminiFailure(status, body);
