/** Tests of the usage cache: it equals the roll-up for any range, and after the warm-up a first request reads no day twice. */
import { sql } from "kysely";
import { describe, expect, it, vi } from "vitest";
import { engines, withDatabase } from "../../../../tests/support/databases/databases.ts";
import type { Database } from "../../db/database.ts";
import { createLogger } from "../../observe/logger.ts";
import { DAY, HOUR, hoursOf, utcDayOf } from "./buckets.ts";
import { wholeOf } from "./shape.ts";
import { type Slice, sumsOfSlice } from "./store.ts";
import { readHours, readUsage, startWarmUp } from "./usage.ts";

const NOW = Date.UTC(2026, 10, 3, 14, 30) / 1000;
const logger = createLogger({ level: "silent" });

/** Every seventh hour of 40 days, three users, two channels, two models. */
async function fill(database: Database): Promise<void> {
  const hours = Array.from({ length: 137 }, (_, index) => utcDayOf(NOW) + 14 * HOUR - index * 7 * HOUR);
  const rows = hours.map((hour, index) => ({
    hour,
    user_id: 1 + (index % 3),
    token_id: 0,
    channel_id: 1 + (index % 2),
    model: `model-${index % 5 === 0 ? "a" : "b"}`,
    group_name: "default",
    requests: 1 + (index % 4),
    quota: 1000 + index,
    prompt_tokens: index,
    completion_tokens: 2 * index,
    costed_quota: index % 3 === 0 ? 0 : 900 + index,
    cost: index % 3 === 0 ? 0 : 800 + 3 * index,
  }));
  await database.kysely.insertInto("usage_hours").values(rows).execute();
}

const everybody = (start: number, end: number): Slice => ({ ...hoursOf(start, end), userId: undefined });
const RANGES: readonly Slice[] = [
  everybody(NOW - 30 * DAY, NOW),
  everybody(NOW - 36 * DAY + 1234, NOW - 9 * DAY),
  everybody(NOW - 3 * HOUR, NOW),
  everybody(utcDayOf(NOW) - DAY, utcDayOf(NOW) - 1),
  everybody(NOW, NOW - DAY),
];

describe.each(await engines())("usage on %s", (engine) => {
  it("adds up to the roll-up's own sums for every range and reader, read twice and after a late booking", () =>
    withDatabase(engine, async (database) => {
      await fill(database);
      const slices = RANGES.flatMap((slice) => [slice, { ...slice, userId: 2 }]);
      const check = async () => {
        for (const slice of slices) {
          const usage = await readUsage(database, slice, NOW);
          const sums = await sumsOfSlice(database, slice);
          for (const list of [usage.hours, usage.users, usage.channels]) expect(wholeOf(list)).toEqual(sums);
          expect(await readHours(database, slice)).toEqual(usage.hours);
        }
      };
      await check();
      await check();
      const late = database.kysely.updateTable("usage_hours").set((row) => ({ quota: row("quota", "+", 5) }));
      await late.where("hour", "<", NOW - 5 * DAY).execute();
      await check();
      const costLate = database.kysely.updateTable("usage_hours").set((row) => ({ cost: row("cost", "+", 3) }));
      await costLate.where("hour", "<", NOW - 5 * DAY).execute();
      await check();
    }));

  it("is read ahead after a start: the first look then reads the edges alone, and sees what is there", () =>
    withDatabase(engine, async (database) => {
      await fill(database);
      const slice = everybody(NOW - 30 * DAY, NOW);
      await startWarmUp({ database, clock: () => NOW * 1000, logger }).finished;
      const asked = vi.spyOn(database.kysely, "selectFrom");
      const usage = await readUsage(database, slice, NOW);
      // One that proves the days in memory, and two for each edge.
      expect(asked.mock.calls.length).toBe(5);
      expect(wholeOf(usage.hours)).toEqual(await sumsOfSlice(database, slice));
    }));

  it("is not read ahead where there is none", () =>
    withDatabase(engine, async (database) => {
      const asked = vi.spyOn(database.kysely, "selectFrom");
      await startWarmUp({ database, clock: () => NOW * 1000, logger }).finished;
      expect(asked.mock.calls.length).toBe(1);
    }));

  it("stops reading ahead when the process stops", () =>
    withDatabase(engine, async (database) => {
      await fill(database);
      const asked = vi.spyOn(database.kysely, "selectFrom");
      await startWarmUp({ database, clock: () => NOW * 1000, logger }).stop();
      expect(asked.mock.calls.length).toBeLessThan(4);
    }));
});

it("keeps no more rows than its bound, however many users a day has", () =>
  withDatabase("sqlite", async (database) => {
    const slice = everybody(utcDayOf(NOW) - 2 * DAY, utcDayOf(NOW) - 1);
    await sql`INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, group_name, requests, quota, prompt_tokens,
      completion_tokens) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 130000)
      SELECT ${slice.first} + (i % 2) * ${DAY}, i, 0, 1, 'm', 'default', 1, 1, 1, 1 FROM n`.execute(database.kysely);
    await readUsage(database, slice, NOW);
    const asked = vi.spyOn(database.kysely, "selectFrom");
    expect(wholeOf((await readUsage(database, slice, NOW)).users).requests).toBe(130_000);
    // One that proves the newer day, and two for the older one, which had no room.
    expect(asked.mock.calls.length).toBe(3);
  }));
