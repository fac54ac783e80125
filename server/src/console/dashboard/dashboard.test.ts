/** Tests of the dashboard: its totals are the ledger's, every list adds up to them, and users see their own usage alone. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { OwnOverview, PayerUsage, SiteOverview, UsageRow } from "../../../../contract/src/features/dashboard.ts";
import { postedUsage } from "../../../../tests/support/checks/posted-usage.ts";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { Caller, TestConsole } from "../../../../tests/support/systems/console.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";

const HOUR = 3600;
/** 2026-11-03 14:30 UTC: New York and Berlin changed their clocks within the fortnight before. */
const NOW = Date.UTC(2026, 10, 3, 14, 30) / 1000;
const DAYS = 14;
const MODELS = Array.from({ length: 12 }, (_, index) => `model-${String(index).padStart(2, "0")}`);
const ZONES = ["Asia/Shanghai", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC"];

describe.each(await engines())("the dashboard on %s", (engine) => {
  let site: TestConsole;
  let admin: Caller;
  let user: Caller;
  let other: Caller;
  let counter = 0;

  /** Every third call has no known cost; some cost more than they were charged. */
  const costOf = (index: number, charge: number) =>
    index % 3 === 0 ? {} : { cost: Math.floor((charge * (index % 7)) / 5) };

  const spend = async (who: Caller, createdAt: number, model: string, charge: number, channelId = 7) => {
    const { billing } = site.foundation;
    const requestId = `request-${(counter += 1)}`;
    const { userId, username } = who;
    const counts = { promptTokens: 100 + (counter % 7), completionTokens: counter % 11 };
    const hold = await billing.hold({ requestId, userId, tokenId: 0, amount: charge, isTokenLimited: false });
    const call = { requestId, userId, tokenId: 0, channelId, groupName: "default", createdAt, ...counts };
    const times = { useTimeMs: 900, firstTokenMs: 200, isStream: true, ip: "", content: "", other: "{}" };
    const log = { ...call, ...times, type: 2 as const, username, tokenName: "main", modelName: model, quota: charge };
    const cost = costOf(counter, charge);
    await billing.settle(hold, { ...call, model, charge, ...cost, isTokenLimited: false, detail: "{}", log });
  };

  const booked = (start: number, end: number, userId?: number) =>
    postedUsage(site.foundation.database, start, end, userId);

  const overviewPath = (path: string, query: Record<string, string | number>) =>
    `${path}?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString()}`;

  const sumOf = (
    rows: readonly { requests: number; quota: number; prompt_tokens: number; completion_tokens: number }[],
  ) => ({
    requests: rows.reduce((sum, row) => sum + row.requests, 0),
    quota: rows.reduce((sum, row) => sum + row.quota, 0),
    prompt_tokens: rows.reduce((sum, row) => sum + row.prompt_tokens, 0),
    completion_tokens: rows.reduce((sum, row) => sum + row.completion_tokens, 0),
  });

  const added = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => NOW * 1000);
    admin = await site.person(10);
    user = await site.person(1, { quota: 10_000_000 });
    other = await site.person(1, { quota: 10_000_000 });
    const { kysely } = site.foundation.database;
    await kysely
      .updateTable("ledger")
      .set({ created_at: NOW - 90 * 86_400 })
      .where("kind", "=", "opening")
      .execute();
    // Prime steps spread calls over all hours of the day, the last one into this minute.
    for (let index = 0; index < 160; index++) {
      const who = index % 3 === 0 ? other : user;
      const model = MODELS[(index * 5) % MODELS.length] ?? "";
      await spend(who, NOW - 7 - index * 7919, model, 1000 + index * 13, 7 + (index % 10));
    }
  });
  afterAll(() => site.close());

  it("has the ledger's totals for the same range, in every zone and granularity", async () => {
    for (const zone of ZONES)
      for (const granularity of ["hour", "day", "week"]) {
        const query = { start_timestamp: NOW - DAYS * 86_400 + 1234, end_timestamp: NOW, granularity, time_zone: zone };
        const whole = await admin.data<SiteOverview>("GET", overviewPath("/api/data/overview", query));
        const own = await user.data<OwnOverview>("GET", overviewPath("/api/data/self/overview", query));
        expect([zone, granularity, whole.totals]).toEqual([zone, granularity, await booked(whole.start, whole.end)]);
        expect([zone, granularity, own.totals]).toEqual([
          zone,
          granularity,
          await booked(own.start, own.end, user.userId),
        ]);
        expect(whole.totals.requests).toBeGreaterThan(100);
        const length = whole.end - whole.start + 1;
        expect(whole.previous).toEqual(await booked(whole.start - length, whole.start - 1));
        expect(whole.previous_series.quota).toHaveLength(whole.buckets.length);
        expect(added(whole.previous_series.quota)).toBe(whole.previous.quota);
        expect(added(whole.previous_series.requests)).toBe(whole.previous.requests);
      }
  });

  it("adds up: models, series, users and channels each make the totals", async () => {
    const query = { start_timestamp: NOW - DAYS * 86_400, granularity: "day", time_zone: "Europe/Berlin" };
    const whole = await admin.data<SiteOverview>("GET", overviewPath("/api/data/overview", query));
    for (const list of [whole.models, whole.users, whole.channels]) expect(sumOf(list)).toEqual(whole.totals);
    expect(whole.models).toHaveLength(10);
    expect(whole.models.at(-1)).toMatchObject({ model: "", model_count: 3 });
    expect(whole.channels.at(-1)).toMatchObject({ id: 0, name: "", payer_count: 2 });
    const tokens = whole.totals.prompt_tokens + whole.totals.completion_tokens;
    expect(added(whole.models.flatMap(({ series }) => series.quota))).toBe(whole.totals.quota);
    expect(added(whole.models.flatMap(({ series }) => series.requests))).toBe(whole.totals.requests);
    expect(added(whole.models.flatMap(({ series }) => series.tokens))).toBe(tokens);
    for (const { series } of whole.models) expect(series.quota).toHaveLength(whole.buckets.length);
    const quotas = whole.models.slice(0, 9).map(({ quota }) => quota);
    expect(quotas).toEqual(quotas.toSorted((a, b) => b - a));
  });

  it("tells administrators the margin: what was charged and cost is the ledger's, in all and by bucket, model and channel", async () => {
    const { kysely } = site.foundation.database;
    const posted = async (start: number, end: number) => {
      const rows = await kysely
        .selectFrom("ledger")
        .select(["used_delta", "cost"])
        .where("kind", "=", "charge")
        .where("created_at", ">=", start)
        .where("created_at", "<=", end)
        .execute();
      const known = rows.filter(({ cost }) => cost !== null);
      return {
        quota: added(rows.map(({ used_delta }) => used_delta)),
        costed_quota: added(known.map(({ used_delta }) => used_delta)),
        cost: added(known.map(({ cost }) => cost ?? 0)),
      };
    };
    const summed = (rows: readonly { quota: number; costed_quota: number; cost: number }[]) => ({
      quota: added(rows.map(({ quota }) => quota)),
      costed_quota: added(rows.map(({ costed_quota }) => costed_quota)),
      cost: added(rows.map(({ cost }) => cost)),
    });
    const query = { start_timestamp: NOW - 7 * 86_400, end_timestamp: NOW, granularity: "day", time_zone: "UTC" };
    const path = overviewPath("/api/data/overview", query);
    // The second answer is from days that are kept in memory.
    for (const { start, end, totals, margin } of [
      await admin.data<SiteOverview>("GET", path),
      await admin.data<SiteOverview>("GET", path),
    ]) {
      expect(margin.totals).toEqual(await posted(start, end));
      expect(margin.totals.quota).toBe(totals.quota);
      expect(margin.totals.costed_quota).toBeLessThan(totals.quota);
      expect(margin.previous).toEqual(await posted(start - (end + 1 - start), start - 1));
      expect([summed(margin.models), summed(margin.channels)]).toEqual([margin.totals, margin.totals]);
      expect(added(margin.series)).toBe(margin.totals.costed_quota - margin.totals.cost);
      expect(margin.channels.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([
        7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
      ]);
    }
  });

  it("notices a cost that was posted late, also where the charges are the same", async () => {
    const query = { start_timestamp: NOW - DAYS * 86_400, end_timestamp: NOW, granularity: "day", time_zone: "UTC" };
    const path = overviewPath("/api/data/overview", query);
    const before = await admin.data<SiteOverview>("GET", path);
    const { kysely } = site.foundation.database;
    const [hour] = await kysely
      .selectFrom("usage_hours")
      .selectAll()
      .where("hour", "<", NOW - 2 * 86_400)
      .where("hour", ">", NOW - 9 * 86_400)
      .limit(1)
      .execute();
    if (hour === undefined) throw new Error("no hour");
    const change = (by: number) =>
      kysely
        .updateTable("usage_hours")
        .set((row) => ({ cost: row("cost", "+", by) }))
        .where("hour", "=", hour.hour)
        .where("user_id", "=", hour.user_id)
        .where("model", "=", hour.model)
        .where("channel_id", "=", hour.channel_id)
        .execute();
    await change(5);
    const after = await admin.data<SiteOverview>("GET", path);
    expect(after.margin.totals.cost).toBe(before.margin.totals.cost + 5);
    await change(-5);
  });

  it("says nothing of costs to users, of their own usage least of all", async () => {
    const range = `start_timestamp=${NOW - DAYS * 86_400}&end_timestamp=${NOW}`;
    for (const path of ["/api/data/self/overview", "/api/data/self", "/api/data/self/calls"])
      expect(JSON.stringify(await user.data("GET", `${path}?${range}`))).not.toMatch(/cost|margin/);
  });

  it("compares with the range before only where calls go back to its beginning", async () => {
    const fullAt = async (days: number) => {
      const query = { start_timestamp: NOW - days * 86_400, end_timestamp: NOW, granularity: "day" };
      return (await admin.data<SiteOverview>("GET", overviewPath("/api/data/overview", query))).previous_is_full;
    };
    // The first call is 160 times 7919 seconds ago: two weeks and half a day.
    expect([await fullAt(7), await fullAt(8), await fullAt(14)]).toEqual([true, false, false]);
  });

  it("counts what is booked late into an hour that is over, at the next look", async () => {
    const query = { start_timestamp: NOW - DAYS * 86_400, end_timestamp: NOW, granularity: "day", time_zone: "UTC" };
    const path = overviewPath("/api/data/overview", query);
    const before = await admin.data<SiteOverview>("GET", path);
    expect(await admin.data<SiteOverview>("GET", path)).toEqual(before);
    await spend(user, NOW - 3 * 86_400, "model-late", 777);
    const after = await admin.data<SiteOverview>("GET", path);
    expect(after.totals).toEqual(await booked(after.start, after.end));
    expect(after.totals.quota).toBe(before.totals.quota + 777);
    for (const list of [after.models, after.users, after.channels]) expect(sumOf(list)).toEqual(after.totals);
    const day = await admin.data<SiteOverview>(
      "GET",
      overviewPath("/api/data/overview", { ...query, end_timestamp: NOW - 5 * 86_400 }),
    );
    expect(day.totals).toEqual(await booked(day.start, day.end));
  });

  it("puts each bucket's sum where the viewer's day is, clock change included", async () => {
    for (const time_zone of ["Asia/Shanghai", "Europe/Berlin", "America/New_York"]) {
      const query = { start_timestamp: NOW - DAYS * 86_400, end_timestamp: NOW, granularity: "day", time_zone };
      const own = await user.data<OwnOverview>("GET", overviewPath("/api/data/self/overview", query));
      const ends = [...own.buckets.slice(1), own.end + 1];
      for (const [index, start] of own.buckets.entries()) {
        const { quota } = await booked(start, (ends[index] ?? 0) - 1, user.userId);
        expect(added(own.models.map(({ series }) => series.quota[index] ?? 0))).toBe(quota);
        const clock = new Intl.DateTimeFormat("en-GB", { timeZone: time_zone, timeStyle: "short" }).format(
          start * 1000,
        );
        if (index > 0) expect(clock).toBe("00:00");
      }
      expect(own.minutes_past_hour).toBe(0);
    }
    const india = { start_timestamp: NOW - DAYS * 86_400, time_zone: "Asia/Kolkata" };
    expect(await user.data("GET", overviewPath("/api/data/self/overview", india))).toMatchObject({
      minutes_past_hour: 30,
    });
  });

  it("tells the last minute, today, and balances that go back through charges and top-ups", async () => {
    const query = { start_timestamp: NOW - DAYS * 86_400, granularity: "day", time_zone: "UTC" };
    const before = await other.data<OwnOverview>("GET", overviewPath("/api/data/self/overview", query));
    expect(before.rpm).toBe(1);
    expect(before.today_quota).toBe((await booked(NOW - 14.5 * HOUR, NOW, other.userId)).quota);
    expect(before.balance).toBe(10_000_000 - before.used_quota);
    const last = before.buckets.length - 1;
    expect(before.balance_series[last]).toBe(before.balance);
    const { quota: ofLastDay } = await booked(before.buckets[last] ?? 0, NOW, other.userId);
    expect(before.balance_series[last - 1]).toBe(before.balance + ofLastDay);
    const { kysely } = site.foundation.database;
    const credit = { entryId: "gift:1", kind: "gift", detail: "{}", userId: other.userId, quotaDelta: 500 } as const;
    await site.foundation.billing.move(credit);
    await kysely
      .updateTable("ledger")
      .set({ created_at: NOW - 60 })
      .where("entry_id", "=", "gift:1")
      .execute();
    const after = await other.data<OwnOverview>("GET", overviewPath("/api/data/self/overview", query));
    expect(after.balance).toBe(before.balance + 500);
    expect(after.balance_series.slice(0, last)).toEqual(before.balance_series.slice(0, last));
    const all = await admin.data<SiteOverview>("GET", overviewPath("/api/data/overview", query));
    expect(all.used_quota).toBe((await booked(0, NOW)).quota);
    expect(all.request_count).toBe(161);
  });

  it("counts the calls of deleted accounts in the totals, and not their balances", async () => {
    const query = { start_timestamp: NOW - DAYS * 86_400, granularity: "day", time_zone: "UTC" };
    const whole = () => admin.data<SiteOverview>("GET", overviewPath("/api/data/overview", query));
    const users = () => site.foundation.database.kysely.updateTable("users").where("id", "=", other.userId);
    const before = await whole();
    const { balance } = await other.data<OwnOverview>("GET", overviewPath("/api/data/self/overview", query));
    await users().set({ deleted_at: NOW }).execute();
    const after = await whole();
    await users().set({ deleted_at: null }).execute();
    expect(balance).toBeGreaterThan(0);
    expect(after.balance).toBe(before.balance - balance);
    expect([after.used_quota, after.request_count]).toEqual([before.used_quota, before.request_count]);
    expect(after.totals.requests).toBe(before.totals.requests);
  });

  it("gives the rows of this API family: by hour and model, one user's or the sum, own ones of at most 30 days", async () => {
    const range = `start_timestamp=${NOW - DAYS * 86_400}&end_timestamp=${NOW}`;
    const own = await user.data<UsageRow[]>("GET", `/api/data/self?${range}`);
    expect(new Set(Object.keys(own[0] ?? {}))).toEqual(
      new Set(["id", "user_id", "username", "model_name", "created_at", "token_used", "count", "quota"]),
    );
    expect(own.every(({ user_id, created_at }) => user_id === user.userId && created_at % HOUR === 0)).toBe(true);
    const named = await admin.data<UsageRow[]>("GET", `/api/data/?${range}&username=${user.username}`);
    expect(named).toEqual(own);
    const all = await admin.data<UsageRow[]>("GET", `/api/data/?${range}&default_time=hour`);
    expect(all.every(({ user_id, username }) => user_id === 0 && username === "")).toBe(true);
    const first = Math.ceil((NOW - DAYS * 86_400) / HOUR) * HOUR;
    expect(added(all.map(({ quota }) => quota))).toBe((await booked(first, NOW)).quota);
    expect(added(all.map(({ count }) => count))).toBe((await booked(first, NOW)).requests);
    expect(await user.data("GET", "/api/data/self")).toEqual([]);
    // As far as numbers go: the days without usage are not looked at one by one.
    const everything = "start_timestamp=0&end_timestamp=9007199254740991";
    const asked = vi.spyOn(site.foundation.database.kysely, "selectFrom");
    const ofAll = await admin.data<UsageRow[]>("GET", `/api/data/?${everything}`);
    const ofUser = await admin.data<UsageRow[]>("GET", `/api/data/?${everything}&username=${user.username}`);
    expect([ofAll.slice(-all.length), ofUser.slice(-named.length)]).toEqual([all, named]);
    expect(asked.mock.calls.length).toBeLessThan(40);
    asked.mockRestore();
    expect(await admin.data("GET", `/api/data/?${range}&username=nobody`)).toEqual([]);
    const long = await user.call("GET", `/api/data/self?start_timestamp=${NOW - 2_592_001}&end_timestamp=${NOW}`);
    expect(long.body).toMatchObject({ success: false, message: "span must not exceed one month" });
    expect(
      (await user.call("GET", `/api/data/self?start_timestamp=${NOW - 2_592_000}&end_timestamp=${NOW}`)).body.success,
    ).toBe(true);
  });

  it("shows the site to administrators alone, by user name too", async () => {
    for (const path of ["/api/data/", "/api/data/overview", "/api/data/users"])
      expect((await user.call("GET", path)).status).toBe(403);
    const text = (await user.call("GET", "/api/data/self/overview")).text;
    expect(text).not.toMatch(/"users"|"channels"|username/);
    const named = await admin.data<SiteOverview>("GET", `/api/data/overview?username=${other.username}`);
    expect(named.users.map(({ name }) => name)).toEqual([other.username]);
    expect(named.totals).toEqual(await booked(named.start, named.end, other.userId));
    const none = await admin.data<SiteOverview>("GET", "/api/data/overview?username=nobody");
    expect(none).toMatchObject({ totals: { requests: 0, quota: 0 }, models: [], users: [], balance: 0 });
    const part = other.username.slice(1).toUpperCase();
    const found = await admin.data<PayerUsage[]>("GET", `/api/data/users?keyword=${part}`);
    expect(found.map(({ name }) => name)).toEqual([other.username]);
    expect(await admin.data("GET", "/api/data/users?keyword=%25")).toEqual([]);
    expect(await admin.data<PayerUsage[]>("GET", "/api/data/users")).toHaveLength(2);
  });

  it("refuses a range that is too wide and a zone that is not there; a range without an hour is empty", async () => {
    const wide = await user.call("GET", `/api/data/self/overview?start_timestamp=${NOW - 94 * 86_400}`);
    expect(wide.body).toMatchObject({ success: false, code: "range_too_wide" });
    const asked = vi.spyOn(site.foundation.database.kysely, "selectFrom");
    for (const [who, path] of [
      [user, "/api/data/self/overview"],
      [admin, "/api/data/overview"],
    ] as const) {
      const zone = await who.call("GET", `${path}?time_zone=Mars/Olympus`);
      expect([zone.status, zone.body.field]).toEqual([400, "time_zone"]);
    }
    // No query is started for them: a promise that is never awaited would end the process when it rejects.
    expect(asked.mock.calls.filter(([table]) => String(table).startsWith("usage_hours"))).toEqual([]);
    const range = `start_timestamp=${NOW - 100}&end_timestamp=${NOW - 50}`;
    const empty = await user.data<OwnOverview>("GET", `/api/data/self/overview?${range}`);
    expect(empty).toMatchObject({ buckets: [], models: [], totals: { requests: 0 }, balance_series: [] });
  });

  it("ticks each first step of a member once it is done, by what is their own", async () => {
    const newcomer = await site.person();
    const steps = () => newcomer.data<object>("GET", "/api/data/self/first_steps");
    expect(await steps()).toEqual({ has_balance: false, has_token: false, has_call: false });
    const { userId } = newcomer;
    const credit = { kind: "adjustment", userId, quotaDelta: 50, detail: "{}" } as const;
    await site.foundation.billing.move({ entryId: `credit:${userId}`, ...credit });
    expect(await steps()).toEqual({ has_balance: true, has_token: false, has_call: false });
    await newcomer.data("POST", "/api/token/", { name: "mine", unlimited_quota: true, expired_time: -1 });
    await spend(newcomer, NOW, "model-00", 50);
    // All of it is spent: the first step stays done.
    expect(await steps()).toEqual({ has_balance: true, has_token: true, has_call: true });
  });
});
