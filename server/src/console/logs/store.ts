/** Queries of the log: pages by an offset over ids alone, totals that stop counting at 10,000, one row, all rows in chunks, and deletion in chunks. */
import type { Selectable } from "kysely";
import type { LogPerson } from "../../../../contract/src/features/logs.ts";
import { LOG_TOTAL_CAP } from "../../../../contract/src/features/logs.ts";
import type { Database } from "../../db/database.ts";
import { affectedRows } from "../../db/portable.ts";
import type { LogTable } from "../../db/schema.ts";
import type { LogFilter } from "./filter.ts";
import { conditions, hasKey, timeConditions } from "./filter.ts";

export type StoredLog = Selectable<LogTable>;

/** How far clocks of several machines may differ. */
const CLOCK_SLACK_SECONDS = 60;
/** Rows looked at for the oldest id of a time: one late row (from the journal) must not hide the others. */
const OLDEST_ROWS = 1000;

/**
 * An id that no row from `start` on is below: along (user, id) it is where to stop looking. Undefined where there is no row that young.
 * Rows get their ids in the order they are written, so among the first rows of a time the smallest id is a bound.
 */
async function oldestId(database: Database, start: number): Promise<number | undefined> {
  const rows = await database.kysely
    .selectFrom("logs")
    .select("id")
    .where("created_at", ">=", start - CLOCK_SLACK_SECONDS)
    .orderBy("created_at")
    .orderBy("id")
    .limit(OLDEST_ROWS)
    .execute();
  return rows.length === 0 ? undefined : Math.min(...rows.map(({ id }) => id));
}

async function idsOf(database: Database, filter: LogFilter) {
  const base = database.kysely
    .selectFrom("logs")
    .select("logs.id")
    .where((builder) => conditions(builder, filter, "filter"))
    .where((builder) => timeConditions(builder, filter));
  if (filter.start === undefined || !hasKey(filter)) return base;
  const bound = await oldestId(database, filter.start);
  return bound === undefined ? base : base.where("logs.id", ">=", bound);
}

/** One page, newest first. The offset runs over ids in an index; only the page's own rows are read whole. */
export async function findLogs(
  database: Database,
  filter: LogFilter,
  offset: number,
  limit: number,
): Promise<StoredLog[]> {
  return readPage(database, await idsOf(database, filter), hasKey(filter), offset, limit);
}

async function readPage(
  database: Database,
  ids: Awaited<ReturnType<typeof idsOf>>,
  isById: boolean,
  offset: number,
  limit: number,
): Promise<StoredLog[]> {
  // Each way has an index in its own order; ids and times rise together.
  const ordered = isById
    ? ids.orderBy("logs.id", "desc")
    : ids.orderBy("logs.created_at", "desc").orderBy("logs.id", "desc");
  const page = ordered.limit(limit).offset(offset).as("page");
  const rows = await database.kysely
    .selectFrom("logs")
    .innerJoin(page, (join) => join.onRef("page.id", "=", "logs.id"))
    .selectAll("logs")
    .execute();
  const newestFirst = isById
    ? (a: StoredLog, b: StoredLog) => b.id - a.id
    : (a: StoredLog, b: StoredLog) => b.created_at - a.created_at || b.id - a.id;
  return rows.toSorted(newestFirst);
}

/** How many rows there are, counted no further than one above the cap. */
export async function countLogs(database: Database, filter: LogFilter): Promise<number> {
  const some = (await idsOf(database, filter)).limit(LOG_TOTAL_CAP + 1).as("some");
  const row = await database.kysely
    .selectFrom(some)
    .select((builder) => builder.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(row.total);
}

/** Rows of one statement of an export: a few milliseconds of a reader. */
const EXPORT_CHUNK = 500;

/** All rows of the filter, newest first, in chunks that each go on where the last one ended. */
export async function* rowsInChunks(database: Database, filter: LogFilter): AsyncGenerator<StoredLog[]> {
  const ids = await idsOf(database, filter);
  let last: StoredLog | undefined;
  do {
    const rows = await chunkAfter(database, ids, hasKey(filter), last);
    if (rows.length > 0) yield rows;
    last = rows.length < EXPORT_CHUNK ? undefined : rows.at(-1);
  } while (last !== undefined);
}

async function chunkAfter(
  database: Database,
  ids: Awaited<ReturnType<typeof idsOf>>,
  isById: boolean,
  last: StoredLog | undefined,
): Promise<StoredLog[]> {
  const after = (query: typeof ids, { created_at, id }: StoredLog) =>
    isById
      ? query.where("logs.id", "<", id)
      : query
          .where("logs.created_at", "<=", created_at)
          .where((row) => row.or([row("logs.created_at", "<", created_at), row("logs.id", "<", id)]));
  const rest = last === undefined ? ids : after(ids, last);
  return readPage(database, rest, isById, 0, EXPORT_CHUNK);
}

/** The newest row of a request id among a user's own. */
export function findByRequest(database: Database, userId: number, requestId: string): Promise<StoredLog | undefined> {
  return database.kysely
    .selectFrom("logs")
    .selectAll()
    .where("request_id", "=", requestId)
    .where("user_id", "=", userId)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** What is told of a living user; undefined where there is none. */
export function findPerson(database: Database, userId: number): Promise<LogPerson | undefined> {
  return database.kysely
    .selectFrom("users")
    .select(["id", "username", "display_name", "role", "status", "group_name as group"])
    .select(["quota", "used_quota", "request_count"])
    .where("id", "=", userId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
}

/** How many rows are older than `before` (Unix seconds). */
export async function countOlder(database: Database, before: number): Promise<number> {
  const row = await database.kysely
    .selectFrom("logs")
    .select((builder) => builder.fn.countAll<number>().as("total"))
    .where("created_at", "<", before)
    .executeTakeFirstOrThrow();
  return Number(row.total);
}

export interface DeletedChunk {
  found: number;
  deleted: number;
  /** Time of its newest row: no row that is left is older. */
  newest: number;
  /** Milliseconds of the deletion itself, waiting included. */
  tookMs: number;
}

/**
 * Deletes the `size` oldest rows from `from` on and below `before` (Unix seconds). They are looked up by a reader; the writer only
 * deletes by id. `from` spares the way over entries that were deleted and not yet cleaned up.
 */
export async function deleteOldest(
  database: Database,
  before: number,
  from: number,
  size: number,
): Promise<DeletedChunk> {
  const oldest = await database.kysely
    .selectFrom("logs")
    .select(["id", "created_at"])
    .where("created_at", ">=", from)
    .where("created_at", "<", before)
    .orderBy("created_at")
    .orderBy("id")
    .limit(size)
    .execute();
  const last = oldest.at(-1);
  if (last === undefined) return { found: 0, deleted: 0, newest: from, tookMs: 0 };
  const ids = oldest.map(({ id }) => id);
  const started = performance.now();
  const result = await database.kysely.deleteFrom("logs").where("id", "in", ids).executeTakeFirstOrThrow();
  const tookMs = performance.now() - started;
  return { found: ids.length, deleted: affectedRows(result), newest: last.created_at, tookMs };
}
