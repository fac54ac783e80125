/** Failures of Workers AI: `{success: false, errors: [{code, message}]}` (developers.cloudflare.com/workers-ai/platform/errors). */
import { isObject, listOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import { type ErrorWords, readFailure, withKind, wordsOf } from "../../dialects/neutral/failure.ts";
import type { UpstreamErrorKind, UpstreamFailure } from "../provider.ts";

/** Codes that say what their statuses do not; 4006 is the day's free allocation under an older number. */
const KINDS: Readonly<Record<string, UpstreamErrorKind>> = {
  "10000": "auth",
  "7003": "auth",
  "9109": "auth",
  "3036": "quota",
  "4006": "quota",
  "3040": "overloaded",
  "3007": "timeout",
  "3008": "timeout",
};

function wordsIn(parsed: unknown): ErrorWords {
  const [first] = isObject(parsed) ? listOf(parsed["errors"]) : [];
  if (first === undefined) return wordsOf(parsed);
  const { code, message } = objectOf(first);
  return { message: textOf(message), type: "", code: String(code ?? ""), status: 0 };
}

/** Also of an answer that has a status of success; quotes inside words are escaped, so none of those is taken for it. */
export const isFailure = (text: string): boolean => /"success"\s*:\s*false/.test(text);

export const failure = (status: number, body: string): UpstreamFailure =>
  withKind(readFailure(status, body, wordsIn), KINDS);
