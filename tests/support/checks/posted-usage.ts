/** Sums of the ledger itself, which the dashboard never reads: the reference for tests of reports. */
import type { UsageSums } from "../../../contract/src/features/dashboard.ts";
import type { Database } from "../../../server/src/db/database.ts";

/** Sums of what was posted from `start` to `end` (Unix seconds, inclusive), of one user or of all. */
export async function postedUsage(
  { kysely }: Database,
  start: number,
  end: number,
  userId?: number,
): Promise<UsageSums> {
  const base = kysely
    .selectFrom("ledger")
    .select(({ fn }) => [
      fn.sum<number | null>("request_delta").as("requests"),
      fn.sum<number | null>("used_delta").as("quota"),
      fn.sum<number | null>("prompt_tokens").as("prompt_tokens"),
      fn.sum<number | null>("completion_tokens").as("completion_tokens"),
    ])
    .where("created_at", ">=", start)
    .where("created_at", "<=", end);
  const row = await (userId === undefined ? base : base.where("user_id", "=", userId)).executeTakeFirstOrThrow();
  return {
    requests: Number(row.requests ?? 0),
    quota: Number(row.quota ?? 0),
    prompt_tokens: Number(row.prompt_tokens ?? 0),
    completion_tokens: Number(row.completion_tokens ?? 0),
  };
}
