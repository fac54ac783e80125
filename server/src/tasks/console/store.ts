/** Queries of the console's task logs: pages by an offset over ids alone, and totals that stop counting at a cap. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { TaskPlatform } from "../../../../contract/src/tasks.ts";
import { TASK_TOTAL_CAP } from "../../../../contract/src/features/tasks.ts";
import type { Database } from "../../db/database.ts";
import type { StoredTask } from "../kinds/kind.ts";
import { userIdsOf, usernamesOf } from "../../console/kit/lists.ts";

/** Undefined filters match everything. */
export interface TaskFilter {
  /** None of them is no row. */
  platforms: readonly TaskPlatform[];
  /** The owner; tasks that they deleted are left out. Undefined for those of all users, with deleted ones. */
  userId?: number | undefined;
  /** Of the owner; tasks that they deleted are found too. */
  username?: string | undefined;
  channelId?: number | undefined;
  taskId?: string | undefined;
  requestId?: string | undefined;
  action?: string | undefined;
  status?: string | undefined;
  /** Of the submission in Unix milliseconds, inclusive. */
  startMs?: number | undefined;
  endMs?: number | undefined;
}

export interface TaskPaging {
  /** From 0. */
  page: number;
  pageSize: number;
}

interface Narrowed extends Omit<TaskFilter, "username"> {
  /** Of the users with that name. */
  userIds?: readonly number[];
}

function idsOf({ kysely }: Database, filter: Narrowed) {
  const { platforms, userId, userIds, channelId, taskId, requestId, action, status, startMs, endMs } = filter;
  let ids = kysely.selectFrom("tasks").select("tasks.id").where("platform", "in", platforms);
  if (userId !== undefined) ids = ids.where("user_id", "=", userId).where("deleted_at", "is", null);
  if (userIds !== undefined) ids = ids.where("user_id", "in", userIds);
  if (channelId !== undefined) ids = ids.where("channel_id", "=", channelId);
  if (taskId !== undefined) ids = ids.where("task_id", "=", taskId);
  if (requestId !== undefined) ids = ids.where("request_id", "=", requestId);
  if (action !== undefined) ids = ids.where("action", "=", action);
  if (status !== undefined) ids = ids.where("status", "=", status);
  if (startMs !== undefined) ids = ids.where("submit_time_ms", ">=", startMs);
  if (endMs !== undefined) ids = ids.where("submit_time_ms", "<=", endMs);
  return ids;
}

/** Only the rows of the page itself are read whole. */
function readPage(database: Database, filter: Narrowed, offset: number, limit: number): Promise<StoredTask[]> {
  const page = idsOf(database, filter)
    .orderBy("submit_time_ms", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .offset(offset)
    .as("page");
  return database.kysely
    .selectFrom("tasks")
    .innerJoin(page, (join) => join.onRef("page.id", "=", "tasks.id"))
    .selectAll("tasks")
    .orderBy("tasks.submit_time_ms", "desc")
    .orderBy("tasks.id", "desc")
    .execute();
}

async function count(database: Database, filter: Narrowed): Promise<number> {
  const row = await database.kysely
    .selectFrom(idsOf(database, filter).limit(TASK_TOTAL_CAP).as("some"))
    .select((builder) => builder.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(row.total);
}

/** One page, newest first, and the number of rows on all pages, at most the cap. Throws range_too_wide for a page beyond the cap that may have rows. */
export async function findTasks(
  database: Database,
  { username, ...filter }: TaskFilter,
  { page, pageSize }: TaskPaging,
): Promise<{ rows: StoredTask[]; total: number }> {
  if (filter.platforms.length === 0) return { rows: [], total: 0 };
  const offset = page * pageSize;
  const userIds = username === undefined ? undefined : await userIdsOf(database.kysely, username);
  if (userIds?.length === 0) return { rows: [], total: 0 };
  const narrowed = userIds === undefined ? filter : { ...filter, userIds };
  const isBeyond = offset + pageSize > TASK_TOTAL_CAP;
  const [rows, total] = await Promise.all([
    isBeyond ? [] : readPage(database, narrowed, offset, pageSize),
    count(database, narrowed),
  ]);
  // Behind the last row a page is empty; where there may be rows, none may be passed over.
  if (isBeyond && (total > offset || total >= TASK_TOTAL_CAP)) throw new AppError("range_too_wide", { field: "p" });
  return { rows, total };
}

/** Columns of a task for administrators alone. */
export interface TaskOrigin {
  username: string;
  channel_id: number;
  channel_name: string;
}

/** Reads the owners and channels of rows; the name of a deleted one is "". */
export async function originsOf(
  database: Database,
  rows: readonly StoredTask[],
  channelById: (id: number) => { name: string } | undefined,
): Promise<(row: StoredTask) => TaskOrigin> {
  const names = await usernamesOf(
    database.kysely,
    rows.map(({ user_id }) => user_id),
  );
  return ({ user_id, channel_id }) => ({
    username: names.get(user_id) ?? "",
    channel_id,
    channel_name: channelById(channel_id)?.name ?? "",
  });
}
