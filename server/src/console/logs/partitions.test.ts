/** Tests of partitions of the log on PostgreSQL: earlier rows are moved while queries see each once, across kill -9, and old partitions are dropped whole. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SAMPLE_ROWS } from "../../../../tests/engines/columns.ts";
import { createTestPlace, enginesHere, type TestPlace } from "../../../../tests/support/databases/databases.ts";
import { plansOf } from "../../../../tests/support/databases/plans.ts";
import { openSnapshot } from "../../archive/snapshot.ts";
import { type Database, openDatabase } from "../../db/database.ts";
import { ensureLogPartitions, hasUnmovedRows, logPartitions, partitionDays } from "../../db/log-partitions.ts";
import { integer } from "../../db/migrations/columns.ts";
import { migrate, MIGRATIONS } from "../../db/migrations/migrate.ts";
import { addColumn, createIndex, dropIndex } from "../../db/migrations/steps.ts";
import { createLogger } from "../../observe/logger.ts";
import { ALL } from "./filter.ts";
import { logPartitionJob } from "./partition-job.ts";
import { logRetentionJob } from "./retention.ts";
import { countLogs, findLogs } from "./store.ts";

const DAY = 86_400;
const NOON = 20_000 * DAY + DAY / 2;
const SPAN = 90 * DAY;
const ROWS = 30_000;
const BATCH = 1_000;

const logger = createLogger({ level: "silent" });
const here = (path: string): string => new URL(path, import.meta.url).href;

/** A process that moves rows until it is killed. */
const MOVER = `
  const { openDatabase } = await import("${here("../../db/database.ts")}");
  const { readConfig } = await import("${here("../../config.ts")}");
  const { moveLogRows } = await import("${here("../../db/log-partitions.ts")}");
  const database = await openDatabase(readConfig(process.env));
  for (let after = 0; ; ) after = (await moveLogRows(database, { after, size: 200 }, 7)).last;`;

const isHere = (await enginesHere()).includes("postgres");

test.each([
  [0, 30],
  [1, 1],
  [31, 1],
  [32, 7],
  [366, 7],
  [367, 30],
])("a log of %d days has partitions of %d days", (kept, days) => expect(partitionDays(kept)).toBe(days));

describe.runIf(isHere)("partitions of the log", { timeout: 120_000 }, () => {
  let place: TestPlace;
  let database: Database;
  let now = NOON;
  let kept = 100;

  const context = () => ({ database, clock: () => now * 1000, logger });
  const facts = async () => {
    const { rows } = await sql<{ count: number; quota: number; ids: number; times: number }>`SELECT count(*) AS count,
      sum(quota) AS quota, sum(id) AS ids, sum(created_at) AS times FROM logs`.execute(database.kysely);
    return rows[0];
  };
  const unmoved = async () => {
    const { rows } = await sql<{ total: number }>`SELECT count(*) AS total FROM logs_before`.execute(database.kysely);
    return Number(rows[0]?.total);
  };
  const addRows = async (times: readonly number[]) =>
    database.kysely
      .insertInto("logs")
      .values(
        times.map((created_at, index) => ({ ...SAMPLE_ROWS.logs, created_at, quota: index, user_id: index % 50 })),
      )
      .execute();

  beforeAll(async () => {
    place = await createTestPlace("postgres", { isEmpty: true });
    database = await openDatabase(place.config);
    await migrate(database, { migrations: MIGRATIONS.filter(({ id }) => id < 50) });
    for (let first = 0; first < ROWS; first += BATCH)
      await addRows(
        Array.from({ length: BATCH }, (_, index) => NOON - SPAN + Math.floor(((first + index) * SPAN) / ROWS)),
      );
    await migrate(database);
  });
  afterAll(async () => {
    await database.close();
    await place.remove();
  });

  test("the move goes on after kill -9, and counts and sums are those of before at every moment", async () => {
    const before = await facts();
    expect([Number(before?.count), await hasUnmovedRows(database)]).toEqual([ROWS, true]);
    const env = { ...process.env, DATABASE_URL: place.config.databaseUrl ?? "", DATA_DIR: place.config.dataDir };
    const mover = spawn(process.execPath, ["--input-type=module", "-e", MOVER], { env, stdio: "ignore" });
    while ((await unmoved()) > ROWS - 2_000) {
      await delay(20);
      expect(mover.exitCode).toBeNull();
    }
    const ended = once(mover, "exit");
    mover.kill("SIGKILL");
    await ended;
    const left = await unmoved();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(ROWS);
    expect(await facts()).toEqual(before);

    // New rows and questions come between; a page and a total are as ever.
    await addRows([NOON]);
    const grown = await facts();
    expect((await findLogs(database, ALL, 0, 1))[0]?.created_at).toBe(NOON);
    expect(await countLogs(database, { ...ALL, userId: 7 })).toBe(ROWS / 50);
    let isMoving = true;
    const job = logPartitionJob(context(), () => kept, 60_000);
    const moving = job.run().finally(() => (isMoving = false));
    while (isMoving) expect(await facts()).toEqual(grown);
    await moving;
    expect(await facts()).toEqual(grown);
    expect(await hasUnmovedRows(database)).toBe(false);
    await job.run();
    expect(await facts()).toEqual(grown);
  });

  test("ids go on behind the largest, and the new row is in the partition of its day", async () => {
    const { rows } = await sql<{ id: number; place: string }>`INSERT INTO logs (created_at, type, content, other)
      VALUES (${NOON}, 2, '', '{}') RETURNING id, tableoid::regclass::text AS place`.execute(database.kysely);
    const [newest] = await findLogs(database, ALL, 0, 1);
    expect(newest?.id).toBe(rows[0]?.id);
    const partition = (await logPartitions(database)).find(({ from, to }) => from <= NOON && NOON < to);
    expect(rows[0]?.place).toBe(partition?.name);
    await database.kysely.deleteFrom("logs").where("id", "=", Number(rows[0]?.id)).execute();
  });

  test("a page of a user reads the newest partitions alone, along their index", async () => {
    await sql`VACUUM ANALYZE logs`.execute(database.kysely);
    const lines = await plansOf(database, () => findLogs(database, { ...ALL, userId: 7 }, 0, 20));
    // Its places along the user's index, in each partition; the rows themselves in no partition but theirs, which here is a small one.
    const along = lines.filter((line) => /Index Only Scan Backward using logs_\d+_user_id/.test(line));
    expect(along.length).toBeGreaterThanOrEqual(10);
    expect(lines.filter((line) => line.includes("Seq Scan on logs_2")).length).toBeLessThanOrEqual(1);
  });

  test("a later migration adds a column and an index to all partitions while they are written", async () => {
    const last = MIGRATIONS.at(-1)?.id ?? 0;
    const steps = [addColumn("logs", "region", integer(0)), createIndex("logs", ["region", "created_at"])];
    await migrate(database, { migrations: [...MIGRATIONS, { id: last + 1, name: "more", steps }] });
    const { rows } = await sql<{
      total: number;
    }>`SELECT count(*) AS total FROM pg_index i JOIN pg_inherits h ON h.inhparent = i.indexrelid
      WHERE i.indexrelid = 'logs_region_created_at_index'::regclass AND i.indisvalid`.execute(database.kysely);
    expect(Number(rows[0]?.total)).toBe((await logPartitions(database)).length + 1);
    await steps[1]?.run(await sessionOf(database), "postgres");
    await dropIndex("logs", ["region", "created_at"]).run(await sessionOf(database), "postgres");
  });

  test("retention drops whole partitions and counts their rows; the rest of the one that is cut stays", async () => {
    now = NOON;
    kept = 30;
    const cutoff = (Math.floor(NOON / DAY) - kept) * DAY;
    const cut = (await logPartitions(database)).find(({ from, to }) => from < cutoff && cutoff < to);
    const edge = cut?.from ?? cutoff;
    const old = await countLogs(database, { ...ALL, end: edge - 1 }, ROWS);
    expect(old).toBeGreaterThan(ROWS / 2);
    const total = Number((await facts())?.count);
    await logRetentionJob(context(), () => kept).run();
    expect((await logPartitions(database)).every(({ to }) => to > cutoff)).toBe(true);
    expect(Number((await facts())?.count)).toBe(total - old);
    const entry = await database.kysely.selectFrom("audit_entries").select("event").executeTakeFirstOrThrow();
    expect(JSON.parse(entry.event)).toMatchObject({ code: "logs_expired", values: { count: old, days: kept } });
  });

  test("rows that a clock put into the default partition go into theirs with it", async () => {
    const far = NOON + 400 * DAY;
    await addRows([far]);
    const before = await facts();
    await ensureLogPartitions(database, [far, far + 8 * DAY], 1);
    expect(await facts()).toEqual(before);
    const { rows } = await sql<{ place: string }>`SELECT tableoid::regclass::text AS place FROM logs
      WHERE created_at = ${far}`.execute(database.kysely);
    const own = (await logPartitions(database)).find(({ from: first, to }) => first <= far && far < to);
    expect(rows.map((row) => row.place)).toEqual([own?.name]);
    expect(own?.to).toBe((own?.from ?? 0) + DAY);
  });

  test("a backup has each row once, and no partition of its own", async () => {
    const snapshot = await openSnapshot(place.config);
    try {
      expect(snapshot.tables.map(({ name }) => name).filter((name) => name.startsWith("logs"))).toEqual(["logs"]);
      let rows = 0;
      for await (const page of snapshot.rows()) if (page.table.name === "logs") rows += page.rows.length;
      expect(rows).toBe(Number((await facts())?.count));
    } finally {
      await snapshot.close();
    }
  });
});

const sessionOf = async (database: Database) => ({
  run: async (text: string) => void (await sql.raw(text).execute(database.kysely)),
  all: async (text: string) => (await sql.raw<Record<string, unknown>>(text).execute(database.kysely)).rows,
});
