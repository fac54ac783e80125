/** Anthropic's failed answers (platform.claude.com/docs/en/api/errors). */
import { readFailure } from "../../dialects/anthropic-messages/errors.ts";
import type { UpstreamFailure } from "../provider.ts";

export const failure = (status: number, body: string): UpstreamFailure => readFailure(status, body);
