/** Applies events of tasks, from the poller or from an upstream's notification: each once, with the refund and the owner's notification that follow. */
import type { TaskFailCode } from "../../../contract/src/tasks.ts";
import { isFinished } from "../../../contract/src/tasks.ts";
import { type TaskContext, nowSeconds, pauseFor } from "./context.ts";
import { kindOf } from "./kinds/registry.ts";
import type { StoredTask, TaskEvent } from "./kinds/kind.ts";
import { imageAddress } from "./result-address.ts";
import { settleEnded } from "./refunds.ts";
import { changeOpen, changesOf, endingOf, tasksWithRows } from "./store.ts";
import { type BoundedQueue, boundedQueue, forEachConcurrent } from "./concurrency.ts";

/** The queue of notifications to owners: 16 are sent at once, and at most 5,000 wait. */
export const notificationQueue = (): BoundedQueue => boundedQueue(16, 5_000);

/** Concurrently, since the ledger posts in one transaction what waits at the same time. */
const REFUNDS_AT_ONCE = 32;

const COMPARED = [
  "status",
  "progress",
  "result_url",
  "fail_reason",
  "start_time_ms",
  "finish_time_ms",
  "data",
] as const;

/** Sends the task to the address that its caller gave; the answer is not read. Never rejects. */
async function sendNotification(context: TaskContext, task: StoredTask): Promise<void> {
  const kind = kindOf(task.platform);
  if (kind === undefined) return;
  const { snapshot, secrets, post, logger } = context;
  const headers = { "content-type": "application/json" };
  try {
    const view = kind.view(task, imageAddress(snapshot.options, secrets, task));
    await post({ url: task.notify_url, headers, body: JSON.stringify(view) });
  } catch (error) {
    logger.warn({ err: error, taskId: task.task_id }, "the address that a task's owner named was not reached");
  }
}

/** The columns that an event changes in a row whose task has not ended; undefined where it changes nothing. */
function changesBy(context: TaskContext, task: StoredTask, event: TaskEvent): Partial<StoredTask> | undefined {
  if (isFinished(task.status)) return undefined;
  const now = nowSeconds(context);
  const changes = changesOf(task, event, context.clock());
  const changed = { ...task, ...changes };
  if (COMPARED.every((column) => changed[column] === task[column])) return undefined;
  const next_poll_time = now + pauseFor(now - task.created_at, 0);
  const reset = { next_poll_time, silent_polls: 0, vain_seconds: 0, asked_seconds: 0 };
  return { ...reset, ...changes, ...endingOf(changed.status, task.charge, now) };
}

/** An event with the row that it is about, as it was last read. */
export interface ReceivedEvent {
  task: StoredTask;
  event: TaskEvent;
}

/** Posts the refunds that are due, and queues the notifications of owners. */
async function followUp(context: TaskContext, changed: readonly StoredTask[]): Promise<void> {
  const due = changed.filter(({ charge }) => charge === "refund_due");
  await forEachConcurrent(due, REFUNDS_AT_ONCE, (task) => settleEnded(context, task));
  for (const task of changed.filter(({ notify_url }) => notify_url !== "")) {
    if (context.notifications.add(() => sendNotification(context, task))) continue;
    context.logger.warn({ taskId: task.task_id }, "too many notices to owners of tasks wait, so one was not sent");
  }
}

/** The events whose rows were changed by another writer, with the rows as they are now; without those of tasks that have ended. */
async function readAgain(context: TaskContext, missed: readonly ReceivedEvent[]): Promise<ReceivedEvent[]> {
  const rows = await tasksWithRows(
    context,
    missed.map(({ task }) => task.id),
  );
  const newest = new Map(rows.map((task) => [task.id, task]));
  return missed.flatMap(({ task, event }) => {
    const row = newest.get(task.id);
    return row === undefined || isFinished(row.status) ? [] : [{ task: row, event }];
  });
}

/** After so many lost races the event is left to the next poll. */
const WRITE_ATTEMPTS = 5;

/**
 * Writes events of tasks in one transaction, in the order of their rows, so that two writers of the same tasks do not deadlock; then refunds
 * and notifies. Gives the tasks that their event did not change. Rejects where the database does not answer.
 */
export async function applyEvents(
  context: TaskContext,
  received: readonly ReceivedEvent[],
  attempts = WRITE_ATTEMPTS,
): Promise<StoredTask[]> {
  const ordered = received.toSorted((a, b) => a.task.id - b.task.id);
  const [unchanged, missed] = [[] as StoredTask[], [] as ReceivedEvent[]];
  const changed = await context.database.kysely.transaction().execute(async (transaction) => {
    const rows: StoredTask[] = [];
    for (const { task, event } of ordered) {
      const changes = changesBy(context, task, event);
      if (changes === undefined) unchanged.push(task);
      else if (await changeOpen(context, transaction, task, changes)) rows.push({ ...task, ...changes });
      else missed.push({ task, event });
    }
    return rows;
  });
  await followUp(context, changed);
  if (missed.length === 0 || attempts === 1) return unchanged;
  return [...unchanged, ...(await applyEvents(context, await readAgain(context, missed), attempts - 1))];
}

/** Gives a task up; false where an event has changed it meanwhile. */
export async function failTask(context: TaskContext, task: StoredTask, code: TaskFailCode): Promise<boolean> {
  const now = nowSeconds(context);
  const ended = { status: "FAILURE", progress: 100, finish_time_ms: context.clock(), fail_code: code };
  const changes = { ...ended, ...endingOf("FAILURE", task.charge, now) };
  if (!(await changeOpen(context, context.database.kysely, task, changes))) return false;
  await followUp(context, [{ ...task, ...changes } as StoredTask]); // values alone
  return true;
}
