/** Tests of the lines of a statement: they add up to the unit with the sums and the balance, lead to orders and codes, and show nothing of other people. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { Pace, StatementLines } from "../../../../contract/src/payments/statement.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { setOptions } from "../../../../tests/support/databases/options.ts";
import { type Caller, openTestConsole, type TestConsole } from "../../../../tests/support/systems/console.ts";
import { BLANK_ENTRY } from "../../billing/log-row.ts";
import { MAX_SINGLE_ENTRIES } from "../../billing/statement-lines.ts";
import { monthStart } from "../../util/months.ts";
import { daysLeftOf } from "./statement.ts";

/** Half an hour off, so that both ends of a month lie within an hour of the roll-up. */
const ZONE = "Asia/Kolkata";
const [OCTOBER, NOVEMBER] = [monthStart(ZONE, "2026-10"), monthStart(ZONE, "2026-11")];
const DAY = 86_400;

type Kind = "top_up" | "reversal" | "gift" | "adjustment" | "redemption" | "checkin" | "transfer";

describe.each(await engines())("lines of a statement on %s", (engine) => {
  let site: TestConsole;
  const nowMs = (NOVEMBER + 5 * DAY) * 1000;

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => nowMs);
    await setOptions(site.foundation, { CheckinTimeZone: ZONE });
  });
  afterAll(() => site.close());

  const person = (): Promise<Caller> => site.person(1, { quota: 0 });
  const move = async (userId: number, kind: Kind, quotaDelta: number, at: number, detail: object = {}) => {
    const entryId = randomUUID();
    const { billing, database } = site.foundation;
    await billing.move({ entryId, kind, userId, quotaDelta, detail: JSON.stringify(detail) });
    // The ledger dates entries by the machine's clock.
    await database.kysely.updateTable("ledger").set({ created_at: at }).where("entry_id", "=", entryId).execute();
  };
  const call = async (userId: number, charge: number, createdAt: number) => {
    const { billing } = site.foundation;
    const requestId = randomUUID();
    const facts = { requestId, userId, tokenId: 0, isTokenLimited: false };
    const hold = await billing.hold({ ...facts, amount: charge });
    await billing.settle(hold, {
      ...facts,
      createdAt,
      channelId: 0,
      model: "m",
      groupName: "default",
      charge,
      promptTokens: 1,
      completionTokens: 1,
      detail: "{}",
    });
  };
  const order = (userId: number, tradeNo: string) =>
    site.foundation.database.kysely
      .insertInto("top_ups")
      .values({
        user_id: userId,
        trade_no: tradeNo,
        quota: 5_000,
        money_minor: 100,
        currency: "CNY",
        amount: 1,
        method: "zfb",
        status: "paid",
        created_time: OCTOBER,
        completed_time: OCTOBER,
      })
      .execute();
  const linesOf = (owner: Caller, month = "2026-10") =>
    owner.data<StatementLines>("GET", `/api/user/statement/lines?month=${month}`);
  const changes = ({ lines }: StatementLines) => lines.map(({ day, kind, count, quota }) => [day, kind, count, quota]);

  it("puts the calls of a day into one line after what paid them, and every other entry has its own", async () => {
    const owner = await person();
    const { userId } = owner;
    await move(userId, "gift", 9_000, OCTOBER - 1);
    await call(userId, 13, OCTOBER - 1);
    await move(userId, "top_up", 5_000, OCTOBER + 7_200, { order: "TP-lines", method: "zfb", reference: "secret" });
    await order(userId, "TP-lines");
    await move(userId, "redemption", 70, OCTOBER + DAY, { code: 4 });
    await move(userId, "reversal", -60, OCTOBER + 2 * DAY, { order: "TP-lines" });
    await call(userId, 100, OCTOBER);
    await call(userId, 11, OCTOBER + 3_600);
    await call(userId, 7, NOVEMBER - 1);
    await call(userId, 999, NOVEMBER);
    await move(userId, "adjustment", -5, NOVEMBER, { actor: 1 });
    await move(userId, "checkin", 3, NOVEMBER + DAY);
    // A reward of an invitation that was moved to the balance.
    await move(userId, "transfer", 20, NOVEMBER + 2 * DAY);
    const october = await linesOf(owner);
    expect(changes(october)).toEqual([
      ["2026-10-01", "top_up", 1, 5_000],
      ["2026-10-01", "calls", 2, -111],
      ["2026-10-02", "redemption", 1, 70],
      ["2026-10-03", "reversal", 1, -60],
      ["2026-10-31", "calls", 1, -7],
    ]);
    expect(october).toMatchObject({ month: "2026-10", start: OCTOBER, end: NOVEMBER, opening: 8_987, closing: 13_879 });
    expect(october.lines.map(({ balance }) => balance)).toEqual([13_987, 13_876, 13_946, 13_886, 13_879]);
    const [bought, calls, redeemed, back] = october.lines;
    expect(bought).toMatchObject({ reference: "TP-lines" });
    expect(bought?.order_id).toBeGreaterThan(0);
    // The calls of the first day lead to the two hours in which they were; an hour of the clock may begin before the zone's.
    expect(calls).toMatchObject({ time: OCTOBER, until: OCTOBER + 5_400 });
    expect(back?.order_id).toBe(bought?.order_id);
    expect(redeemed).toMatchObject({ reference: "#4", order_id: 0 });
    expect(JSON.stringify(october)).not.toContain("secret");
    const november = await linesOf(owner, "2026-11");
    expect(november).toMatchObject({ opening: 13_879, closing: 13_879 - 999 - 5 + 3 + 20 });
    expect(changes(november)).toEqual([
      ["2026-11-01", "adjustment", 1, -5],
      ["2026-11-01", "calls", 1, -999],
      ["2026-11-02", "checkin", 1, 3],
      ["2026-11-03", "transfer", 1, 20],
    ]);
    expect(await owner.data("GET", "/api/user/statement?month=2026-10")).toMatchObject({
      opening: october.opening,
      closing: october.closing,
    });
  });

  it("shows charges given back as a line of their own beside the calls in full", async () => {
    const owner = await person();
    const { userId } = owner;
    await move(userId, "gift", 1_000, OCTOBER);
    await call(userId, 400, OCTOBER + 7_200);
    const entryId = randomUUID();
    await site.foundation.billing.refund({
      entryId,
      createdAt: OCTOBER + 7_300,
      userId,
      tokenId: 0,
      channelId: 0,
      model: "m",
      groupName: "default",
      quota: 150,
      tokenQuota: 0,
      hasCost: false,
      detail: "{}",
      log: { ...BLANK_ENTRY, type: LOG_TYPE.system, requestId: entryId, createdAt: OCTOBER + 7_300, userId },
    });
    const october = await linesOf(owner);
    expect(changes(october)).toEqual([
      ["2026-10-01", "gift", 1, 1_000],
      ["2026-10-01", "refund", 1, 150],
      ["2026-10-01", "calls", 1, -400],
    ]);
    expect(october.closing).toBe(750);
  });

  it("puts entries of a day and kind together where a month has more than its bound, with the same sums", async () => {
    const owner = await person();
    const { userId } = owner;
    const rows = Array.from({ length: MAX_SINGLE_ENTRIES + 1 }, (_, index) => ({
      entry_id: randomUUID(),
      kind: "gift",
      created_at: OCTOBER + (index % 2) * DAY,
      user_id: userId,
      token_id: 0,
      channel_id: 0,
      model: "",
      group_name: "",
      quota_delta: 2,
      token_quota_delta: 0,
      aff_quota_delta: 0,
      used_delta: 0,
      request_delta: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      detail: "{}",
    }));
    const { kysely } = site.foundation.database;
    for (let from = 0; from < rows.length; from += 200)
      await kysely
        .insertInto("ledger")
        .values(rows.slice(from, from + 200))
        .execute();
    await kysely
      .updateTable("users")
      .set({ quota: 2 * rows.length })
      .where("id", "=", userId)
      .execute();
    const october = await linesOf(owner);
    expect(october).toMatchObject({ opening: 0, closing: 2_002, is_grouped: true });
    expect(changes(october)).toEqual([
      ["2026-10-01", "gift", 501, 1_002],
      ["2026-10-02", "gift", 500, 1_000],
    ]);
  });

  it("says how long the balance lasts at the pace of the last 30 days", async () => {
    const owner = await person();
    expect(await owner.data<Pace>("GET", "/api/user/statement/pace")).toMatchObject({ spent: 0, days_left: null });
    await move(owner.userId, "gift", 1_100, NOVEMBER);
    await call(owner.userId, 100, NOVEMBER - 5 * DAY);
    const pace = await owner.data<Pace>("GET", "/api/user/statement/pace");
    expect(pace).toMatchObject({ balance: 1_000, spent: 100 });
    expect(pace.days_left).toBe(pace.days * 10);
  });
});

it("no pace is said of less than three days, of no spending, and of nothing left", () => {
  expect(daysLeftOf(1_000, 100, 2)).toBeNull();
  expect(daysLeftOf(1_000, 0, 30)).toBeNull();
  expect(daysLeftOf(-1, 100, 30)).toBeNull();
  expect(daysLeftOf(1_000_000, 1, 30)).toBeNull();
  expect(daysLeftOf(410, 300, 30)).toBe(41);
});
