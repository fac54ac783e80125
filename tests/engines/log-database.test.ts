/** Tests of a log database of its own: its table has the form of the main one's, rows arrive once however often they are delivered, and lists, sums, retention and audit read them there. */
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { auditDatabase } from "../../server/src/billing/audit.ts";
import { LOG_COLUMNS } from "../../server/src/billing/engines/cells.ts";
import { ALL } from "../../server/src/console/logs/filter.ts";
import { logRetentionJob } from "../../server/src/console/logs/retention.ts";
import { countLogs, findByRequest, findLogs } from "../../server/src/console/logs/store.ts";
import { clearLogs } from "../../server/src/console/logs/clear.ts";
import { type Database, type Engine, type LogEngine, openDatabase } from "../../server/src/db/database.ts";
import { LOG_COLUMN_TYPES } from "../../server/src/db/engines/clickhouse/log-table.ts";
import { withLogDatabase, withLogsOf } from "../../server/src/db/log-database.ts";
import { migrate } from "../../server/src/db/migrations/migrate.ts";
import { logDeliveryJob } from "../../server/src/jobs/log-delivery.ts";
import { createLogger } from "../../server/src/observe/logger.ts";
import { createTestPlace, engines, type TestPlace } from "../support/databases/databases.ts";
import { createLogPlace, type LogPlace } from "../support/databases/log-places.ts";
import { shapeOf } from "../support/databases/schema-shape.ts";
import { SAMPLE_ROWS } from "./columns.ts";

const DAY = 86_400;
const NOON = 20_000 * DAY + DAY / 2;
const ROWS = 1_200;

const logger = createLogger({ level: "silent" });
const here = await engines();
const PAIRS = (
  [
    ["sqlite", "postgres"],
    ["sqlite", "mysql"],
    ["postgres", "mysql"],
    ["mysql", "postgres"],
    ["sqlite", "clickhouse"],
    ["postgres", "clickhouse"],
  ] as const
).filter((pair) => pair.every((engine) => engine === "clickhouse" || here.includes(engine)));

type OtherEngine = Exclude<LogEngine, "sqlite">;

const rowAt = (created_at: number, index: number) => ({
  ...SAMPLE_ROWS.logs,
  created_at,
  request_id: `call-${index}`,
  user_id: index % 3,
  type: 2,
});

interface Pair {
  place: TestPlace;
  logPlace: LogPlace;
  main: Database;
  /** The main one with its log in the other. */
  database: Database;
  close(): Promise<void>;
}

type Row = ReturnType<typeof rowAt>;

async function addRows({ kysely }: Database, rows: readonly Row[]): Promise<void> {
  for (let from = 0; from < rows.length; from += 200)
    await kysely
      .insertInto("logs")
      .values(rows.slice(from, from + 200))
      .execute();
}

const atLogPlace = (place: TestPlace, logPlace: LogPlace): TestPlace["config"] => ({
  ...place.config,
  logDatabaseUrl: logPlace.url,
});

/** Two databases; `rows` were in the main one before it had another for its log. */
async function openPair(engine: Engine, other: OtherEngine, rows: readonly Row[]): Promise<Pair> {
  const place = await createTestPlace(engine);
  const logPlace = await createLogPlace(other);
  const main = await openDatabase(place.config);
  await migrate(main);
  await addRows(main, rows);
  const database = await withLogDatabase(atLogPlace(place, logPlace), main, { logger });
  const close = async () => {
    await database.close();
    await place.remove();
    await logPlace.remove();
  };
  return { place, logPlace, main, database, close };
}

/** Rows of forty days, the last one as old as a moment before noon. */
const rowsOfDays = (): Row[] =>
  Array.from({ length: ROWS }, (_, index) => rowAt(NOON - 40 * DAY + Math.floor((index * 40 * DAY) / ROWS), index));

const deliverTo = (database: Database) => logDeliveryJob(database, () => 0).run();
const leftIn = async (main: Database) => (await main.kysely.selectFrom("logs").select("id").execute()).length;

describe.each(PAIRS)("the log of %s on %s", { timeout: 60_000 }, (engine: Engine, other: OtherEngine) => {
  let pair: Pair;
  let main: Database;
  let database: Database;

  const deliver = () => deliverTo(database);
  const left = () => leftIn(main);
  const add = (rows: readonly Row[]) => addRows(main, rows);

  beforeAll(async () => {
    pair = await openPair(engine, other, []);
    ({ main, database } = pair);
  });
  beforeEach(async () => {
    const { clickhouse, kysely } = database.logs;
    await (clickhouse?.deleteBefore(NOON + 100 * DAY) ?? kysely.deleteFrom("logs").execute());
    for (const table of ["logs", "ledger"] as const) await main.kysely.deleteFrom(table).execute();
  });
  afterAll(() => pair.close());

  test("its table is the main one's, and no other of the main tables is there", async () => {
    if (database.logs.clickhouse !== undefined) {
      expect(await database.logs.clickhouse.missingColumns()).toEqual([]);
      expect(Object.keys(LOG_COLUMN_TYPES).toSorted()).toEqual(["id", ...LOG_COLUMNS].toSorted());
      return;
    }
    const shape = await shapeOf({ ...main, ...database.logs } as Database);
    expect(Object.keys(shape).toSorted()).toEqual(["facts", "logs"]);
    const { columns } = (await shapeOf(main))["logs"] ?? { columns: {} };
    if (engine !== "sqlite")
      expect(Object.keys(shape["logs"]?.columns ?? {}).toSorted()).toEqual(Object.keys(columns).toSorted());
  });

  test("all rows of before come over, and a batch that is delivered twice comes once", async () => {
    const own = await openPair(engine, other, rowsOfDays());
    const counts = async () => [await leftIn(own.main), await countLogs(own.database, ALL)];
    const [first] = await own.main.kysely.selectFrom("logs").selectAll().orderBy("id").limit(1).execute();
    const { id, request_id, created_at } = first ?? { id: 0, request_id: "", created_at: 0 };
    await deliverTo(own.database);
    expect(await counts()).toEqual([0, ROWS]);
    // As after a kill between the insert there and the deletion here.
    await own.main.kysely
      .insertInto("logs")
      .values({ ...rowAt(created_at, 0), id, request_id })
      .execute();
    await deliverTo(own.database);
    expect(await counts()).toEqual([0, ROWS]);
    await own.close();
  });

  test("an id that comes again after a restore of the main database is a row of its own", async () => {
    await add([rowAt(NOON - DAY, 0)]);
    await deliver();
    const [known] = await database.logs.kysely.selectFrom("logs").selectAll().execute();
    await main.kysely
      .insertInto("logs")
      .values({ ...rowAt(NOON, ROWS), id: known?.id ?? 1 })
      .execute();
    await deliver();
    expect(await countLogs(database, ALL)).toBe(2);
    expect((await findByRequest(database, ROWS % 3, `call-${ROWS}`))?.created_at).toBe(NOON);
    expect(await findLogs(database, ALL, 0, 2)).toHaveLength(2);
  });

  test("rows with long texts go in pieces that a server takes", async () => {
    const long = { ...rowAt(NOON - 41 * DAY, 0), other: JSON.stringify({ text: "\u{1F600}".repeat(250_000) }) };
    await add([long, long, long, long, long, long, long, long]);
    await deliver();
    expect([await left(), await countLogs(database, ALL)]).toEqual([0, 8]);
  });

  test("a delivery of as many rows as one batch has ends with it", async () => {
    await add(Array.from({ length: 500 }, (_, index) => rowAt(NOON - 5, index)));
    await deliver();
    expect([await left(), await countLogs(database, ALL)]).toEqual([0, 500]);
  });

  test("two deliveries at once deliver each row once", async () => {
    await add(rowsOfDays());
    await deliver();
    await add(Array.from({ length: 600 }, (_, index) => rowAt(NOON - 5, ROWS + index)));
    await Promise.all([deliver(), deliver()]);
    expect([await left(), await countLogs(database, ALL)]).toEqual([0, ROWS + 600]);
    expect(await clearLogs({ database, clock: () => (NOON + 1) * 1000, logger }, NOON - 5)).toBe(ROWS);
    expect(await countLogs(database, ALL)).toBe(600);
  });

  test("retention deletes there and what still waits here", async () => {
    // Far enough for its whole partition to be past, where the engine has them; another one stays.
    await add([rowAt(NOON - 100 * DAY, 1), rowAt(NOON - 5, 3)]);
    await deliver();
    await add([rowAt(NOON - 60 * DAY, 2)]);
    const context = { database, clock: () => NOON * 1000, logger };
    await logRetentionJob(context, () => 30).run();
    expect([await left(), await countLogs(database, ALL)]).toEqual([0, 1]);
  });

  test("the audit compares delivered rows with the ledger", async () => {
    await main.kysely
      .insertInto("ledger")
      .values({
        ...SAMPLE_ROWS.ledger,
        entry_id: "call-audited",
        kind: "charge",
        used_delta: 7,
        prompt_tokens: 1,
        completion_tokens: 1,
      })
      .execute();
    await add([{ ...rowAt(NOON, 0), request_id: "call-audited", quota: 8, prompt_tokens: 1, completion_tokens: 1 }]);
    await deliver();
    const { faults } = await auditDatabase(database);
    expect(faults.filter(({ table }) => table === "logs")).toMatchObject([{ column: "quota", expected: 7, actual: 8 }]);
  });

  test("a log database of another installation is refused", async () => {
    const otherMain = await createTestPlace(engine);
    const opened = await openDatabase(otherMain.config);
    await migrate(opened);
    const joined = withLogsOf(atLogPlace(otherMain, pair.logPlace), opened, () => Promise.resolve());
    await expect(joined).rejects.toThrow("another installation");
    await opened.close();
    await otherMain.remove();
  });

  test("while it is away everything starts, its rows wait, and a question says which database is away", async () => {
    const away = { ...pair.place.config, logDatabaseUrl: pair.logPlace.url.replace(/:\d+\//, ":1/") };
    const joined = await withLogDatabase(away, { ...main, close: async () => undefined }, { logger, retryMs: 20 });
    await delay(60);
    expect(() => joined.logs).toThrow(expect.objectContaining({ code: "log_database_unavailable" }) as Error);
    await joined.close();
  });
});
