/** Tests of background deletions that outlive their process: after a stop or a kill another process ends them, once, but never one stopped by hand. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SAMPLE_ROWS } from "../../../../tests/engines/columns.ts";
import { createTestPlace, engines } from "../../../../tests/support/databases/databases.ts";
import type { TestPlace } from "../../../../tests/support/databases/databases.ts";
import { readLease } from "../../db/leases.ts";
import { upsert } from "../../db/portable.ts";
import { openDatabase } from "../../db/database.ts";
import type { Database } from "../../db/database.ts";
import { migrate } from "../../db/migrations/migrate.ts";
import { createLogger } from "../../observe/logger.ts";
import { clearResumeJob, pauseClears, readClearProgress, resumeClear, startClear, stopClear } from "./clear.ts";

const NOW = 1_800_000_000;
const OLD = 3_000;
const BATCH = 500;

describe.each(await engines())("a deletion on %s", { timeout: 60_000 }, (engine) => {
  let place: TestPlace;
  let first: Database;
  /** Of the process that resumes; SQLite has one process, so there it is the same file opened again. */
  let second: Database;
  let nowMs = NOW * 1000;

  const contextOf = (database: Database) => ({
    database,
    clock: () => nowMs,
    logger: createLogger({ level: "silent" }),
  });
  const open = () => openDatabase(place.config);

  beforeAll(async () => {
    place = await createTestPlace(engine);
    first = await open();
    await migrate(first);
  });
  afterAll(async () => {
    await first.close();
    await place.remove();
  });

  beforeEach(async () => {
    nowMs = NOW * 1000;
    const { kysely } = first;
    await kysely.deleteFrom("logs").execute();
    await kysely.deleteFrom("leases").execute();
    await kysely.deleteFrom("facts").where("name", "=", "log_clear_progress").execute();
    const row = { ...SAMPLE_ROWS.logs, created_at: NOW - 9_000 };
    for (let start = 0; start < OLD; start += BATCH) {
      const rows = Array.from({ length: BATCH }, (_, index) => ({ ...row, request_id: `r-${start + index}` }));
      await kysely.insertInto("logs").values(rows).execute();
    }
    await kysely
      .insertInto("logs")
      .values({ ...row, created_at: NOW })
      .execute();
    second = engine === "sqlite" ? first : await open();
  });
  afterEach(async () => {
    if (second !== first) await second.close();
  });

  const rowsLeft = async (): Promise<number> => (await first.kysely.selectFrom("logs").select("id").execute()).length;

  /** A run of which its process said `done` rows and then no more. */
  const leaveBehind = async (done: number, leaseSeconds: number, holder = "a process that died"): Promise<void> => {
    const { kysely } = first;
    const progress = {
      running: true,
      target_timestamp: NOW - 100,
      done,
      total: OLD + done,
      stopped: false,
      failed: false,
      started_by: "root",
      started_time: NOW - 60,
      finished_time: 0,
    };
    const value = JSON.stringify(progress);
    const lease = { holder, expires_time: NOW + leaseSeconds };
    await upsert(first, kysely, "facts", { name: "log_clear_progress", value }, ["name"], { value });
    await upsert(first, kysely, "leases", { name: "log_clear", ...lease }, ["name"], lease);
  };

  test("whose process died is ended by another one when the lease has run out, and its rows are counted on", async () => {
    await leaveBehind(700, 30);
    const other = contextOf(second);
    expect(await resumeClear(other)).toBeUndefined();
    expect(await readClearProgress(other)).toMatchObject({ running: true, done: 700 });
    nowMs += 31_000;
    await (
      await resumeClear(other)
    )?.finished;
    expect(await rowsLeft()).toBe(1);
    expect(await readClearProgress(other)).toEqual({
      running: false,
      target_timestamp: NOW - 100,
      done: 700 + OLD,
      total: expect.any(Number),
      stopped: false,
      failed: false,
      started_by: "root",
      started_time: NOW - 60,
      finished_time: NOW + 31,
    });
    expect(await resumeClear(other)).toBeUndefined();
  });

  test("is taken up by one of many processes that look at once", async () => {
    await leaveBehind(0, -1);
    const seen = await Promise.all(Array.from({ length: 6 }, () => resumeClear(contextOf(second))));
    const taken = seen.filter((run) => run !== undefined);
    expect(taken).toHaveLength(1);
    await taken[0]?.finished;
    expect(await readClearProgress(contextOf(second))).toMatchObject({ running: false, done: OLD });
  });

  /** A process that learns what the database answers only once `goOn` was called. */
  const heldUp = () => {
    const gate = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const kysely = second.kysely.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        asked.resolve();
        await gate.promise;
        return result;
      },
    });
    const context = contextOf({ ...second, kysely });
    return { context, asked: asked.promise, goOn: () => gate.resolve() };
  };

  test("that another process took up and ended is not taken up by one that looked before", async () => {
    await leaveBehind(0, -1);
    const late = heldUp();
    const looked = resumeClear(late.context);
    await late.asked;
    await (
      await resumeClear(contextOf(first))
    )?.finished;
    const ended = await readClearProgress(contextOf(first));
    nowMs += 5_000;
    late.goOn();
    expect(await looked).toBeUndefined();
    expect(await readClearProgress(contextOf(first))).toEqual(ended);
    // Its lease is free for the next one.
    await (
      await startClear(contextOf(first), NOW - 100, "root")
    ).finished;
  });

  test("whose process was held up for longer than its lease leaves what was told since as it is", async () => {
    await leaveBehind(0, -1);
    const held = (await resumeClear(contextOf(second)))?.finished;
    await leaveBehind(2_000, 30, "the process that has it now");
    await held;
    expect(await readClearProgress(contextOf(first))).toMatchObject({ running: true, done: 2_000 });
    expect(await readLease(first, "log_clear")).toEqual({
      holder: "the process that has it now",
      expiresTime: NOW + 30,
    });
  });

  test("that somebody stopped stays stopped, with its process alive or not", async () => {
    await leaveBehind(300, -1);
    const context = contextOf(second);
    expect(await stopClear(context)).toMatchObject({ running: false, stopped: true, done: 300, finished_time: NOW });
    expect(await resumeClear(context)).toBeUndefined();
    await leaveBehind(300, 30);
    expect(await stopClear(context)).toMatchObject({ running: false, stopped: true, done: 300 });
    nowMs += 90_000;
    expect(await resumeClear(context)).toBeUndefined();
    expect(await rowsLeft()).toBe(OLD + 1);
  });

  test("that has ended is not begun again", async () => {
    await (
      await startClear(contextOf(second), NOW - 100, "root")
    ).finished;
    nowMs += 90_000;
    await clearResumeJob(contextOf(second)).run();
    expect(await readClearProgress(contextOf(second))).toMatchObject({ running: false, done: OLD, stopped: false });
  });

  test("of a process that stops ends after its chunk, and the next process goes on at once", async () => {
    const stopping = engine === "sqlite" ? first : await open();
    const { finished } = await startClear(contextOf(stopping), NOW - 100, "root");
    await pauseClears(stopping);
    await finished;
    const left = await rowsLeft();
    expect(left).toBeGreaterThan(1);
    expect(await readClearProgress(contextOf(second))).toMatchObject({
      running: true,
      done: OLD + 1 - left,
      stopped: false,
      finished_time: 0,
    });
    await stopping.close();
    if (engine === "sqlite") first = second = await open();
    await (
      await resumeClear(contextOf(second))
    )?.finished;
    expect(await rowsLeft()).toBe(1);
    expect(await readClearProgress(contextOf(second))).toMatchObject({ running: false, done: OLD, failed: false });
  });
});
