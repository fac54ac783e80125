/** Failures of SiliconFlow: 403 is a model one may not use, or an account that is empty (docs.siliconflow.cn/cn/faqs/error-code). */
import { readFailure, withKind } from "../../dialects/neutral/failure.ts";
import type { UpstreamFailure } from "../provider.ts";

export const failure = (status: number, body: string): UpstreamFailure =>
  withKind(readFailure(status, body), { "30001": "quota" });
