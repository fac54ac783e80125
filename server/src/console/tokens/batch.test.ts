/** Tests of acts on many tokens: all that a filter finds in one call, of the owner's alone, refused where the list has changed. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TokenBatchResult, TokenRow } from "../../../../contract/src/features/tokens.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { Caller, TestConsole } from "../../../../tests/support/systems/console.ts";
import { nowSeconds } from "../../util/clock.ts";

const PATH = "/api/token/batch";
describe.each(await engines())("acts on many tokens on %s", (engine) => {
  let site: TestConsole;
  let owner: Caller;

  beforeAll(async () => {
    site = await openTestConsole(engine);
  });
  afterAll(() => site.close());
  beforeEach(async () => {
    owner = await site.person();
  });

  /** `count` tokens, made in calls of a hundred. */
  const make = async (caller: Caller, name: string, count: number, fields: object = {}): Promise<TokenRow[]> => {
    const made: TokenRow[] = [];
    for (let left = count; left > 0; left -= 100) {
      const body = { name, unlimited_quota: true, count: Math.min(left, 100), ...fields };
      made.push(...((await caller.call("POST", "/api/token", body)).body["tokens"] as TokenRow[]));
    }
    return made;
  };
  const act = (body: object) => owner.data<TokenBatchResult>("POST", PATH, body);
  const statuses = async (caller = owner) => {
    const { items } = await caller.data<{ items: TokenRow[] }>("GET", "/api/token/?page_size=100&sort=id&order=asc");
    return Object.fromEntries(items.map(({ id, status }) => [id, status]));
  };
  const change = (ids: readonly number[], columns: object) =>
    site.foundation.database.kysely
      .updateTable("tokens")
      .set(columns)
      .where("id", "in", [...ids])
      .execute();
  const known = ({ key }: TokenRow) => site.foundation.snapshot.tokenByKey(key)?.status;

  it("disables, enables and deletes all that match, over several transactions, and calls know before the answer", async () => {
    const many = await make(owner, "ci", 930);
    const [other] = await make(owner, "laptop", 1);
    const filter = { keyword: "ci" };
    const off = await act({ filter: { ...filter, status: 1 }, total: 930, action: "disable" });
    expect(off).toEqual({ done: 930, unchanged: 0, refused: 0 });
    expect([...new Set(many.map(known))]).toEqual([2]);
    expect(other && known(other)).toBe(1);
    const on = await act({ filter, total: 930, excluded: [many[0]?.id, many[600]?.id], action: "enable" });
    expect(on).toEqual({ done: 928, unchanged: 0, refused: 0 });
    expect(many.filter((token) => known(token) === 2).map(({ id }) => id)).toEqual([many[0]?.id, many[600]?.id]);
    expect(await act({ filter, total: 930, action: "enable" })).toEqual({ done: 2, unchanged: 928, refused: 0 });
    expect(await act({ filter, total: 930, action: "delete" })).toEqual({ done: 930, unchanged: 0, refused: 0 });
    expect([...new Set(many.map(known))]).toEqual([undefined]);
    expect(await statuses()).toEqual({ [other?.id ?? 0]: 1 });
  });

  it("counts as refused what expired or is used up, and leaves it as it was", async () => {
    const [a, b, c, d] = await make(owner, "old", 4);
    const ids = [a, b, c, d].map((token) => token?.id ?? 0);
    const [expired = 0, exhausted = 0, off = 0, swept = 0] = ids;
    await change([expired], { expired_time: nowSeconds() - 60, status: 2 });
    await change([exhausted], { unlimited_quota: 0, remain_quota: 0 });
    await change([off], { status: 2 });
    // The sweeper had ended it, and it was given more time since.
    await change([swept], { status: 3 });
    expect(await act({ ids, action: "enable" })).toEqual({ done: 2, unchanged: 0, refused: 2 });
    expect(await statuses()).toEqual({ [expired]: 2, [exhausted]: 4, [off]: 1, [swept]: 1 });
    expect(await act({ ids, action: "disable" })).toEqual({ done: 3, unchanged: 1, refused: 0 });
    expect(new Set(Object.values(await statuses()))).toEqual(new Set([2]));
  });

  it("does nothing where another number matches now, and says which", async () => {
    await make(owner, "spare", 3);
    const before = await statuses();
    for (const action of ["enable", "disable", "delete"])
      for (const total of [2, 4]) {
        const { status, body } = await owner.call("POST", PATH, { filter: { keyword: "spare" }, total, action });
        expect(status).toBe(409);
        expect(body).toMatchObject({ success: false, code: "selection_changed", values: { count: 3, total } });
      }
    expect(await statuses()).toEqual(before);
  });

  it("reaches nobody else's tokens, by their ids or by a filter", async () => {
    const stranger = await site.person(100);
    const foreign = await make(stranger, "theirs", 2);
    const [own] = await make(owner, "theirs", 1);
    const ids = [...foreign.map(({ id }) => id), own?.id, own?.id, 987_654_321];
    expect(await act({ ids, action: "disable" })).toEqual({ done: 1, unchanged: 0, refused: 0 });
    expect(await act({ filter: {}, total: 1, action: "delete" })).toEqual({ done: 1, unchanged: 0, refused: 0 });
    expect(Object.values(await statuses(stranger))).toEqual([1, 1]);
  });

  it("finds tokens by key, group and status as the list does", async () => {
    const [first, second] = await make(owner, "keyed", 2);
    const byKey = { filter: { token: `sk-${first?.key}` }, total: 1, action: "disable" };
    expect(await act(byKey)).toEqual({ done: 1, unchanged: 0, refused: 0 });
    expect(await statuses()).toEqual({ [first?.id ?? 0]: 2, [second?.id ?? 0]: 1 });
    const byStatus = { filter: { status: 2, group: "" }, total: 1, action: "delete" };
    expect(await act(byStatus)).toEqual({ done: 1, unchanged: 0, refused: 0 });
    expect(await statuses()).toEqual({ [second?.id ?? 0]: 1 });
  });

  it.each([
    [{ ids: [], action: "delete" }],
    [{ ids: [1], action: "forget" }],
    [{ filter: { name: "spare" }, total: 1, action: "delete" }],
    [{ filter: {}, total: 0, action: "delete" }],
    [{ filter: {}, action: "delete" }],
    [{ action: "delete" }],
  ])("refuses %j", async (body) => {
    const { body: answer } = await owner.call("POST", PATH, body);
    expect(answer.success).toBe(false);
  });
});
