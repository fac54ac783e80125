/** Failures of Ark, whose codes say what its statuses do not (volcengine.com/docs/82379/1299023). */
import { readFailure, withKind } from "../../dialects/neutral/failure.ts";
import type { UpstreamFailure } from "../provider.ts";

const KINDS = {
  AccountOverdueError: "quota",
  QuotaExceeded: "quota",
  SetLimitExceeded: "quota",
  ServerOverloaded: "overloaded",
} as const;

/** InputTextRiskDetection, OutputImageSensitiveContentDetected and their like, with a reason behind a dot. */
const REFUSED_CONTENT = /(?:RiskDetection|SensitiveContentDetected)(?:\.|$)/;

export function failure(status: number, body: string): UpstreamFailure {
  const read = readFailure(status, body);
  return REFUSED_CONTENT.test(read.code) ? { ...read, kind: "content", isRetryable: false } : withKind(read, KINDS);
}
