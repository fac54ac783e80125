/** Failures of xAI: refused keys come as 400 and empty accounts as 403 or 429, which only the words tell (docs.x.ai/developers/debugging). */
import { isObject, textOf } from "../../dialects/json/fields.ts";
import { type ErrorWords, readFailure, wordsOf } from "../../dialects/neutral/failure.ts";
import type { UpstreamErrorKind, UpstreamFailure } from "../provider.ts";

/** The first that fits decides. */
const KINDS: readonly (readonly [words: RegExp, kind: UpstreamErrorKind])[] = [
  [/\bincorrect api key\b/i, "auth"],
  [/\b(?:credits?|spending limit)\b/i, "quota"],
  [/\bcontent violates usage guidelines\b/i, "content"],
];

/** `{"code": "words", "error": "words"}`, beside OpenAI's envelope. */
function words(parsed: unknown): ErrorWords {
  const found = wordsOf(parsed);
  return isObject(parsed) && typeof parsed["error"] === "string"
    ? { ...found, message: parsed["error"], code: textOf(parsed["code"]) }
    : found;
}

export function failure(status: number, body: string): UpstreamFailure {
  const read = readFailure(status, body, words);
  const kind = KINDS.find(([pattern]) => pattern.test(read.message))?.[1];
  return kind === undefined ? read : { ...read, kind, isRetryable: kind !== "content" };
}
