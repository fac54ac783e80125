/** Failures of Cohere: `{message, id}`, and answers that ended with an error (docs.cohere.com/reference/errors, docs.cohere.com/reference/chat). */
import { ownOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import { readFailure } from "../../dialects/neutral/failure.ts";
import type { UpstreamErrorKind, UpstreamFailure } from "../provider.ts";

/** Why an answer with a status of success is none, as the status that would have said so. */
const ENDS: Readonly<Record<string, number>> = { ERROR: 500, TIMEOUT: 504 };

/** Statuses that mean something else than with other vendors: words on the account's deny list, and a request that was given up. */
const KINDS: Readonly<Record<string, UpstreamErrorKind>> = { "498": "content", "499": "timeout" };

/** A trial key has so many calls a month, which is no rate that passes. */
const MONTHLY = /calls? ?\/ ?month|per month/i;

export function failure(status: number, body: string): UpstreamFailure {
  const end = textOf(parseObject(body)?.["finish_reason"]);
  const read = readFailure(ownOf(ENDS, end) ?? status, body);
  if (status === 429 && MONTHLY.test(read.message)) return { ...read, kind: "quota" };
  const kind = ownOf(KINDS, String(status));
  return kind === undefined ? read : { ...read, kind, isRetryable: kind !== "content" };
}
