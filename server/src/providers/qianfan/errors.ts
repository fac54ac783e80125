/** Failures of Qianfan, whose types say what its statuses do not (cloud.baidu.com/doc/qianfan-api/s/rmwbl43x7). */
import { readFailure, withKind } from "../../dialects/neutral/failure.ts";
import type { UpstreamFailure } from "../provider.ts";

export const failure = (status: number, body: string): UpstreamFailure =>
  withKind(readFailure(status, body), { unsafe_request: "content" });
