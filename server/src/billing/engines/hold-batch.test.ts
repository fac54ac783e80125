/** What a batch of holds asks of a database, counted: a row that is short must not keep everybody's holds waiting. */
import { expect, test } from "vitest";
import { type HoldSession, type PendingHold, holdBatch } from "./hold-batch.ts";

interface Asked {
  session: HoldSession;
  /** Table and amount of each conditional update. */
  updates: string[];
  /** What is left of each row, by table and id. */
  free: Map<string, number>;
}

function sessionOf(rows: Readonly<Record<string, number>>): Asked {
  const free = new Map(Object.entries(rows));
  const updates: string[] = [];
  const take = (table: string, id: number, amount: number): Promise<boolean> => {
    const row = `${table} ${id}`;
    updates.push(`${row}: ${amount}`);
    const left = (free.get(row) ?? 0) - amount;
    if (left >= 0) free.set(row, left);
    return Promise.resolve(left >= 0);
  };
  const session: HoldSession = {
    takeFromToken: (id, amount) => take("token", id, amount),
    takeFromUser: (id, amount) => take("user", id, amount),
    releaseToToken: (id, amount) => {
      free.set(`token ${id}`, (free.get(`token ${id}`) ?? 0) + amount);
      return Promise.resolve();
    },
    insert: () => Promise.resolve(),
  };
  return { session, updates, free };
}

const holdsOf = (tokenId: number, amounts: readonly number[]): PendingHold[] =>
  amounts.map((amount, index) => ({
    request: { requestId: `${tokenId}-${index}`, userId: 1, tokenId, isTokenLimited: tokenId > 0, amount },
    amount,
  }));

test("200 holds on a token of 10 prices cost 13 updates, not 200: what was refused is not asked for again", async () => {
  const { session, updates, free } = sessionOf({ "token 7": 1_000, "user 1": 1_000_000 });
  const answers = await holdBatch(
    session,
    holdsOf(
      7,
      Array.from({ length: 200 }, () => 100),
    ),
  );
  expect(answers).toEqual(Array.from({ length: 200 }, (_, index) => (index < 10 ? "held" : "token_quota")));
  expect(updates).toHaveLength(1 + 11 + 1);
  expect([...free]).toEqual([
    ["token 7", 0],
    ["user 1", 999_000],
  ]);
});

test("a hold that asks for less than the one that was refused is asked for", async () => {
  const { session, updates } = sessionOf({ "user 1": 100 });
  expect(await holdBatch(session, holdsOf(0, [80, 50, 50, 30, 20, 20, 1]))).toEqual([
    "held",
    "user_quota",
    "user_quota",
    "user_quota",
    "held",
    "user_quota",
    "user_quota",
  ]);
  expect(updates).toEqual([
    "user 1: 251",
    "user 1: 80",
    "user 1: 50",
    "user 1: 30",
    "user 1: 20",
    "user 1: 20",
    "user 1: 1",
  ]);
});

test("what a token lost to holds that its user could not pay goes back to it", async () => {
  const { session, free } = sessionOf({ "token 7": 1_000, "user 1": 250 });
  const answers = await holdBatch(session, holdsOf(7, [100, 100, 100, 100]));
  expect(answers).toEqual(["held", "held", "user_quota", "user_quota"]);
  expect([...free]).toEqual([
    ["token 7", 800],
    ["user 1", 50],
  ]);
});
