/** Retention of the log: old rows go for good once a day, counted exactly, whichever process deletes them; the ledger, the roll-ups and younger rows stay. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SAMPLE_ROWS } from "../../../../tests/engines/columns.ts";
import { createTestPlace, engines } from "../../../../tests/support/databases/databases.ts";
import type { TestPlace } from "../../../../tests/support/databases/databases.ts";
import { upsert } from "../../db/portable.ts";
import { type Database, openDatabase } from "../../db/database.ts";
import { migrate } from "../../db/migrations/migrate.ts";
import { createLogger } from "../../observe/logger.ts";
import { logRetentionJob } from "./retention.ts";

const DAY = 86_400;
/** Noon of a day by UTC. */
const NOON = 20_000 * DAY + DAY / 2;
const MIDNIGHT = 20_000 * DAY;
const OLD = 1_500;
const DAYS = 30;
/** Long enough for every row. */
const WHOLE_MS = 600_000;

describe.each(await engines())("retention of the log on %s", { timeout: 60_000 }, (engine) => {
  let place: TestPlace;
  let database: Database;
  let now: number;
  let days: number;

  const jobOn = (on: Database, roundMs = WHOLE_MS) =>
    logRetentionJob(
      { database: on, clock: () => now * 1000, logger: createLogger({ level: "silent" }) },
      () => days,
      roundMs,
    );
  const times = async (): Promise<number[]> => {
    const rows = await database.kysely.selectFrom("logs").select("created_at").orderBy("created_at").execute();
    return rows.map(({ created_at }) => created_at);
  };
  const entries = async () => {
    const rows = await database.kysely.selectFrom("audit_entries").select(["actor", "event"]).orderBy("id").execute();
    return rows.map(({ actor, event }) => ({ actor, event: JSON.parse(event) as unknown }));
  };
  const expired = (count: number, kept = DAYS) => ({
    actor: "log retention",
    event: { code: "logs_expired", values: { count, days: kept } },
  });
  const addRow = (created_at: number) =>
    database.kysely
      .insertInto("logs")
      .values({ ...SAMPLE_ROWS.logs, created_at })
      .execute();

  beforeAll(async () => {
    place = await createTestPlace(engine);
    database = await openDatabase(place.config);
    await migrate(database);
  });
  afterAll(async () => {
    await database.close();
    await place.remove();
  });
  beforeEach(async () => {
    [now, days] = [NOON, DAYS];
    const { kysely } = database;
    for (const table of ["logs", "leases", "audit_entries", "usage_hours", "call_hours"] as const)
      await kysely.deleteFrom(table).execute();
    await kysely.deleteFrom("facts").where("name", "in", ["log_retention_pass", "call_hours_fill"]).execute();
    const old = Array.from({ length: 500 }, () => ({
      ...SAMPLE_ROWS.logs,
      created_at: MIDNIGHT - DAYS * DAY - 1,
    }));
    for (let count = 0; count < OLD; count += old.length) await kysely.insertInto("logs").values(old).execute();
    await addRow(MIDNIGHT - DAYS * DAY);
    await addRow(NOON);
  });
  const KEPT = [MIDNIGHT - DAYS * DAY, NOON];

  test("deletes what is older than whole days, once, with one entry in the audit trail, and nothing else", async () => {
    const { kysely } = database;
    await kysely.insertInto("usage_hours").values(SAMPLE_ROWS.usage_hours).execute();
    await kysely.insertInto("call_hours").values(SAMPLE_ROWS.call_hours).execute();
    const ledger = await kysely.selectFrom("ledger").selectAll().execute();
    const job = jobOn(database);
    expect(await job.hasWork()).toBe(true);
    await job.run();
    expect(await times()).toEqual(KEPT);
    expect(await entries()).toEqual([expired(OLD)]);
    expect(await job.hasWork()).toBe(false);
    expect(await kysely.selectFrom("usage_hours").select("hour").execute()).toHaveLength(1);
    expect(await kysely.selectFrom("call_hours").select("hour").execute()).toHaveLength(1);
    expect(await kysely.selectFrom("ledger").selectAll().execute()).toEqual(ledger);
    now += DAY;
    expect(await job.hasWork()).toBe(true);
    await job.run();
    expect(await times()).toEqual([NOON]);
    expect((await entries()).at(-1)).toEqual(expired(1));
  });

  test("keeps every row while it is off, and on a day without old rows writes no entry", async () => {
    days = 0;
    const job = jobOn(database);
    expect(await job.hasWork()).toBe(false);
    await job.run();
    expect(await times()).toHaveLength(OLD + 2);
    days = 3_650;
    await job.run();
    expect(await times()).toHaveLength(OLD + 2);
    expect(await entries()).toEqual([]);
  });

  test("ends a round when its time is over or its process stops, and the next one counts on", async () => {
    const short = jobOn(database, 0);
    await short.run();
    const left = (await times()).length;
    expect(left).toBeGreaterThan(KEPT.length);
    expect(left).toBeLessThan(OLD + 2);
    expect(await entries()).toEqual([]);
    await jobOn(database).run(AbortSignal.abort());
    expect((await times()).length).toBeGreaterThan(KEPT.length);
    expect(await short.hasWork()).toBe(true);
    await jobOn(database).run();
    expect(await entries()).toEqual([expired(OLD)]);
  });

  test("is counted once by several processes that delete at once", async () => {
    const others =
      engine === "sqlite" ? [database] : [await openDatabase(place.config), await openDatabase(place.config)];
    await Promise.all([database, ...others].map((each) => jobOn(each).run()));
    await jobOn(database).run();
    if (engine !== "sqlite") await Promise.all(others.map((each) => each.close()));
    expect(await times()).toEqual(KEPT);
    expect(await entries()).toEqual([expired(OLD)]);
  });

  test("records what it deleted where the days change or it is switched off in the middle", async () => {
    await jobOn(database, 0).run();
    const first = OLD + 2 - (await times()).length;
    days = 0;
    expect(await jobOn(database).hasWork()).toBe(true);
    await jobOn(database).run();
    expect(await entries()).toEqual([expired(first)]);
    days = 10;
    await jobOn(database, 0).run();
    const second = OLD + 2 - first - (await times()).length;
    days = 20;
    await jobOn(database).run();
    expect((await entries()).slice(1)).toEqual([expired(second, 10), expired(OLD + 1 - first - second, 20)]);
  });

  test("waits while an administrator's deletion is under way, and for the count of an older version's calls", async () => {
    const job = jobOn(database);
    const lease = { holder: "a process", expires_time: NOON + 60 };
    await upsert(database, database.kysely, "leases", { name: "log_clear", ...lease }, ["name"], lease);
    expect(await job.hasWork()).toBe(false);
    now += 60;
    expect(await job.hasWork()).toBe(true);
    await database.kysely.insertInto("facts").values({ name: "call_hours_fill", value: "7" }).execute();
    expect(await job.hasWork()).toBe(false);
  });
});
