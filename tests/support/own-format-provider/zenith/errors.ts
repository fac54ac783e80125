/** Its failures, which come with a status of success: `{"fault": "no such key"}`. */
import { readFailure, withKind } from "../../../../server/src/dialects/neutral/failure.ts";
import type { UpstreamFailure } from "../../../../server/src/providers/provider.ts";

const STATUSES: Readonly<Record<string, number>> = { token_expired: 401, busy: 503 };

export const isFailure = (text: string): boolean => text.includes('"fault"');

export function failure(status: number, body: string): UpstreamFailure {
  const code = /"fault"\s*:\s*"(\w+)"/.exec(body)?.[1] ?? "";
  return withKind({ ...readFailure(STATUSES[code] ?? status, body), code }, { token_expired: "auth" });
}
