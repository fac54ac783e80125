/** Queries of tasks, except the console's lists (console/store.ts). */
import type { Updateable } from "kysely";
import { FINISHED_STATUSES, type TaskPlatform, isFinished } from "../../../contract/src/tasks.ts";
import { type Queries, affectedRows } from "../db/portable.ts";
import type { TaskTable } from "../db/task-table.ts";
import { parseObject } from "../dialects/json/fields.ts";
import type { NewTask, TaskPage } from "../relay/call/ports.ts";
import { type TaskContext, POLL_SECONDS, SUBMISSION_SECONDS, nowSeconds } from "./context.ts";
import type { StoredTask, TaskEvent } from "./kinds/kind.ts";

type Changes = Updateable<TaskTable>;
type StoreContext = Pick<TaskContext, "database">;

/** Columns are this long; texts of clients and upstreams may be longer. */
const MAX_PROMPT = 100_000;
const MAX_REASON = 4_000;
const MAX_URL = 8_192;
const MAX_ID = 255;
const MAX_DATA = 1_000_000;

const storable = (text: string): string => (text.includes("\0") ? text.replaceAll("\0", "") : text).toWellFormed();
const cut = (text: string, length: number): string => storable(text.length > length ? text.slice(0, length) : text);

/** JSON cannot be cut: what is too long is left out. */
function json(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  // An escape in JSON is as good as the character, which PostgreSQL's text could not hold.
  return text.length > MAX_DATA ? "null" : storable(text);
}

function newRow(context: TaskContext, task: NewTask) {
  const { submission, platform } = task;
  const now = nowSeconds(context);
  return {
    created_at: now,
    updated_at: now,
    platform,
    action: submission.action,
    task_id: "",
    request_id: task.requestId,
    user_id: task.userId,
    token_id: task.tokenId,
    channel_id: task.channelId,
    channel_key_id: task.channelKeyId,
    model: cut(submission.model, MAX_ID),
    quota: 0,
    charge: "pending",
    code: 0,
    status: "",
    progress: 0,
    prompt: cut(submission.prompt, MAX_PROMPT),
    result_url: "",
    fail_code: "",
    fail_reason: "",
    submit_time_ms: context.clock(),
    start_time_ms: 0,
    finish_time_ms: 0,
    notify_url: submission.notifyUrl,
    notify_hash: task.notifySecret === "" ? "" : context.secrets.hash("task_notice", task.notifySecret),
    properties: json(submission.properties),
    data: json(submission.data),
    next_poll_time: now + SUBMISSION_SECONDS,
    silent_polls: 0,
    vain_seconds: 0,
    asked_seconds: 0,
    deleted_at: null,
  };
}

/** Writes the row before the first channel is asked, and into it the channel that is asked next. */
export async function beginTask(context: TaskContext, task: NewTask): Promise<void> {
  const { kysely } = context.database;
  if (task.isFirst) return void (await kysely.insertInto("tasks").values(newRow(context, task)).execute());
  const { channelId: channel_id, channelKeyId: channel_key_id, requestId } = task;
  const properties = json(task.submission.properties);
  const changes = { channel_id, channel_key_id, properties };
  await kysely.updateTable("tasks").set(changes).where("request_id", "=", requestId).execute();
}

export const taskOf = ({ database }: StoreContext, requestId: string): Promise<StoredTask | undefined> =>
  database.kysely.selectFrom("tasks").selectAll().where("request_id", "=", requestId).executeTakeFirst();

/** The data of the row with the fields of an event's data, or the event's data alone where either is no object. */
function joined(stored: string, received: unknown): string {
  const known = parseObject(stored);
  const isObject = typeof received === "object" && received !== null && !Array.isArray(received);
  return json(known !== undefined && isObject ? { ...known, ...received } : received);
}

/** The columns that an event changes. */
export function changesOf(task: StoredTask, event: TaskEvent, nowMs: number): Partial<StoredTask> {
  const { status = task.status, progress, resultUrl, failReason, startMs, finishMs, data } = event;
  const isOver = isFinished(status);
  const doneMs = finishMs ?? (task.finish_time_ms === 0 ? nowMs : task.finish_time_ms);
  return {
    status,
    progress: isOver ? 100 : (progress ?? task.progress),
    ...(resultUrl === undefined ? {} : { result_url: cut(resultUrl, MAX_URL) }),
    ...(failReason === undefined ? {} : { fail_reason: cut(failReason, MAX_REASON) }),
    ...(status === "FAILURE" && !failReason && task.fail_reason === "" ? { fail_code: "unexplained" } : {}),
    ...(startMs === undefined ? {} : { start_time_ms: startMs }),
    ...(isOver ? { finish_time_ms: doneMs } : finishMs === undefined ? {} : { finish_time_ms: finishMs }),
    ...(data === undefined ? {} : { data: joined(task.data, data) }),
  };
}

/** The columns of a task that has ended, by which its charge is settled; none for an open task. */
export function endingOf(status: string, charge: string, now: number): Partial<StoredTask> {
  if (!isFinished(status)) return {};
  if (charge === "charged" && status === "FAILURE") return { charge: "refund_due", next_poll_time: now };
  return { next_poll_time: charge === "pending" ? now + POLL_SECONDS : 0 };
}

/** Changes a row whose task has not ended; false where it has, or where another writer has changed its state or charge since it was read. */
export async function changeOpen(
  context: TaskContext,
  queries: Queries,
  task: StoredTask,
  changes: Changes,
): Promise<boolean> {
  const result = await queries
    .updateTable("tasks")
    .set({ ...changes, updated_at: nowSeconds(context) })
    .where("id", "=", task.id)
    .where("charge", "=", task.charge)
    .where("status", "=", task.status)
    .where("progress", "=", task.progress)
    .where("result_url", "=", task.result_url)
    .where("status", "not in", [...FINISHED_STATUSES])
    .executeTakeFirstOrThrow();
  return affectedRows(result) === 1;
}

/** Changes the charge of a row; false where another writer has changed its charge or status since it was read. */
export async function moveCharge({ database }: StoreContext, task: StoredTask, changes: Changes): Promise<boolean> {
  const result = await database.kysely
    .updateTable("tasks")
    .set(changes)
    .where("id", "=", task.id)
    .where("charge", "=", task.charge)
    .where("status", "=", task.status)
    .executeTakeFirstOrThrow();
  return affectedRows(result) === 1;
}

/** When a row is due next, and how long its upstream has been polled before. */
export type Postponement = Pick<StoredTask, "next_poll_time"> &
  Partial<Pick<StoredTask, "silent_polls" | "vain_seconds" | "asked_seconds">>;

export async function postpone(
  { database }: StoreContext,
  tasks: readonly StoredTask[],
  changes: Postponement,
): Promise<void> {
  if (tasks.length === 0) return;
  const ids = tasks.map(({ id }) => id);
  await database.kysely.updateTable("tasks").set(changes).where("id", "in", ids).execute();
}

/** Rows that are due, those that wait longest first, without the tasks of some channels. */
export function dueTasks(
  context: TaskContext,
  limit: number,
  withoutChannels: readonly number[] = [],
): Promise<StoredTask[]> {
  const due = context.database.kysely
    .selectFrom("tasks")
    .selectAll()
    .where("next_poll_time", ">", 0)
    .where("next_poll_time", "<=", nowSeconds(context))
    .orderBy("next_poll_time")
    .orderBy("id")
    .limit(limit);
  return (withoutChannels.length === 0 ? due : due.where("channel_id", "not in", withoutChannels)).execute();
}

export const tasksWithRows = ({ database }: TaskContext, rows: readonly number[]): Promise<StoredTask[]> =>
  database.kysely.selectFrom("tasks").selectAll().where("id", "in", rows).execute();

/** Tasks of all users with these ids, newest first, without deleted ones. */
export const tasksWithIds = (
  { database }: TaskContext,
  platform: TaskPlatform,
  taskIds: readonly string[],
): Promise<StoredTask[]> =>
  database.kysely
    .selectFrom("tasks")
    .selectAll()
    .where("task_id", "in", taskIds.length === 0 ? [""] : [...taskIds])
    .where("task_id", "<>", "")
    .where("platform", "=", platform)
    .where("deleted_at", "is", null)
    .orderBy("id", "desc")
    .execute();

/** Tasks of one user that an upstream has accepted, without deleted ones. */
export function tasksOfUser(
  { database }: TaskContext,
  userId: number,
  platform: TaskPlatform,
  { limit, afterRow, isAscending }: TaskPage,
): Promise<StoredTask[]> {
  let query = database.kysely
    .selectFrom("tasks")
    .selectAll()
    .where("user_id", "=", userId)
    .where("platform", "=", platform)
    .where("task_id", "<>", "")
    .where("deleted_at", "is", null);
  if (afterRow > 0) query = query.where("id", isAscending ? ">" : "<", afterRow);
  return query
    .orderBy("id", isAscending ? "asc" : "desc")
    .limit(limit)
    .execute();
}

/** Changes a row whatever its state. */
export async function changeTask({ database }: TaskContext, id: number, changes: Changes): Promise<void> {
  await database.kysely.updateTable("tasks").set(changes).where("id", "=", id).execute();
}
