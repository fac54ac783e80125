/** Stores the result of a channel's last test. */
import { TEST_RESULT, type TestFailure } from "../../../../contract/src/channels/channel-tests.ts";
import type { Database } from "../../db/database.ts";
import { firstCodePoints } from "../../util/text.ts";

/** Longest text of an upstream that is kept with a failed test: written as JSON it fits the column, whatever it is made of. */
const KEPT_MESSAGE_MAX = 300;

/** A failure as it is kept. */
export function failureText({ values, ...failure }: TestFailure & { time?: number }): string {
  const kept = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === "string" ? firstCodePoints(value, KEPT_MESSAGE_MAX) : value,
  ]);
  return JSON.stringify({ ...failure, values: Object.fromEntries(kept) });
}

/**
 * Keeps what a test found out; a failed one has no time worth keeping, so that of the last good one stays. No process routes by it, so no
 * version is raised. `testTime` in Unix seconds.
 */
export async function storeTestResult(
  database: Database,
  id: number,
  outcome: { responseTimeMs: number } | { failure: TestFailure },
  testTime: number,
): Promise<void> {
  const verdict =
    "failure" in outcome
      ? { test_result: TEST_RESULT.failed, test_failure: failureText(outcome.failure) }
      : { test_result: TEST_RESULT.passed, test_failure: "", response_time_ms: outcome.responseTimeMs };
  await database.kysely
    .updateTable("channels")
    .set({ ...verdict, test_time: testTime })
    .where("id", "=", id)
    .execute();
}
