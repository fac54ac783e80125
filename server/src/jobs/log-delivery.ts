/** Delivers the rows of the log to the database of LOG_DATABASE_URL: until then they stay in the main one, where they are written with their charge. */
import { LOG_COLUMNS } from "../billing/engines/cells.ts";
import type { Database, LogDatabase } from "../db/database.ts";
import { keyValueStore } from "../db/key-value-store.ts";
import { ensureLogPartitions, partitionDays } from "../db/log-partitions.ts";
import { affectedRows } from "../db/portable.ts";
import type { Job } from "./scheduler.ts";

const EVERY_SECONDS = 1;
/** Rows of one statement; MySQL and PostgreSQL take 65,535 parameters. */
const BATCH = 500;
/**
 * Batches that go to ClickHouse as one, with so many characters that the last one is not read whole: each insert makes parts, and it refuses
 * more than 300 parts that are not merged yet (`parts_to_throw_insert`, 3,000 since version 23).
 */
const MOST_BATCHES = 20;
const MOST_CHARACTERS = 2_000_000;
/** Counts calls of an older version's log along the main database's rows (call-hours-fill.ts), which have to stay until then. */
const FILL_FACT = "call_hours_fill";

const COLUMNS = ["id", ...LOG_COLUMNS] as const;

/** @param after the row that they come behind, in the order of delivery */
function oldest({ kysely }: Database, most: number, after?: { created_at: number; id: number }) {
  const rows = kysely.selectFrom("logs").select(COLUMNS).orderBy("created_at").orderBy("id").limit(most);
  if (after === undefined) return rows.execute();
  const { created_at: time, id } = after;
  return rows
    .where("created_at", ">=", time)
    .where((row) => row.or([row("created_at", ">", time), row("id", ">", id)]))
    .execute();
}

type WaitingRow = Awaited<ReturnType<typeof oldest>>[number];

const charactersOf = (rows: readonly WaitingRow[]): number =>
  rows.reduce((sum, { content, other }) => sum + content.length + other.length, 0);

/** The oldest rows, in the batches in which they are deleted here afterwards: one, or as many as ClickHouse takes at once. */
async function oldestBatches(database: Database): Promise<WaitingRow[][]> {
  const most = database.logs.engine === "clickhouse" ? MOST_BATCHES : 1;
  const batches: WaitingRow[][] = [];
  let characters = 0;
  for (let last: WaitingRow | undefined; batches.length < most && characters < MOST_CHARACTERS;) {
    const rows = await oldest(database, BATCH, last);
    if (rows.length > 0) batches.push(rows);
    if (rows.length < BATCH) break;
    characters += charactersOf(rows);
    last = rows.at(-1);
  }
  return batches;
}

/** Pieces of a batch whose texts go into one statement: MySQL takes 16 MB by default, of characters that may have four bytes. */
function* piecesOf(rows: readonly WaitingRow[]): Generator<WaitingRow[]> {
  let [piece, characters]: [WaitingRow[], number] = [[], 0];
  for (const row of rows) {
    const own = charactersOf([row]);
    if (piece.length > 0 && characters + own > MOST_CHARACTERS) {
      yield piece;
      [piece, characters] = [[], 0];
    }
    piece.push(row);
    characters += own;
  }
  yield piece;
}

/** A row that is there already is left as it is: of a delivery whose process was killed some rows come again. */
async function insertRows(logs: LogDatabase, rows: readonly WaitingRow[]): Promise<void> {
  if (logs.clickhouse !== undefined) return logs.clickhouse.insert(rows);
  for (const piece of piecesOf(rows)) {
    const insert = logs.kysely.insertInto("logs").values(piece);
    if (logs.engine === "mysql") await insert.onDuplicateKeyUpdate((row) => ({ id: row.ref("logs.id") })).execute();
    else await insert.onConflict((conflict) => conflict.doNothing()).execute();
  }
}

/** @returns how many */
async function deleteBatch({ kysely }: Database, rows: readonly WaitingRow[]): Promise<number> {
  const times = rows.map((row) => row.created_at);
  const delivered = kysely.deleteFrom("logs").where(
    "id",
    "in",
    rows.map(({ id }) => id),
  );
  const between = delivered.where("created_at", ">=", Math.min(...times)).where("created_at", "<=", Math.max(...times));
  return affectedRows(await between.executeTakeFirstOrThrow());
}

/** Delivers the oldest rows, and only then deletes them here. @returns how many */
async function deliverOldest(database: Database, keptDays: number): Promise<number> {
  const { logs } = database;
  const batches = await oldestBatches(database);
  const rows = batches.flat();
  if (rows.length === 0) return 0;
  const times = rows.map((row) => row.created_at);
  await ensureLogPartitions(logs, times, partitionDays(keptDays));
  await insertRows(logs, rows);
  let deleted = 0;
  for (const batch of batches) deleted += await deleteBatch(database, batch);
  return deleted;
}

/** The job, in the process that has its lease; it lasts until no row waits. @param keptDays LogRetentionDays as it is now */
export const logDeliveryJob = (database: Database, keptDays: () => number): Job => ({
  name: "log_delivery",
  everySeconds: EVERY_SECONDS,
  async hasWork() {
    if ((await oldest(database, 1)).length === 0) return false;
    return Number((await keyValueStore(database).read(FILL_FACT)) ?? 0) === 0;
  },
  async run(signal) {
    while (signal?.aborted !== true && (await deliverOldest(database, keptDays())) > 0);
  },
});
