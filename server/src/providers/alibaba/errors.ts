/** Failures of Model Studio, whose codes say what its statuses do not (help.aliyun.com/zh/model-studio/error-code). */
import { readFailure, withKind } from "../../dialects/neutral/failure.ts";
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

export const failure = (status: number, body: string): UpstreamFailure => withKind(readFailure(status, body), KINDS);
