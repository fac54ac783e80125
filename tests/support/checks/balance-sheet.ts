/** The final check of every fault test: what clients received is charged once and correctly, no hold remains, the ledger balances. */
import { expect } from "vitest";
import type { Finished } from "../clients/calls.ts";
import { type TestLedger, type Site, countedPrice, openTestLedger } from "../systems/site.ts";
import { until } from "../systems/processes.ts";

const whole = (value: unknown): number => Number(value);

async function chargesOf(ledger: TestLedger): Promise<Map<string, number>> {
  const rows = await ledger.rows("SELECT entry_id, used_delta FROM ledger WHERE kind = 'charge'");
  return new Map(rows.map((row) => [String(row["entry_id"]), whole(row["used_delta"])]));
}

/** Answers whose charge is missing or is not the price of the usage that their upstream counted. */
function wrongCharges(finished: readonly Finished[], charges: ReadonlyMap<string, number>): object[] {
  return finished.flatMap(({ requestId, promptTokens, completionTokens }) => {
    const expected = countedPrice(promptTokens, completionTokens);
    const actual = charges.get(requestId);
    return actual === expected ? [] : [{ requestId, expected, actual }];
  });
}

async function expectOneRowEach(ledger: TestLedger): Promise<void> {
  const repeated = await ledger.rows(
    "SELECT request_id FROM logs WHERE type = 2 GROUP BY request_id HAVING COUNT(*) > 1",
  );
  expect(repeated, "calls with two rows in the usage log").toEqual([]);
  const missing = await ledger.rows(
    "SELECT entry_id FROM ledger WHERE kind = 'charge' AND entry_id NOT IN (SELECT request_id FROM logs WHERE type = 2)",
  );
  expect(missing, "charges without a row in the usage log").toEqual([]);
}

async function expectBalances(ledger: TestLedger, { people }: Site): Promise<void> {
  for (const { userId, quota } of people) {
    const [user] = await ledger.rows(`SELECT quota, held, used_quota FROM users WHERE id = ${userId}`);
    const [sum] = await ledger.rows(
      `SELECT COALESCE(SUM(used_delta), 0) AS used FROM ledger WHERE user_id = ${userId} AND kind = 'charge'`,
    );
    const used = whole(sum?.["used"]);
    expect({ quota: whole(user?.["quota"]), held: whole(user?.["held"]), used: whole(user?.["used_quota"]) }).toEqual({
      quota: quota - used,
      held: 0,
      used,
    });
  }
}

const heldRows = async (ledger: TestLedger): Promise<number> =>
  whole((await ledger.rows("SELECT COUNT(*) AS total FROM holds"))[0]?.["total"]);

/**
 * Waits until no hold is open, then checks everything. The server may run. Gives the number of charges.
 * `leftOpen` is how many calls were cut between their charge and their answer at most.
 */
export async function expectBalancedLedger(
  site: Site,
  finished: readonly Finished[],
  leftOpen: number,
): Promise<number> {
  const ledger = await openTestLedger(site);
  try {
    await until(async () => (await heldRows(ledger)) === 0, "no open holds", 60_000);
    const charges = await chargesOf(ledger);
    expect(wrongCharges(finished, charges), "wrong charges").toEqual([]);
    expect(new Set(finished.map(({ requestId }) => requestId)).size).toBe(finished.length);
    expect(charges.size - finished.length, "charges of answers that no client saw complete").toBeLessThanOrEqual(
      leftOpen,
    );
    await expectOneRowEach(ledger);
    await expectBalances(ledger, site);
    expect((await ledger.audit()).faults).toEqual([]);
    return charges.size;
  } finally {
    await ledger.close();
  }
}
