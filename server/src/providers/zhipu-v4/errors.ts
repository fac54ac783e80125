/** Failures of Zhipu, whose codes say what its statuses do not. */
import { glmFailure } from "../../dialects/openai-chat/vendors/glm.ts";
import type { UpstreamFailure } from "../provider.ts";

export const failure = (status: number, body: string): UpstreamFailure => glmFailure(status, body);
