/** Failures of OpenRouter and of whom it asked; what was flagged is in the metadata (openrouter.ai/docs/api_reference/errors-and-debugging). */
import { isObject, objectOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { type ErrorWords, readFailure, wordsOf } from "../../dialects/neutral/failure.ts";
import type { UpstreamFailure } from "../provider.ts";

const metadataOf = (parsed: unknown): JsonObject =>
  isObject(parsed) ? objectOf(objectOf(parsed["error"])["metadata"]) : {};

/** "Provider returned error" says nothing: whose words it passes on stand beside it. */
function words(parsed: unknown): ErrorWords {
  const found = wordsOf(parsed);
  const { raw, provider_name: name } = metadataOf(parsed);
  return textOf(raw) === "" ? found : { ...found, message: `${textOf(name) || found.message}: ${textOf(raw)}` };
}

export function failure(status: number, body: string): UpstreamFailure {
  const read = readFailure(status, body, words);
  const isFlagged = Array.isArray(metadataOf(parseObject(body))["reasons"]);
  return isFlagged ? { ...read, kind: "content", isRetryable: false } : read;
}
