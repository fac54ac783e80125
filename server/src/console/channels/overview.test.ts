/** Tests of a channel's page: calls by day, failures that another channel made good too, the dashboard's margin, and the balances of the present account alone. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BALANCE_DAYS, CHANNEL_CALL_DAYS, type ChannelOverview } from "../../../../contract/src/channels/page.ts";
import type { CallReport, SiteOverview } from "../../../../contract/src/features/dashboard.ts";
import { type Permission, storedPermissions } from "../../../../contract/src/permissions.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { SAMPLE_ROWS } from "../../../../tests/engines/columns.ts";
import { openTestConsole, type Caller, type TestConsole } from "../../../../tests/support/systems/console.ts";
import { bumpVersion } from "../../db/versions.ts";
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
    const { days, first_token } = await overview();
    expect(days).toHaveLength(CHANNEL_CALL_DAYS);
    expect(days.at(-1)).toMatchObject({ day: dayOf(now), succeeded: 5, failed: 3 });
    expect(days.at(-1)?.first_token_ms).toBeGreaterThan(0);
    expect(days.at(-2)).toMatchObject({ succeeded: 0, failed: 0, first_token_ms: null });
    expect(first_token.p50_ms).toBe(days.at(-1)?.first_token_ms);
  });

  it("has the times to the first token of all its days together, by the dashboard's own definition", async () => {
    const blank = Object.fromEntries(Object.keys(SAMPLE_ROWS.call_hours).map((column) => [column, 0]));
    const row = { ...blank, channel_id: id, model: "m1" } as typeof SAMPLE_ROWS.call_hours;
    const today = dayOf(now);
    await site.context.database.kysely
      .insertInto("call_hours")
      .values([
        { ...row, hour: today - DAY, succeeded: 90, first_token_20: 90 },
        { ...row, hour: today - 2 * DAY, succeeded: 20, first_token_30: 20 },
        { ...row, hour: today - CHANNEL_CALL_DAYS * DAY, succeeded: 900, first_token_40: 900 },
      ])
      .execute();
    const { days, first_token } = await overview();
    const range = `start_timestamp=${days[0]?.day}&end_timestamp=${today + DAY - 1}&granularity=day&time_zone=UTC`;
    const { channels } = await root.data<CallReport>("GET", `/api/data/calls?${range}`);
    const { p50_ms, p95_ms } = channels.find((channel) => channel.id === id)?.figures.first_token ?? {};
    expect(first_token).toEqual({ p50_ms, p95_ms });
    expect(first_token.p95_ms).toBeGreaterThan(first_token.p50_ms ?? Infinity);
  });

  /** A call so many days ago, of known or unknown cost. */
  const charge = async (payer: Caller, channelId: number, daysAgo: number, charged: number, cost?: number) => {
    const { billing } = site.foundation;
    const { userId, username } = payer;
    const requestId = crypto.randomUUID();
    const hold = await billing.hold({ requestId, userId, tokenId: 0, amount: charged, isTokenLimited: false });
    const createdAt = now - daysAgo * DAY;
    const call = { requestId, userId, tokenId: 0, channelId, groupName: "default", createdAt };
    const counts = { promptTokens: 10, completionTokens: 5 };
    const times = { useTimeMs: 900, firstTokenMs: 200, isStream: true, ip: "", content: "", other: "{}" };
    const names = { type: 2 as const, username, tokenName: "main", modelName: "m1", quota: charged };
    const log = { ...call, ...counts, ...times, ...names };
    const price = cost === undefined ? { charge: charged } : { charge: charged, cost };
    await billing.settle(hold, { ...call, ...counts, model: "m1", ...price, isTokenLimited: false, detail: "{}", log });
  };

  it("has the dashboard's margin of each day, losses and unknown costs too, at the first look and from days in memory", async () => {
    const payer = await site.person(1, { quota: 10_000_000 });
    for (const [channelId, daysAgo, charged, cost] of [
      [id, 0, 900, 400],
      [id, 0, 100, undefined],
      [id, 1, 300, 500],
      [id, 5, 70, undefined],
      [id, CHANNEL_CALL_DAYS - 1, 40, 10],
      [id, CHANNEL_CALL_DAYS, 7000, 10],
      [id + 1, 0, 5000, 1],
      [id + 1, 5, 5000, 1],
    ] as const)
      await charge(payer, channelId, daysAgo, charged, cost);
    for (const margins of [(await overview()).margins, (await overview()).margins]) {
      expect(margins).toHaveLength(CHANNEL_CALL_DAYS);
      expect(margins?.at(-1)).toEqual({ day: dayOf(now), quota: 1000, costed_quota: 900, cost: 400 });
      expect(margins?.at(-2)).toMatchObject({ quota: 300, costed_quota: 300, cost: 500 });
      expect(margins?.at(-6)).toMatchObject({ quota: 70, costed_quota: 0, cost: 0 });
      expect(margins?.[0]).toMatchObject({ quota: 40, costed_quota: 40, cost: 10 });
      for (const { day, ...sums } of margins ?? []) {
        const range = `start_timestamp=${day}&end_timestamp=${day + DAY - 1}&granularity=day&time_zone=UTC`;
        const { margin } = await root.data<SiteOverview>("GET", `/api/data/overview?${range}`);
        const row = margin.channels.find((channel) => channel.id === id);
        const { quota = 0, costed_quota = 0, cost = 0 } = row ?? {};
        expect([day, sums]).toEqual([day, { quota, costed_quota, cost }]);
      }
    }
  });

  it("an administrator without money, or without the dashboard of everybody, is shown no margin", async () => {
    const marginsFor = async (permissions: readonly Permission[]) => {
      const { foundation } = site;
      const admin = await site.person(10);
      await foundation.database.kysely.transaction().execute(async (transaction) => {
        const change = {
          permissions: storedPermissions(permissions),
          changed_version: await bumpVersion(transaction, "users"),
        };
        await transaction.updateTable("users").set(change).where("id", "=", admin.userId).execute();
      });
      await foundation.snapshot.refresh();
      return (await admin.data<ChannelOverview>("GET", `/api/channel/${id}/overview`)).margins;
    };
    expect(await marginsFor(["channels_see", "channels_write", "logs"])).toBeNull();
    expect(await marginsFor(["channels_see", "channels_write", "money"])).toBeNull();
    expect(await marginsFor(["channels_see", "money", "logs"])).toHaveLength(CHANNEL_CALL_DAYS);
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
