/** Failures of Model Studio, whose codes say what its statuses do not (help.aliyun.com/zh/model-studio/error-code). */
import { isObject, textOf } from "../../dialects/json/fields.ts";
import { type ErrorWords, readFailure, withKind, wordsOf } from "../../dialects/neutral/failure.ts";
import type { UpstreamErrorKind, UpstreamFailure } from "../provider.ts";

/** `insufficient_quota` is its word for tokens a minute; what money is short of is Arrearage. */
const KINDS: Readonly<Record<string, UpstreamErrorKind>> = {
  Arrearage: "quota",
  "AllocationQuota.FreeTierOnly": "quota",
  insufficient_quota: "rate",
  InvalidApiKey: "auth",
  invalid_api_key: "auth",
  DataInspectionFailed: "content",
  data_inspection_failed: "content",
  RequestTimeOut: "timeout",
  ResponseTimeout: "timeout",
};

/** A task that failed says why in its output. */
function wordsIn(parsed: unknown): ErrorWords {
  const output = isObject(parsed) ? parsed["output"] : undefined;
  if (!isObject(output) || output["code"] === undefined) return wordsOf(parsed);
  return { message: textOf(output["message"]), type: "", code: textOf(output["code"]), status: 0 };
}

/** What the client asked for is wrong, or may not be answered: a task says so with a status of success. */
const OF_CLIENT = /^(?:InvalidParameter|InvalidURL|DataInspectionFailed)/;

export function failure(status: number, body: string): UpstreamFailure {
  const read = readFailure(status, body, wordsIn);
  const isOfClient = status < 400 && OF_CLIENT.test(read.code);
  return withKind(isOfClient ? { ...read, kind: "invalid", status: 400, isRetryable: false } : read, KINDS);
}
