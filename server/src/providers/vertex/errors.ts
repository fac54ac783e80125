/** Failures of Vertex AI: Google's own, and Claude's in the words of who made it (docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/api-errors). */
import { readFailure as readClaudeFailure } from "../../dialects/anthropic-messages/errors.ts";
import { readGeminiFailure } from "../../dialects/gemini/errors.ts";
import { parseObject } from "../../dialects/json/fields.ts";
import type { UpstreamFailure } from "../provider.ts";

/** What the project may not use or its region has not, another channel may have. */
const OF_THE_PROJECT =
  /\bpublisher model\b.*\bnot found\b|\bdoes not have access\b|\bnot supported in (?:this|the) region\b/i;

export function failure(status: number, body: string): UpstreamFailure {
  const read =
    parseObject(body)?.["type"] === "error" ? readClaudeFailure(status, body) : readGeminiFailure(status, body);
  return OF_THE_PROJECT.test(read.message) ? { ...read, isRetryable: true } : read;
}
