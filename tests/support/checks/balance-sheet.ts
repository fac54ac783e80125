/** The end condition of every fault: what clients saw complete is charged once and right, nothing stays held, the books balance. */
import { expect } from "vitest";
import type { Finished } from "./calls.ts";
import { type Books, type Site, countedPrice, openBooks } from "./site.ts";
import { until } from "./processes.ts";

const whole = (value: unknown): number => Number(value);

async function chargesOf(books: Books): Promise<Map<string, number>> {
  const rows = await books.rows("SELECT entry_id, used_delta FROM ledger WHERE kind = 'charge'");
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

async function expectOneRowEach(books: Books): Promise<void> {
  const repeated = await books.rows(
    "SELECT request_id FROM logs WHERE type = 2 GROUP BY request_id HAVING COUNT(*) > 1",
  );
  expect(repeated, "calls with two rows in the usage log").toEqual([]);
  const missing = await books.rows(
    "SELECT entry_id FROM ledger WHERE kind = 'charge' AND entry_id NOT IN (SELECT request_id FROM logs WHERE type = 2)",
  );
  expect(missing, "charges without a row in the usage log").toEqual([]);
}

async function expectBalances(books: Books, { people }: Site): Promise<void> {
  for (const { userId, quota } of people) {
    const [user] = await books.rows(`SELECT quota, held, used_quota FROM users WHERE id = ${userId}`);
    const [sum] = await books.rows(
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

const heldRows = async (books: Books): Promise<number> =>
  whole((await books.rows("SELECT COUNT(*) AS total FROM holds"))[0]?.["total"]);

/**
 * Waits until no hold is open, then checks everything. The server may run. Gives the number of charges.
 * `leftOpen` is how many calls were cut between their charge and their answer at most.
 */
export async function expectBalancedBooks(
  site: Site,
  finished: readonly Finished[],
  leftOpen: number,
): Promise<number> {
  const books = await openBooks(site);
  try {
    await until(async () => (await heldRows(books)) === 0, "no open holds", 60_000);
    const charges = await chargesOf(books);
    expect(wrongCharges(finished, charges), "wrong charges").toEqual([]);
    expect(new Set(finished.map(({ requestId }) => requestId)).size).toBe(finished.length);
    expect(charges.size - finished.length, "charges of answers that no client saw complete").toBeLessThanOrEqual(
      leftOpen,
    );
    await expectOneRowEach(books);
    await expectBalances(books, site);
    expect((await books.audit()).faults).toEqual([]);
    return charges.size;
  } finally {
    await books.close();
  }
}
