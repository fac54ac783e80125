/** Failures of Jina: `{detail}`, a text or a list of faults (api.jina.ai/redoc). */
import { readFailure } from "../../dialects/neutral/failure.ts";
import type { UpstreamFailure } from "../provider.ts";

const EMPTY = /insufficient|(?:out of|no more|not enough) (?:tokens|balance|credits)/i;

/** An empty account is told with the status of a key that may not do this. */
export function failure(status: number, body: string): UpstreamFailure {
  const read = readFailure(status, body);
  return status === 403 && EMPTY.test(read.message) ? { ...read, kind: "quota" } : read;
}
