/** Failures of Moonshot, whose types say what the status does not (platform.kimi.ai/docs/api/errors). */
import { readFailure, withKind } from "../../dialects/neutral/failure.ts";
import type { UpstreamFailure } from "../provider.ts";

const KINDS = {
  content_filter: "content",
  exceeded_current_quota_error: "quota",
  engine_overloaded_error: "overloaded",
} as const;

export const failure = (status: number, body: string): UpstreamFailure => withKind(readFailure(status, body), KINDS);
