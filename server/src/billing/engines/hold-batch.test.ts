/** Tests of hold batches: the number of statements a batch needs, which holds are granted, and that one account without quota does not delay the others. */
import { expect, test } from "vitest";
import {
  holdBatch,
  type HoldRow,
  type HoldSession,
  type PendingHold,
  type Purse,
  type SumsById,
} from "./hold-batch.ts";

interface Asked {
  session: HoldSession;
  /** Each statement: what it is, and the rows it is for. */
  statements: string[];
  inserted: HoldRow[];
}

const purse = (free: number, held = 0): Purse => ({ free, held });

function sessionOf(tokens: Readonly<Record<number, Purse>>, users: Readonly<Record<number, Purse>>): Asked {
  const statements: string[] = [];
  const inserted: HoldRow[] = [];
  const note = <Result>(name: string, rows: readonly unknown[], result: Result): Promise<Result> => {
    statements.push(`${name} ${JSON.stringify(rows)}`);
    return Promise.resolve(result);
  };
  const pursesOf = (table: Readonly<Record<number, Purse>>, ids: readonly number[]) =>
    new Map(ids.flatMap((id) => (table[id] === undefined ? [] : [[id, { ...table[id] }] as const])));
  const session: HoldSession = {
    lockTokens: (ids) => note("lock tokens", ids, pursesOf(tokens, ids)),
    lockUsers: (ids) => note("lock users", ids, pursesOf(users, ids)),
    addToTokens: (sums: SumsById) => note("tokens", sums, undefined),
    addToUsers: (sums: SumsById) => note("users", sums, undefined),
    insert: (rows) => {
      inserted.push(...rows);
      return note("insert", [rows.length], undefined);
    },
  };
  return { session, statements, inserted };
}

let requests = 0;
const hold = (tokenId: number, amount: number, least = amount, userId = 1): PendingHold => {
  const requestId = `call-${(requests += 1)}`;
  return { request: { requestId, userId, tokenId, isTokenLimited: tokenId > 0, amount }, amount, least };
};
const all = (amount: number) => ({ amount, spendable: amount });

test("200 holds on a token of 10 prices cost 5 statements, and the first 10 get theirs", async () => {
  const { session, statements } = sessionOf({ 7: purse(1_000) }, { 1: purse(1_000_000) });
  const answers = await holdBatch(
    session,
    Array.from({ length: 200 }, () => hold(7, 100)),
  );
  expect(answers).toEqual(Array.from({ length: 200 }, (_, index) => (index < 10 ? all(100) : "token_quota")));
  expect(statements).toEqual([
    "lock tokens [7]",
    "lock users [1]",
    "tokens [[7,1000]]",
    "users [[1,1000]]",
    "insert [10]",
  ]);
});

test("each hold gets what is left in its turn, and nothing is written if none is granted", async () => {
  const { session, statements } = sessionOf({}, { 1: purse(100) });
  const amounts = [80, 50, 50, 30, 20, 20, 1];
  expect(
    await holdBatch(
      session,
      amounts.map((amount) => hold(0, amount)),
    ),
  ).toEqual([all(80), "user_quota", "user_quota", "user_quota", all(20), "user_quota", "user_quota"]);
  expect(statements).toEqual(["lock users [1]", "users [[1,100]]", "insert [2]"]);
  const poor = sessionOf({}, { 1: purse(0) });
  expect(await holdBatch(poor.session, [hold(0, 1), hold(0, 1, 1, 2)])).toEqual(["user_quota", "user_quota"]);
  expect(poor.statements).toEqual(["lock users [1,2]"]);
});

test("rows are locked and changed in ascending order, tokens before users", async () => {
  const { session, statements } = sessionOf({ 9: purse(50), 3: purse(50) }, { 1: purse(50), 8: purse(50) });
  await holdBatch(session, [hold(9, 10, 10, 8), hold(3, 10), hold(9, 10, 10, 8)]);
  expect(statements.slice(0, 4)).toEqual([
    "lock tokens [3,9]",
    "lock users [1,8]",
    "tokens [[3,10],[9,20]]",
    "users [[1,10],[8,20]]",
  ]);
});

test("a token loses nothing to a hold that its user cannot pay", async () => {
  const { session, statements } = sessionOf({ 7: purse(1_000) }, { 1: purse(250) });
  const items = [hold(7, 100), hold(7, 100), hold(7, 100)];
  expect(await holdBatch(session, items)).toEqual([all(100), all(100), "user_quota"]);
  expect(statements).toContain("tokens [[7,200]]");
});

test("of calls that the balance does not reach for, one goes alone with all that is left", async () => {
  const { session, inserted } = sessionOf({}, { 1: purse(300) });
  const answers = await holdBatch(
    session,
    Array.from({ length: 100 }, () => hold(0, 1_000, 100)),
  );
  expect(answers).toEqual([all(300), ...Array.from({ length: 99 }, () => "user_quota")]);
  expect(inserted.map(({ amount }) => amount)).toEqual([300]);
});

test("a call that the balance does not reach for waits for the others, and none goes with less than its least", async () => {
  const busy = sessionOf({}, { 1: purse(300, 1) });
  expect(await holdBatch(busy.session, [hold(0, 1_000, 100)])).toEqual(["user_quota"]);
  const poor = sessionOf({}, { 1: purse(99) });
  expect(await holdBatch(poor.session, [hold(0, 1_000, 100)])).toEqual(["user_quota"]);
});

test("tokens with little quota each take one such call, as long as their user can pay for all of them", async () => {
  const tokens = { 5: purse(200), 6: purse(200), 7: purse(200) };
  const { session, inserted } = sessionOf(tokens, { 1: purse(2_500) });
  const items = [5, 5, 6, 7, 6].map((tokenId) => hold(tokenId, 1_000, 100));
  const alone = { amount: 1_000, spendable: 200 };
  expect(await holdBatch(session, items)).toEqual([alone, "token_quota", alone, "user_quota", "token_quota"]);
  expect(inserted.map(({ tokenId, amount }) => [tokenId, amount])).toEqual([
    [5, 1_000],
    [6, 1_000],
  ]);
});

test("a token without a quota of its own bounds nothing, and one that is gone refuses", async () => {
  const { session } = sessionOf({ 5: purse(Infinity) }, { 1: purse(500) });
  expect(await holdBatch(session, [hold(5, 400), hold(6, 10)])).toEqual([all(400), "token_quota"]);
});
