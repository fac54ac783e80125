/** Failures of Zhipu by their codes, as in version 4. */
import { glmFailure } from "../../dialects/openai-chat/vendors/glm.ts";
import type { UpstreamFailure } from "../provider.ts";

export const failure = (status: number, body: string): UpstreamFailure => glmFailure(status, body);
