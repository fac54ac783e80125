/** Queries of the log: pages by an offset over ids alone, totals that stop counting at 10,000, one row, and deletion in chunks. */
import { type Selectable, sql } from "kysely";
import type { LogPerson } from "../../../../contract/src/features/logs.ts";
import { LOG_TOTAL_CAP } from "../../../../contract/src/features/logs.ts";
import type { Database } from "../../db/database.ts";
import { type Queries, affectedRows } from "../../db/portable.ts";
import type { LogTable } from "../../db/schema.ts";
import type { Lead, LogFilter } from "./filter.ts";
import { ALL, conditions, leadsOf, timeConditions } from "./filter.ts";

export type StoredLog = Selectable<LogTable>;

/** Ids of the rows, in no order. */
export function idsOf(database: Database, filter: LogFilter) {
  return database.kysely
    .selectFrom("logs")
    .select("logs.id")
    .where((builder) => conditions(builder, filter))
    .where((builder) => timeConditions(builder, filter));
}

/**
 * The filter with its lead: the first one that has few rows alone, found by counting no further than the cap. A rare model among the
 * many calls of a user is looked for along the model, not along the user.
 */
export async function withLead(database: Database, filter: LogFilter): Promise<LogFilter> {
  const leads = leadsOf(filter);
  if (leads.length < 2) return filter;
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
  return readPage(database, idsOf(database, filter), offset, limit);
}

/** The rows of these ids from `offset` on, newest first. */
export async function readPage(
  database: Database,
  ids: ReturnType<typeof idsOf>,
  offset: number,
  limit: number,
): Promise<StoredLog[]> {
  const page = ids.orderBy("logs.created_at", "desc").orderBy("logs.id", "desc").limit(limit).offset(offset).as("page");
  const rows = await database.kysely
    .selectFrom("logs")
    .innerJoin(page, (join) => join.onRef("page.id", "=", "logs.id"))
    .selectAll("logs")
    .execute();
  return rows.toSorted((a, b) => b.created_at - a.created_at || b.id - a.id);
}

/** How many rows there are, counted no further than one above the cap. */
export async function countLogs(database: Database, filter: LogFilter, cap = LOG_TOTAL_CAP): Promise<number> {
  const some = idsOf(database, filter)
    .limit(cap + 1)
    .as("some");
  const row = await database.kysely
    .selectFrom(some)
    .select((builder) => builder.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(row.total);
}

/** Times of the newest rows of the filter, newest first. They are found along an index alone, and only then read. */
export function findTimes(database: Database, filter: LogFilter, limit: number) {
  const newest = idsOf(database, filter)
    .orderBy("logs.created_at", "desc")
    .orderBy("logs.id", "desc")
    .limit(limit)
    .as("newest");
  return database.kysely
    .selectFrom("logs")
    .innerJoin(newest, (join) => join.onRef("newest.id", "=", "logs.id"))
    .select(["logs.use_time_ms", "logs.first_token_ms", "logs.is_stream"])
    .orderBy("logs.created_at", "desc")
    .orderBy("logs.id", "desc")
    .execute();
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

/** What is shown of a living user; undefined where there is none. */
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
  database.kysely.selectFrom("logs").select("id").where("created_at", "<", before);

/** How many ids lie between the oldest row and the newest one before `before`: ids rise with time, and what was deleted was the oldest. */
async function idSpan(database: Database, before: number): Promise<number> {
  const [first, last] = await Promise.all(
    (["asc", "desc"] as const).map((order) =>
      older(database, before).orderBy("created_at", order).orderBy("id", order).limit(1).executeTakeFirst(),
    ),
  );
  return first === undefined || last === undefined ? 0 : last.id - first.id + 1;
}

/** How many rows are older than `before` (Unix seconds): counted up to the cap, and estimated from their ids beyond it. */
export async function countOlder(database: Database, before: number): Promise<{ total: number; isExact: boolean }> {
  const row = await database.kysely
    .selectFrom(
      older(database, before)
        .limit(LOG_TOTAL_CAP + 1)
        .as("some"),
    )
    .select((builder) => builder.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const counted = Number(row.total);
  if (counted <= LOG_TOTAL_CAP) return { total: counted, isExact: true };
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

async function deleteByIds({ kysely }: Database, ids: readonly number[], together?: WithDeletion): Promise<number> {
  const from = async (queries: Queries) =>
    affectedRows(await queries.deleteFrom("logs").where("id", "in", ids).executeTakeFirstOrThrow());
  if (together === undefined) return from(kysely);
  return kysely.transaction().execute(async (transaction) => {
    const deleted = await from(transaction);
    await together(transaction, deleted);
    return deleted;
  });
}

/**
 * Deletes the `size` oldest rows from `from` on and below `before` (Unix seconds). They are looked up by a reader; the writer only
 * deletes by id. `from` spares the way over entries that were deleted and not yet cleaned up.
 */
export async function deleteOldest(
  database: Database,
  { before, from, size }: { before: number; from: number; size: number },
  together?: WithDeletion,
): Promise<DeletedChunk> {
  const oldest = await database.kysely
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
  const last = oldest.at(-1);
  if (last === undefined) return { found: 0, deleted: 0, newest: from, tookMs: 0 };
  const ids = oldest.map(({ id }) => id);
  const started = performance.now();
  const deleted = await deleteByIds(database, ids, together);
  const tookMs = performance.now() - started;
  return { found: ids.length, deleted, newest: last.created_at, tookMs };
}
