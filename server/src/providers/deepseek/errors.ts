/** Failures of DeepSeek: their statuses say the kind (api-docs.deepseek.com/quick_start/error_codes), but for content it refuses. */
import { readFailure } from "../../dialects/neutral/failure.ts";
import type { UpstreamFailure } from "../provider.ts";

/** The whole message of a 400 for refused content: neither its status nor its code tells it from a malformed request. */
const REFUSED_CONTENT = /^content exists risk$/i;

export function failure(status: number, body: string): UpstreamFailure {
  const read = readFailure(status, body);
  return REFUSED_CONTENT.test(read.message) ? { ...read, kind: "content", isRetryable: false } : read;
}
