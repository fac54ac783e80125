/** Tests of daylight saving changes: each day and week of the dashboard has the ledger's sums of that local day or week, on every engine. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LogStat } from "../../../../contract/src/features/logs.ts";
import type { OwnOverview, SiteOverview } from "../../../../contract/src/features/dashboard.ts";
import { postedUsage } from "../../../../tests/support/checks/posted-usage.ts";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { Caller, TestConsole } from "../../../../tests/support/systems/console.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";

const HOUR = 3600;
const DAY = 86_400;
const NOW = Date.UTC(2026, 10, 20, 12) / 1000;

interface ChangeOver {
  zone: string;
  /** Midnight UTC of the day whose length is tested. */
  date: number;
  hours: number;
}

const dateOf = (month: number, day: number): number => Date.UTC(2026, month - 1, day) / 1000;

/** The European Union changes on the last Sundays of March and October, the United States on the second of March and the first of November. */
const CHANGES: readonly ChangeOver[] = [
  { zone: "Europe/Berlin", date: dateOf(3, 29), hours: 23 },
  { zone: "Europe/Berlin", date: dateOf(10, 25), hours: 25 },
  { zone: "America/New_York", date: dateOf(3, 8), hours: 23 },
  { zone: "America/New_York", date: dateOf(11, 1), hours: 25 },
  // The same days where clocks never change.
  { zone: "Asia/Shanghai", date: dateOf(3, 29), hours: 24 },
  { zone: "Asia/Shanghai", date: dateOf(11, 1), hours: 24 },
];

/** Days of calls before and after a change, so that a whole local week lies around it. */
const AROUND = 8;
/** A prime number of seconds below an hour, so that calls fall into every hour and on every minute. */
const STEP = 3541;

describe.each(await engines())("days of clock changes on %s", { timeout: 120_000 }, (engine) => {
  let site: TestConsole;
  let admin: Caller;
  let user: Caller;
  let counter = 0;

  const spend = async (createdAt: number): Promise<void> => {
    const { billing } = site.foundation;
    const requestId = `change-${(counter += 1)}`;
    const charge = 1000 + counter * 7;
    const { userId, username } = user;
    const hold = await billing.hold({ requestId, userId, tokenId: 0, amount: charge, isTokenLimited: false });
    const counts = { promptTokens: 100 + (counter % 7), completionTokens: counter % 11 };
    const call = { requestId, userId, tokenId: 0, channelId: 7, groupName: "default", createdAt, ...counts };
    const times = { useTimeMs: 900, firstTokenMs: 200, isStream: true, ip: "", content: "", other: "{}" };
    const log = { ...call, ...times, type: 2 as const, username, tokenName: "main", modelName: "m", quota: charge };
    await billing.settle(hold, { ...call, model: "m", charge, isTokenLimited: false, detail: "{}", log });
  };

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => NOW * 1000);
    admin = await site.person(10);
    user = await site.person(1, { quota: 1_000_000_000 });
    const { kysely } = site.foundation.database;
    await kysely.updateTable("ledger").set({ created_at: 0 }).where("kind", "=", "opening").execute();
    const days = new Set(
      CHANGES.flatMap(({ date }) => Array.from({ length: 2 * AROUND }, (_, i) => date + (i - AROUND) * DAY)),
    );
    const moments = [...days].flatMap((day) =>
      Array.from({ length: Math.ceil(DAY / STEP) }, (_, index) => day + index * STEP).filter((at) => at < day + DAY),
    );
    for (let start = 0; start < moments.length; start += 64)
      await Promise.all(moments.slice(start, start + 64).map(spend));
  }, 120_000);
  afterAll(() => site.close());

  /** The ledger's own sums from `start` up to but not at `end`. */
  const booked = (start: number, end: number) => postedUsage(site.foundation.database, start, end - 1);

  /** The clock of a zone on a wall: "29/03/2026, 00:00". */
  const wallOf = (zone: string, second: number): string =>
    new Intl.DateTimeFormat("en-GB", { timeZone: zone, dateStyle: "short", timeStyle: "short" }).format(second * 1000);

  const overview = async <T>(who: Caller, path: string, query: Record<string, string | number>): Promise<T> =>
    who.data<T>(
      "GET",
      `${path}?${new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]))}`,
    );

  describe.each(CHANGES)("$zone, a day of $hours hours", ({ zone, date, hours }) => {
    const range = { start_timestamp: date - 7 * DAY, end_timestamp: date + 7 * DAY, time_zone: zone };
    const label = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", dateStyle: "short" }).format(date * 1000);

    it.each(["day", "week"])("%ss begin at local midnight and hold the ledger's sums", async (granularity) => {
      const own = await overview<OwnOverview>(user, "/api/data/self/overview", { ...range, granularity });
      const starts = [...own.buckets, own.end + 1];
      for (const [index, start] of own.buckets.entries()) {
        const end = starts[index + 1] ?? 0;
        const { quota, requests, prompt_tokens, completion_tokens } = await booked(start, end);
        expect(requests).toBeGreaterThan(0);
        const [model] = own.models;
        expect(own.models).toHaveLength(1);
        expect(model?.series.quota[index]).toBe(quota);
        expect(model?.series.requests[index]).toBe(requests);
        expect(model?.series.tokens[index]).toBe(prompt_tokens + completion_tokens);
        if (index > 0) expect(wallOf(zone, start)).toMatch(/, 00:00$/);
      }
      const site = await overview<SiteOverview>(admin, "/api/data/overview", { ...range, granularity });
      expect(site.totals).toEqual(await booked(site.start, site.end + 1));
      expect(own.totals).toEqual(site.totals);
      expect(site.buckets).toEqual(own.buckets);
    });

    it("the day itself is as long as it was, and the log's total of it is the dashboard's", async () => {
      const own = await overview<OwnOverview>(user, "/api/data/self/overview", { ...range, granularity: "day" });
      const index = own.buckets.findIndex((start) => wallOf(zone, start) === `${label}, 00:00`);
      const [start = 0, end = 0] = own.buckets.slice(index, index + 2);
      expect(end - start).toBe(hours * HOUR);
      const times = { start_timestamp: start, end_timestamp: end - 1 };
      const stat = await overview<LogStat>(user, "/api/log/self/stat", times);
      expect(stat.quota).toBe(own.models[0]?.series.quota[index]);
      expect(stat.quota).toBe((await booked(start, end)).quota);
      expect(stat.quota).toBe((await overview<LogStat>(admin, "/api/log/stat", times)).quota);
    });

    it("a week with a change in it is an hour shorter or longer, and begins on Monday", async () => {
      const own = await overview<OwnOverview>(user, "/api/data/self/overview", { ...range, granularity: "week" });
      const weeks = own.buckets.slice(1, -1).map((start, index) => (own.buckets[index + 2] ?? 0) - start);
      const weekday = new Intl.DateTimeFormat("en-GB", { timeZone: zone, weekday: "long" });
      for (const start of own.buckets.slice(1)) expect(weekday.format(start * 1000)).toBe("Monday");
      // All changes are on a Sunday, the last day of the week that began six days before.
      expect(weeks).toContain((7 * 24 + hours - 24) * HOUR);
    });
  });
});
