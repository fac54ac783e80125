/** What becomes of a task's row when there are news, whoever brought them: each is written once, and its owner is told. */
import type { TaskFailCode } from "../../../contract/src/tasks/task.ts";
import { isFinished } from "../../../contract/src/tasks/task.ts";
import { type TaskContext, nowSeconds } from "./context.ts";
import { kindOf } from "./kinds/registry.ts";
import type { StoredTask, TaskNews } from "./kinds/kind.ts";
import { imageAddress } from "./result-address.ts";
import { settleEnded } from "./refunds.ts";
import { changeOpen, changesOf, endingOf, tasksWithRows } from "./store.ts";
import { type BoundedQueue, boundedQueue, together } from "./concurrency.ts";
import { pauseFor } from "./times.ts";

/** Messages to owners: so many side by side, and so many that wait for their place. */
export const noticeQueue = (): BoundedQueue => boundedQueue(16, 5_000);

/** Side by side, since the ledger posts together what waits together. */
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

/** Tells the address that the caller named; what it says to that is not our matter. */
async function sendNotice(context: TaskContext, task: StoredTask): Promise<void> {
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

/** The columns that news change in a row whose task has not ended; undefined where they change nothing. */
function changesBy(context: TaskContext, task: StoredTask, news: TaskNews): Partial<StoredTask> | undefined {
  if (isFinished(task.status)) return undefined;
  const now = nowSeconds(context);
  const changes = changesOf(task, news, context.clock());
  const told = { ...task, ...changes };
  if (COMPARED.every((column) => told[column] === task[column])) return undefined;
  const next_poll_time = now + pauseFor(now - task.created_at, 0);
  const unasked = { next_poll_time, silent_polls: 0, vain_seconds: 0, asked_seconds: 0 };
  return { ...unasked, ...changes, ...endingOf(told.status, task.charge, now) };
}

/** News of one task. */
export interface Told {
  task: StoredTask;
  news: TaskNews;
}

/** Gives back what is due for those that failed, and tells the owners. */
async function followUp(context: TaskContext, changed: readonly StoredTask[]): Promise<void> {
  const due = changed.filter(({ charge }) => charge === "refund_due");
  await together(due, REFUNDS_AT_ONCE, (task) => settleEnded(context, task));
  for (const task of changed.filter(({ notify_url }) => notify_url !== "")) {
    if (context.notices.add(() => sendNotice(context, task))) continue;
    context.logger.warn({ taskId: task.task_id }, "too many notices to owners of tasks wait, so one was not sent");
  }
}

/** Rows in whose place others stood by the time of writing, as they are now; those that have ended need no news. */
async function readAgain(context: TaskContext, missed: readonly Told[]): Promise<Told[]> {
  const rows = await tasksWithRows(
    context,
    missed.map(({ task }) => task.id),
  );
  const newest = new Map(rows.map((task) => [task.id, task]));
  return missed.flatMap(({ task, news }) => {
    const row = newest.get(task.id);
    return row === undefined || isFinished(row.status) ? [] : [{ task: row, news }];
  });
}

/** Who is overtaken so often leaves it to the next question. */
const WRITE_ATTEMPTS = 5;

/**
 * Writes news of tasks in one transaction, in the order of their rows: whoever else does the same waits, and finds them written. Gives
 * the tasks of which nothing was new.
 */
export async function applyNews(
  context: TaskContext,
  told: readonly Told[],
  attempts = WRITE_ATTEMPTS,
): Promise<StoredTask[]> {
  const ordered = told.toSorted((a, b) => a.task.id - b.task.id);
  const [unchanged, missed] = [[] as StoredTask[], [] as Told[]];
  const changed = await context.database.kysely.transaction().execute(async (transaction) => {
    const rows: StoredTask[] = [];
    for (const { task, news } of ordered) {
      const changes = changesBy(context, task, news);
      if (changes === undefined) unchanged.push(task);
      else if (await changeOpen(context, transaction, task, changes)) rows.push({ ...task, ...changes });
      else missed.push({ task, news });
    }
    return rows;
  });
  await followUp(context, changed);
  if (missed.length === 0 || attempts === 1) return unchanged;
  return [...unchanged, ...(await applyNews(context, await readAgain(context, missed), attempts - 1))];
}

/** Gives a task up; false where there were news of it meanwhile. */
export async function failTask(context: TaskContext, task: StoredTask, code: TaskFailCode): Promise<boolean> {
  const now = nowSeconds(context);
  const ended = { status: "FAILURE", progress: 100, finish_time_ms: context.clock(), fail_code: code };
  const changes = { ...ended, ...endingOf("FAILURE", task.charge, now) };
  if (!(await changeOpen(context, context.database.kysely, task, changes))) return false;
  await followUp(context, [{ ...task, ...changes } as StoredTask]); // values alone
  return true;
}
