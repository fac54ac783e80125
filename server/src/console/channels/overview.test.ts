/** Promises of a channel's page: calls by day, failures that another channel made good too, and the balances of the present account alone. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BALANCE_DAYS, CHANNEL_CALL_DAYS, type ChannelOverview } from "../../../../contract/src/channels/page.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { SAMPLE_ROWS } from "../../../../tests/engines/columns.ts";
import { openTestConsole, type Caller, type TestConsole } from "../../../../tests/support/systems/console.ts";
import { dayOf, recordBalance } from "./balance-history.ts";

const DAY = 86_400;
const now = Math.floor(Date.now() / 1000);

describe.each(await engines())("the page of a channel on %s", (engine) => {
  let site: TestConsole;
  let root: Caller;
  let id: number;

  const overview = () => root.data<ChannelOverview>("GET", `/api/channel/${id}/overview`);
  const record = (daysAgo: number, amount: number) =>
    recordBalance(site.context.database, id, { micros: amount * 1e6, currency: "USD", time: now - daysAgo * DAY });

  beforeAll(async () => {
    site = await openTestConsole(engine);
    root = await site.person(100);
    const channel = { name: "a", type: 1, key: "sk-a-key-of-the-channel", models: "m1", groups: ["default"] };
    [id = 0] = await root.data<number[]>("POST", "/api/channel", channel);
  });
  afterAll(() => site.close());

  it("counts calls and failed attempts by day, and leaves other channels out", async () => {
    const blank = Object.fromEntries(Object.keys(SAMPLE_ROWS.call_hours).map((column) => [column, 0]));
    const row = { ...blank, hour: now - (now % 3600), channel_id: id, model: "m1" } as typeof SAMPLE_ROWS.call_hours;
    const counted = { ...row, succeeded: 5, failed_upstream: 1, retried_timeout: 2, first_token_10: 5 };
    await site.context.database.kysely
      .insertInto("call_hours")
      .values([counted, { ...counted, channel_id: id + 1 }])
      .execute();
    const { days } = await overview();
    expect(days).toHaveLength(CHANNEL_CALL_DAYS);
    expect(days.at(-1)).toMatchObject({ day: dayOf(now), succeeded: 5, failed: 3 });
    expect(days.at(-1)?.first_token_ms).toBeGreaterThan(0);
    expect(days.at(-2)).toMatchObject({ succeeded: 0, failed: 0, first_token_ms: null });
  });

  it("has one balance a day, says when it is empty, and forgets after 90 days", async () => {
    await record(BALANCE_DAYS + 1, 500);
    for (const [daysAgo, amount] of [
      [3, 90],
      [2, 80],
      [1, 71],
      [1, 70],
      [0, 60],
    ] as const)
      await record(daysAgo, amount);
    const { balances, empty_in_days } = await overview();
    expect(balances.map(({ balance }) => balance)).toEqual([90, 80, 70, 60]);
    expect(empty_in_days).toBe(6);
  });

  it("balances of the account before another key are no part of the curve", async () => {
    await root.data("PUT", "/api/channel", { id, key: "sk-the-key-of-another-account" });
    expect(await overview()).toMatchObject({ balances: [], empty_in_days: null });
    await record(0, 5);
    expect((await overview()).balances.map(({ balance }) => balance)).toEqual([5]);
  });
});
