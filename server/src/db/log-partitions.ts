/** Partitions of the log: on PostgreSQL created ahead of time, filled with earlier rows, dropped whole; on ClickHouse weeks that are only dropped; none on other engines. */
import { setTimeout as delay } from "node:timers/promises";
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from "kysely";
import type { Database, LogDatabase } from "./database.ts";
import { onEmptyLog } from "./log-partition-ddl.ts";
import type { ClickhouseLog } from "./engines/clickhouse/log-table.ts";
import type { Queries } from "./portable.ts";
import type { Schema } from "./schema.ts";

const DAY_SECONDS = 86_400;
/** Days that rows are kept, and days of a partition then: a row outlives its retention by at most the length of its partition. */
const LENGTHS = [
  { keptUpTo: 31, days: 1 },
  { keptUpTo: 366, days: 7 },
] as const;
const LONGEST_DAYS = 30;
/** Questions without a range of time look into each partition, and PostgreSQL plans for each: 54 of them took it 10 ms. */
const MOST_PARTITIONS = 200;
/** Rows of a new partition's range that the default partition may give up while all questions wait. */
const MOST_REST_ROWS = 20_000;
/** A change of the tree waits no longer for running queries: later queries wait as long. */
const LOCK_WAIT = "1s";
const LOCK_ATTEMPTS = 10;

/** PostgreSQL appendix A: lock_not_available, duplicate_table, invalid_object_definition (ranges that overlap). */
const LOCK_NOT_AVAILABLE = "55P03";
const MADE_BY_ANOTHER: ReadonlySet<string> = new Set(["42P07", "42P17"]);

/** SQLite takes expressions up to a depth of 1,000, and a chain is as deep as it is long. */
const CHAINED = 200;

/** True for the rows with these times and ids: each is one look-up in the key of a row, in its partition. */
export const atPlaces =
  ({ engine }: Pick<LogDatabase, "engine">, places: readonly { id: number; created_at: number }[]) =>
  (builder: ExpressionBuilder<Schema, "logs">): Expression<SqlBool> => {
    if (engine === "clickhouse") {
      const pairs = places.map(({ created_at, id }) => builder.tuple(builder.val(created_at), builder.val(id)));
      return builder(builder.refTuple("logs.created_at", "logs.id"), "in", pairs);
    }
    const each = places.map(({ id, created_at }) =>
      builder.and([builder("logs.created_at", "=", created_at), builder("logs.id", "=", id)]),
    );
    const chains = Array.from({ length: Math.ceil(each.length / CHAINED) }, (_, index) =>
      builder.or(each.slice(index * CHAINED, (index + 1) * CHAINED)).$castTo<SqlBool>(),
    );
    return builder.or(chains);
  };

export interface LogPartition {
  name: string;
  /** Unix seconds, the first of it. */
  from: number;
  /** Unix seconds, the first behind it. */
  to: number;
}

/** Days of a new partition, for the days that rows are kept (0: for good). */
export const partitionDays = (keptDays: number): number =>
  LENGTHS.find(({ keptUpTo }) => keptDays > 0 && keptDays <= keptUpTo)?.days ?? LONGEST_DAYS;

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** Runs a change of the tree, again where a question held a table for too long. Throws what the last attempt threw. */
async function whenFree<Result>(change: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await change();
    } catch (error) {
      if (codeOf(error) !== LOCK_NOT_AVAILABLE || attempt === LOCK_ATTEMPTS) throw error;
      await delay(attempt * 100);
    }
  }
}

const BOUNDS = /^FOR VALUES FROM \('(-?\d+)'\) TO \('(-?\d+)'\)$/;

type WithPartitions = Pick<LogDatabase, "engine" | "kysely" | "clickhouse">;

/** In the order of time, without the default one. */
export async function logPartitions({ engine, kysely, clickhouse }: WithPartitions): Promise<LogPartition[]> {
  if (clickhouse !== undefined) return clickhouse.weeks();
  if (engine !== "postgres") return [];
  const { rows } = await sql<{ name: string; bounds: string }>`
    SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
    WHERE h.inhparent = coalesce(to_regclass('logs_by_time'), to_regclass('logs')) AND c.relkind = 'r'`.execute(kysely);
  const partitions = rows.flatMap(({ name, bounds }) => {
    const [, from, to] = BOUNDS.exec(bounds) ?? [];
    return from === undefined || to === undefined ? [] : [{ name, from: Number(from), to: Number(to) }];
  });
  return partitions.toSorted((a, b) => a.from - b.from);
}

/** The range of a partition that holds `time` between its neighbours: whole days, as many as asked for where there is room. */
function rangeFor(time: number, days: number, partitions: readonly LogPartition[]): { from: number; to: number } {
  const length = days * DAY_SECONDS;
  const from = Math.floor(time / length) * length;
  const before = partitions.findLast(({ to }) => to <= time)?.to ?? from;
  const after = partitions.find((each) => each.from > time)?.from ?? from + length;
  return { from: Math.max(from, before), to: Math.min(from + length, after) };
}

const nameOf = (from: number): string => `logs_${new Date(from * 1000).toISOString().slice(0, 10).replaceAll("-", "")}`;

/**
 * Under a lock of the whole log, for milliseconds: a question that was planned with fewer partitions would not see the rows that move into
 * this one. False where the default partition has too many rows of its range.
 */
async function addPartition({ kysely }: LogDatabase, { from, to }: { from: number; to: number }): Promise<boolean> {
  const table = sql.table(nameOf(from));
  const [first, end] = [sql.lit(from), sql.lit(to)];
  return kysely.transaction().execute(async (transaction) => {
    await sql`SELECT set_config('lock_timeout', ${LOCK_WAIT}, true)`.execute(transaction);
    await sql`LOCK TABLE logs IN ACCESS EXCLUSIVE MODE`.execute(transaction);
    const { rows } = await sql<{ parent: string; rest: number }>`
      SELECT coalesce(to_regclass('logs_by_time'), to_regclass('logs'))::text AS parent,
        (SELECT count(*) FROM (SELECT 1 FROM logs_rest WHERE created_at >= ${first} AND created_at < ${end}
          LIMIT ${sql.lit(MOST_REST_ROWS + 1)}) AS first_rows) AS rest`.execute(transaction);
    const { parent, rest } = rows[0] ?? { parent: "logs", rest: 0 };
    if (Number(rest) > MOST_REST_ROWS) return false;
    await sql`CREATE TABLE ${table} (LIKE ${sql.table(parent)} INCLUDING DEFAULTS)`.execute(transaction);
    await sql`WITH moved AS (DELETE FROM logs_rest WHERE created_at >= ${first} AND created_at < ${end} RETURNING *)
      INSERT INTO ${table} SELECT * FROM moved`.execute(transaction);
    await sql`ALTER TABLE ${sql.table(parent)} ATTACH PARTITION ${table} FOR VALUES FROM (${first}) TO (${end})`.execute(
      transaction,
    );
    return true;
  });
}

/**
 * Makes the partitions that rows of these times (Unix seconds) go to, where they are missing; what finds none goes to the default one. Rows
 * of clocks that were off get theirs, and the time between none. @param days of a new one
 */
export async function ensureLogPartitions(database: LogDatabase, times: Iterable<number>, days: number): Promise<void> {
  if (database.engine !== "postgres") return;
  const midnights = new Set(Array.from(times, (time) => Math.floor(time / DAY_SECONDS) * DAY_SECONDS));
  const partitions = await logPartitions(database);
  for (const time of midnights) {
    if (time < 0 || partitions.length >= MOST_PARTITIONS) continue;
    if (partitions.some(({ from, to }) => from <= time && time < to)) continue;
    const range = rangeFor(time, days, partitions);
    try {
      await whenFree(() => addPartition(database, range));
    } catch (error) {
      if (!MADE_BY_ANOTHER.has(codeOf(error))) throw error;
    }
    partitions.push({ name: nameOf(range.from), ...range });
    partitions.sort((a, b) => a.from - b.from);
  }
}

/**
 * Drops the oldest partition whose rows are all older than `before` (Unix seconds), and gives how many rows it had; undefined where there
 * is none. @param together what is written to `counts` in the same transaction, or behind it where that is another database
 */
export async function dropOldestPartition(
  { rows: database, counts }: { rows: LogDatabase; counts: Database },
  before: number,
  together?: (transaction: Queries, deleted: number) => Promise<void>,
): Promise<number | undefined> {
  const [oldest] = await logPartitions(database);
  if (oldest === undefined || oldest.to > before) return undefined;
  const drop = () =>
    database.clickhouse === undefined
      ? dropTable(database, oldest, counts === database ? together : undefined)
      : dropWeek(database, database.clickhouse, oldest);
  const deleted = await whenFree(drop);
  if (counts !== database && together !== undefined)
    await counts.kysely.transaction().execute((transaction) => together(transaction, deleted));
  return deleted;
}

/** On ClickHouse. @returns how many rows it had */
async function dropWeek({ kysely }: LogDatabase, clickhouse: ClickhouseLog, week: LogPartition): Promise<number> {
  const row = await kysely
    .selectFrom("logs")
    .select((builder) => builder.fn.countAll<number>().as("total"))
    .where("created_at", ">=", week.from)
    .where("created_at", "<", week.to)
    .executeTakeFirstOrThrow();
  await clickhouse.dropWeek(week);
  return Number(row.total);
}

/** On PostgreSQL. @param together in the same transaction @returns how many rows it had */
const dropTable = (
  { kysely }: LogDatabase,
  { name }: LogPartition,
  together: ((transaction: Queries, deleted: number) => Promise<void>) | undefined,
): Promise<number> =>
  kysely.transaction().execute(async (transaction) => {
    const table = sql.table(name);
    await sql`SELECT set_config('lock_timeout', ${LOCK_WAIT}, true), set_config('statement_timeout', '0', true)`.execute(
      transaction,
    );
    // Counted first: the drop keeps every question waiting, until the commit.
    const { rows } = await sql<{ total: number }>`SELECT count(*) AS total FROM ${table}`.execute(transaction);
    const total = Number(rows[0]?.total ?? 0);
    await sql`DROP TABLE ${table}`.execute(transaction);
    await together?.(transaction, total);
    return total;
  });

/**
 * Where the first partition begins that has rows on both sides of `before`, else `before`: Unix seconds. On ClickHouse, whose partitions are
 * weeks, it is `before` where few days are kept. @param keptDays that rows are kept
 */
export async function wholePartitionsBefore(database: LogDatabase, before: number, keptDays: number): Promise<number> {
  if (database.engine === "clickhouse" && partitionDays(keptDays) === 1) return before;
  const cut = (await logPartitions(database)).find(({ from, to }) => from < before && before < to);
  return cut?.from ?? before;
}

/** False on a schema without partitions. */
export async function hasLogPartitions({ kysely }: Pick<Database, "kysely">): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`SELECT to_regclass('logs_rest') IS NOT NULL AS has`.execute(kysely);
  return rows[0]?.has === true;
}

/** Whether earlier rows are still to be moved. */
export async function hasUnmovedRows({ engine, kysely }: Pick<LogDatabase, "engine" | "kysely">): Promise<boolean> {
  if (engine !== "postgres") return false;
  const { rows } = await sql<{ has: boolean }>`SELECT to_regclass('logs_before') IS NOT NULL AS has`.execute(kysely);
  return rows[0]?.has === true;
}

export interface MovedRows {
  moved: number;
  /** The largest id that was looked at. */
  last: number;
}

/**
 * Moves up to `size` of the earlier rows into their partitions, in one statement, so that every query sees each of them once. What
 * is not moved when a process is killed is found by the next call.
 * @param after ids up to here are moved already; it spares the way over their remains
 */
export async function moveLogRows(
  database: LogDatabase,
  { after, size }: { after: number; size: number },
  days: number,
): Promise<MovedRows> {
  const found = await sql<{ id: number; created_at: number }>`SELECT id, created_at FROM logs_before
    WHERE id > ${after} ORDER BY id LIMIT ${sql.lit(size)}`.execute(database.kysely);
  const last = found.rows.at(-1);
  if (last === undefined) return { moved: 0, last: after };
  await ensureLogPartitions(
    database,
    found.rows.map((row) => row.created_at),
    days,
  );
  const { numAffectedRows } =
    await sql`UPDATE logs SET era = 1 WHERE era = 0 AND id > ${after} AND id <= ${last.id}`.execute(database.kysely);
  return { moved: Number(numAffectedRows ?? 0n), last: last.id };
}

/** Ends the move where no earlier row is left; the former table is dropped, and the log is partitioned by time alone. */
export async function endMove(database: LogDatabase): Promise<void> {
  await whenFree(() => sql.raw(onEmptyLog).execute(database.kysely));
}
