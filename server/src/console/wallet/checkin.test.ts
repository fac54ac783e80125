/** Tests of the daily check-in: one credit a day by the site's clock, however often and wherever it is asked for, and books that hold. */
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import type { CheckinStatus } from "../../../../contract/src/features/wallet.ts";
import { parseOptions, validateOption } from "../../../../contract/src/options/options.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { Caller, TestConsole } from "../../../../tests/support/systems/console.ts";
import { auditDatabase } from "../../billing/audit.ts";
import { checkIn, checkinBounds, dayIn } from "./checkin.ts";

const PATH = "/api/user/checkin";

test.each([
  ["UTC", "2026-11-24T23:59:59.999Z", "2026-11-24"],
  ["Asia/Shanghai", "2026-11-24T15:59:59.999Z", "2026-11-24"],
  ["Asia/Shanghai", "2026-11-24T16:00:00Z", "2026-11-25"],
  ["America/New_York", "2026-01-01T04:59:59Z", "2025-12-31"],
  // The night in which Berlin's clocks go back: both hours from two to three are of one day.
  ["Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25"],
  ["Europe/Berlin", "2026-10-25T22:59:59Z", "2026-10-25"],
  ["Europe/Berlin", "2026-10-25T23:00:00Z", "2026-10-26"],
  ["+08:00", "2026-02-28T16:00:00Z", "2026-03-01"],
])("in %s, %s is %s", (timeZone, moment, day) => {
  expect(dayIn(timeZone, Date.parse(moment))).toBe(day);
});

test("a time zone that does not exist is refused by name, and a largest amount below the smallest counts as it", () => {
  const defaults = parseOptions(new Map());
  for (const zone of ["Europe/Bielefeld", "", "25:00"])
    expect(() => validateOption("CheckinTimeZone", zone, defaults)).toThrow(/time zone/);
  expect(validateOption("CheckinTimeZone", " Asia/Tokyo ", defaults).normalised).toBe("Asia/Tokyo");
  const bounds = (least: number, most: number) =>
    checkinBounds({ "checkin_setting.min_quota": least, "checkin_setting.max_quota": most });
  expect([bounds(5, 9), bounds(9, 5)]).toEqual([
    { least: 5, most: 9 },
    { least: 9, most: 9 },
  ]);
});

describe.each(await engines())("the daily check-in on %s", (engine) => {
  let site: TestConsole;
  let root: Caller;
  const clock = { now: Date.parse("2026-11-24T12:00:00Z") };
  const set = (key: string, value: string) => root.data("PUT", "/api/option/", { key, value });
  const balanceOf = ({ userId }: Caller) => site.foundation.billing.available(userId);
  const statusOf = (caller: Caller, month = "") => caller.data<CheckinStatus>("GET", `${PATH}${month}`);
  const entriesOf = ({ userId }: Caller) =>
    site.foundation.database.kysely
      .selectFrom("ledger")
      .selectAll()
      .where("user_id", "=", userId)
      .where("kind", "=", "checkin")
      .execute();

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => clock.now);
    root = await site.person(100);
  });
  afterAll(() => site.close());

  it("is off until an administrator enables it", async () => {
    const person = await site.person();
    for (const method of ["GET", "POST"])
      expect((await person.call(method, PATH)).body).toMatchObject({ success: false, code: "checkin_off" });
    expect(await balanceOf(person)).toBe(0);
    await set("checkin_setting.min_quota", "100");
    await set("checkin_setting.max_quota", "103");
    await set("checkin_setting.enabled", "true");
    expect((await person.call("GET", "/api/status")).body.data).toMatchObject({ checkin_enabled: true });
  });

  it("credits an amount between the bounds, with a ledger entry and a row in the log, and says so in the month", async () => {
    const person = await site.person();
    const { body } = await person.call("POST", PATH);
    expect(body).toMatchObject({ success: true, data: { checkin_date: "2026-11-24" } });
    const { quota_awarded: quota } = body.data as { quota_awarded: number };
    expect([100, 101, 102, 103]).toContain(quota);
    expect(await balanceOf(person)).toBe(quota);
    const entryId = `checkin:${person.userId}:2026-11-24`;
    expect(await entriesOf(person)).toMatchObject([{ entry_id: entryId, quota_delta: quota }]);
    const row = await site.foundation.database.kysely
      .selectFrom("logs")
      .selectAll()
      .where("request_id", "=", entryId)
      .executeTakeFirstOrThrow();
    expect([row.type, row.quota, JSON.parse(row.other)]).toEqual([
      4,
      quota,
      { event: { code: "checked_in", values: { day: "2026-11-24", quota } } },
    ]);
    const stats = { total_quota: quota, total_checkins: 1, checkin_count: 1, checked_in_today: true };
    expect(await statusOf(person)).toMatchObject({
      enabled: true,
      min_quota: 100,
      max_quota: 103,
      stats: { ...stats, records: [{ checkin_date: "2026-11-24", quota_awarded: quota }] },
      today: "2026-11-24",
      time_zone: "UTC",
    });
    expect((await statusOf(person, "?month=2026-10")).stats).toMatchObject({ ...stats, checkin_count: 0, records: [] });
    expect((await person.call("GET", `${PATH}?month=2026-13`)).body).toMatchObject({ success: false, field: "month" });
  });

  it("comes once a day of the site's time zone", async () => {
    const person = await site.person();
    await set("CheckinTimeZone", "Asia/Shanghai");
    clock.now = Date.parse("2026-11-24T15:59:00Z");
    await person.data("POST", PATH);
    expect((await person.call("POST", PATH)).body).toMatchObject({ success: false, code: "checkin_done" });
    clock.now = Date.parse("2026-11-24T16:00:00Z");
    expect((await statusOf(person)).stats.checked_in_today).toBe(false);
    expect(await person.data("POST", PATH)).toMatchObject({ checkin_date: "2026-11-25" });
    expect(await entriesOf(person)).toHaveLength(2);
  });

  it("is credited once of many calls at once, on two processes of one database", async () => {
    const people = await Promise.all(Array.from({ length: 8 }, () => site.person()));
    const other = engine === "sqlite" ? site.foundation : await site.second();
    try {
      await other.snapshot.refresh();
      const contexts = [site.foundation, other].map(({ database, billing, snapshot }) => ({
        database,
        billing,
        snapshot,
        clock: () => clock.now,
      }));
      const tries = people.flatMap(({ userId, username }) =>
        Array.from({ length: 8 }, async (_, index) => {
          const visitor = { user: { id: userId, username, groupName: "default" }, ip: "192.0.2.1", humanToken: "" };
          const context = contexts[index % 2];
          if (context === undefined) throw new Error("no process");
          return checkIn(context, visitor).then(
            ({ quota_awarded }) => quota_awarded,
            (error: { code?: string }) => error.code ?? String(error),
          );
        }),
      );
      const answers = await Promise.all(tries);
      const credited = answers.filter((answer) => typeof answer === "number");
      expect(credited).toHaveLength(people.length);
      expect(answers.filter((answer) => answer === "checkin_done")).toHaveLength(7 * people.length);
      const entries = await Promise.all(people.map(entriesOf));
      expect(entries.map((rows) => rows.length)).toEqual(people.map(() => 1));
      const given = entries.flat().reduce((sum, { quota_delta }) => sum + quota_delta, 0);
      expect(given).toBe(credited.reduce((sum, quota) => sum + quota, 0));
    } finally {
      if (other !== site.foundation) await other.close();
    }
    expect((await auditDatabase(site.foundation.database)).faults).toEqual([]);
  });

  it("wants the human check where the site has one, and uses none up for a day that has its credit", async () => {
    const confirmed_time = Math.floor(clock.now / 1000);
    await site.foundation.database.kysely.updateTable("sessions").set({ confirmed_time }).execute();
    await set("TurnstileSiteKey", "site");
    await set("TurnstileSecretKey", "secret");
    await set("TurnstileCheckEnabled", "true");
    const person = await site.person();
    expect((await person.call("POST", PATH)).body).toMatchObject({ success: false, code: "human_check_missing" });
    await set("TurnstileCheckEnabled", "false");
    await person.data("POST", PATH);
    await set("TurnstileCheckEnabled", "true");
    expect((await person.call("POST", PATH)).body).toMatchObject({ success: false, code: "checkin_done" });
    await set("TurnstileCheckEnabled", "false");
  });
});
