/** Failed answers of OpenAI-compatible servers, whatever place they put their message in. */
import { readFailure } from "../../dialects/failure.ts";
import type { UpstreamFailure } from "../provider.ts";

export const failure = (status: number, body: string): UpstreamFailure => readFailure(status, body);
