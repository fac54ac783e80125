/** Queries of the log: pages by an offset over ids alone, totals that stop counting at 10,000, one row, and deletion in chunks. */
import { type Selectable, sql } from "kysely";
import type { LogPerson } from "../../../../contract/src/features/logs.ts";
import { LOG_TOTAL_CAP } from "../../../../contract/src/features/logs.ts";
import type { Database, LogDatabase } from "../../db/database.ts";
import { isOfRequest, type Newest, newestFirst, newestRows } from "../../db/log-order.ts";
import { atPlaces } from "../../db/log-partitions.ts";
import { type Queries, affectedRows, retryDeadlocks } from "../../db/portable.ts";
import type { LogTable } from "../../db/schema.ts";
import type { Lead, LogFilter } from "./filter.ts";
import { ALL, conditions, leadsOf, timeConditions } from "./filter.ts";

export type StoredLog = Selectable<LogTable>;

/** Ids of the rows, in no order. */
export function idsOf(database: Database, filter: LogFilter) {
  const { logs } = database;
  return logs.kysely
    .selectFrom("logs")
    .select("logs.id")
    .where((builder) => conditions(logs, builder, filter))
    .where((builder) => timeConditions(builder, filter));
}

/**
 * The filter with its lead: the first one that has few rows alone, found by counting no further than the cap. A rare model among the
 * many calls of a user is looked for along the model, not along the user.
 */
export async function withLead(database: Database, filter: LogFilter): Promise<LogFilter> {
  const leads = leadsOf(filter);
  if (leads.length < 2 || database.logs.engine === "clickhouse") return filter;
  for (const lead of leads)
    if ((await countLogs(database, alone(filter, lead))) <= LOG_TOTAL_CAP) return { ...filter, lead };
  return filter;
}

/** One of its conditions, and the times. */
export const alone = ({ start, end, ...filter }: LogFilter, lead: Lead): LogFilter => ({
  ...ALL,
  start,
  end,
  [lead]: filter[lead],
});

/** One page, newest first. The offset runs over ids in an index; only the page's own rows are read whole. */
export async function findLogs(
  database: Database,
  filter: LogFilter,
  offset: number,
  limit: number,
): Promise<StoredLog[]> {
  return readPage(database, idsOf(database, filter), { limit, offset, end: filter.end });
}

/** The rows of these ids, newest first. */
export async function readPage(
  { logs }: Database,
  ids: ReturnType<typeof idsOf>,
  newest: Newest,
): Promise<StoredLog[]> {
  const places = await newestFirst(logs, ids.select("logs.created_at"), newest);
  if (places.length === 0) return [];
  // A statement of its own with its places: of many partitions it is planned for those of the page alone.
  const rows = await logs.kysely.selectFrom("logs").selectAll("logs").where(atPlaces(logs, places)).execute();
  return rows.toSorted((a, b) => b.created_at - a.created_at || b.id - a.id);
}

/** How many rows there are, counted no further than one above the cap. */
export async function countLogs(database: Database, filter: LogFilter, cap = LOG_TOTAL_CAP): Promise<number> {
  const some = idsOf(database, filter)
    .limit(cap + 1)
    .as("some");
  const row = await database.logs.kysely
    .selectFrom(some)
    .select((builder) => builder.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(row.total);
}

const TIMES = ["logs.use_time_ms", "logs.first_token_ms", "logs.is_stream"] as const;

/** Times of the newest rows of the filter, newest first. They are found along an index alone, and only then read. */
export function findTimes(database: Database, filter: LogFilter, limit: number) {
  const { logs } = database;
  // Without an index nothing is gained by finding them first.
  if (logs.engine === "clickhouse")
    return newestFirst(logs, idsOf(database, filter).clearSelect().select(TIMES), { limit, end: filter.end });
  return newestRows(logs, idsOf(database, filter), limit).select(TIMES).execute();
}

/** The newest row of a request id among a user's own. */
export function findByRequest({ logs }: Database, userId: number, requestId: string): Promise<StoredLog | undefined> {
  return logs.kysely
    .selectFrom("logs")
    .selectAll()
    .where((builder) => isOfRequest(logs, builder, requestId))
    .where("user_id", "=", userId)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** The shown fields of a living user; undefined where there is none. */
export function findPerson(database: Database, userId: number): Promise<LogPerson | undefined> {
  return database.kysely
    .selectFrom("users")
    .select(["id", "username", "display_name", "role", "status", "group_name as group"])
    .select(["quota", "used_quota", "request_count"])
    .where("id", "=", userId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
}

const older = (database: Database, before: number) =>
  database.logs.kysely.selectFrom("logs").select("id").where("created_at", "<", before);

/** How many ids lie between the oldest row and the newest one before `before`: ids rise with time, and what was deleted was the oldest. */
async function idSpan(database: Database, before: number): Promise<number> {
  const [first, last] = await Promise.all(
    (["asc", "desc"] as const).map((order) =>
      older(database, before).orderBy("created_at", order).orderBy("id", order).limit(1).executeTakeFirst(),
    ),
  );
  return first === undefined || last === undefined ? 0 : last.id - first.id + 1;
}

/** How many rows are older than `before` (Unix seconds): counted up to the cap, and estimated from their ids beyond it. ClickHouse counts all. */
export async function countOlder(database: Database, before: number): Promise<{ total: number; isExact: boolean }> {
  const all = older(database, before);
  const some = database.logs.engine === "clickhouse" ? all : all.limit(LOG_TOTAL_CAP + 1);
  const row = await database.logs.kysely
    .selectFrom(some.as("some"))
    .select((builder) => builder.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const counted = Number(row.total);
  if (counted <= LOG_TOTAL_CAP || database.logs.engine === "clickhouse") return { total: counted, isExact: true };
  return { total: Math.max(counted, await idSpan(database, before)), isExact: false };
}

export interface DeletedChunk {
  found: number;
  deleted: number;
  /** Time of its newest row: no row that is left is older. */
  newest: number;
  /** Milliseconds of the deletion itself, waiting included. */
  tookMs: number;
}

/** Written in the transaction of a deletion. @param deleted how many rows it took */
export type WithDeletion = (transaction: Queries, deleted: number) => Promise<void>;

/** A place where rows of the log are, and the database that keeps count of a deletion: the same one, but for a database of the log's own. */
export interface LogPlace {
  rows: LogDatabase;
  counts: Database;
}

/** Where the rows of the log are: the main database first, whose rows are bounded also while a database of the log's own is away. */
export function* logPlaces(database: Database): Generator<LogPlace> {
  yield { rows: database, counts: database };
  if (database.hasLogDatabase) yield { rows: database.logs, counts: database };
}

interface OldRows {
  ids: readonly number[];
  oldest: number;
  newest: number;
}

async function deleteRows({ rows, counts }: LogPlace, old: OldRows, together?: WithDeletion): Promise<number> {
  const from = async (queries: Queries) => {
    const some = queries.deleteFrom("logs").where("id", "in", old.ids);
    const between = some.where("created_at", ">=", old.oldest).where("created_at", "<=", old.newest);
    return affectedRows(await between.executeTakeFirstOrThrow());
  };
  // Rows that are being moved into their partition at that moment are deleted there by the next attempt.
  return retryDeadlocks(async () => {
    if (together === undefined) return from(rows.kysely);
    if (rows === counts)
      return counts.kysely.transaction().execute(async (transaction) => {
        const deleted = await from(transaction);
        await together(transaction, deleted);
        return deleted;
      });
    const deleted = await from(rows.kysely);
    await counts.kysely.transaction().execute((transaction) => together(transaction, deleted));
    return deleted;
  });
}

/** On ClickHouse, which writes the rows of a week anew to delete some of them: all at once. */
async function deleteAll(
  { rows, counts }: LogPlace,
  before: number,
  together: WithDeletion | undefined,
): Promise<DeletedChunk> {
  const row = await rows.kysely
    .selectFrom("logs")
    .select((builder) => builder.fn.countAll<number>().as("total"))
    .where("created_at", "<", before)
    .executeTakeFirstOrThrow();
  const deleted = Number(row.total);
  if (deleted > 0) {
    await rows.clickhouse?.deleteBefore(before);
    await counts.kysely.transaction().execute(async (transaction) => together?.(transaction, deleted));
  }
  return { found: deleted, deleted, newest: before, tookMs: 0 };
}

/**
 * Deletes the `size` oldest rows from `from` on and below `before` (Unix seconds). They are looked up by a reader; the writer only
 * deletes by id. `from` spares the way over entries that were deleted and not yet cleaned up.
 */
export async function deleteOldest(
  place: LogPlace,
  { before, from, size }: { before: number; from: number; size: number },
  together?: WithDeletion,
): Promise<DeletedChunk> {
  if (place.rows.clickhouse !== undefined) return deleteAll(place, before, together);
  const found = await place.rows.kysely
    .selectFrom("logs")
    .select(["id", "created_at"])
    // Brings the rows from the disk into memory here, and not while the writer deletes.
    .select(sql<number>`length(other)`.as("bytes"))
    .where("created_at", ">=", from)
    .where("created_at", "<", before)
    .orderBy("created_at")
    .orderBy("id")
    .limit(size)
    .execute();
  const [first, last] = [found[0], found.at(-1)];
  if (first === undefined || last === undefined) return { found: 0, deleted: 0, newest: from, tookMs: 0 };
  const old = { ids: found.map(({ id }) => id), oldest: first.created_at, newest: last.created_at };
  const started = performance.now();
  const deleted = await deleteRows(place, old, together);
  const tookMs = performance.now() - started;
  return { found: found.length, deleted, newest: last.created_at, tookMs };
}
