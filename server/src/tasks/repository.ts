/** The desk at which the relay hands over tasks and asks for them; every answer is of rows, so any process gives it. */
import { type TaskPlatform, isFinished } from "../../../contract/src/tasks/task.ts";
import { LedgerFault } from "../billing/billing.ts";
import { isRetryable } from "../db/portable.ts";
import type { TaskDesk } from "../relay/call/task-desk.ts";
import { type TaskContext, nowSeconds } from "./context.ts";
import type { StoredTask, TaskNews } from "./kinds/kind.ts";
import { applyNews } from "./events.ts";
import { isResultSignature, imageAddress } from "./result-address.ts";
import {
  beginTask,
  changesOf,
  changeTask,
  endingOf,
  moveCharge,
  postpone,
  taskOf,
  tasksOfUser,
  tasksWithIds,
} from "./store.ts";
import { POLL_SECONDS } from "./times.ts";

async function known(context: TaskContext, requestId: string): Promise<StoredTask> {
  const task = await taskOf(context, requestId);
  if (task === undefined) throw new Error(`the row of the task of request ${requestId} is gone`);
  return task;
}

async function accepted(context: TaskContext, requestId: string, code: number, news: TaskNews): Promise<void> {
  const task = await known(context, requestId);
  const now = nowSeconds(context);
  await changeTask(context, task.id, {
    ...changesOf(task, news, context.clock()),
    task_id: news.taskId || requestId,
    code,
    updated_at: now,
    next_poll_time: now + POLL_SECONDS,
  });
}

/** The charge is counted for a task that may have ended meanwhile, by a notice. */
async function charged(context: TaskContext, requestId: string, quota: number): Promise<void> {
  for (;;) {
    const task = await known(context, requestId);
    if (task.charge !== "pending") return;
    const ending = endingOf(task.status, "charged", nowSeconds(context));
    if (await moveCharge(context, task, { charge: "charged", quota, ...ending })) return;
  }
}

async function refused(context: TaskContext, requestId: string, code: number, words: string): Promise<void> {
  const task = await known(context, requestId);
  await changeTask(context, task.id, {
    ...changesOf(task, { taskId: "", status: "FAILURE", failReason: words }, context.clock()),
    fail_code: words === "" ? "not_accepted" : "",
    code,
    charge: "uncharged",
    next_poll_time: 0,
  });
}

async function notified(
  context: TaskContext,
  platform: TaskPlatform,
  secret: string,
  news: TaskNews,
): Promise<boolean> {
  const hash = context.secrets.hash("task_notice", secret);
  const tasks = await tasksWithIds(context, platform, [news.taskId]);
  const task = tasks.find(({ notify_hash }) => notify_hash === hash);
  if (task === undefined) return false;
  await applyNews(context, [{ task, news }]);
  return true;
}

/** Rejects as the ledger does where the database is away, so that the client is asked to come again. */
const asBooks = (error: unknown): never => {
  throw isRetryable(error) ? new LedgerFault("unavailable", error) : error;
};

/** The same desk, whose methods reject with a LedgerFault "unavailable" where the database does not answer. */
const withFaults = (desk: TaskDesk): TaskDesk => ({
  ...desk,
  begin: (task) => desk.begin(task).catch(asBooks),
  accepted: (...told) => desk.accepted(...told).catch(asBooks),
  charged: (...told) => desk.charged(...told).catch(asBooks),
  refused: (...told) => desk.refused(...told).catch(asBooks),
  find: (...asked) => desk.find(...asked).catch(asBooks),
  list: (...asked) => desk.list(...asked).catch(asBooks),
  withId: (...asked) => desk.withId(...asked).catch(asBooks),
  wake: (task) => desk.wake(task).catch(asBooks),
  notified: (...told) => desk.notified(...told).catch(asBooks),
  remove: (task) => desk.remove(task).catch(asBooks),
});

/** @param context what all parts of the tasks share */
export function createTaskDesk(context: TaskContext): TaskDesk {
  return withFaults({
    begin: (task) => beginTask(context, task),
    accepted: (requestId, code, news) => accepted(context, requestId, code, news),
    charged: (requestId, quota) => charged(context, requestId, quota),
    refused: (requestId, code, words) => refused(context, requestId, code, words),
    find: async (userId, platform, taskIds) =>
      (await tasksWithIds(context, platform, taskIds)).filter(({ user_id }) => user_id === userId),
    list: (userId, platform, page) => tasksOfUser(context, userId, platform, page),
    withId: (platform, taskId) => tasksWithIds(context, platform, [taskId]),
    async wake(task) {
      if (isFinished(task.status)) return;
      await postpone(context, [task], { next_poll_time: nowSeconds(context) });
    },
    notified: (platform, secret, news) => notified(context, platform, secret, news),
    remove: (task) => changeTask(context, task.id, { deleted_at: nowSeconds(context) }),
    pictureUrl: (task) => imageAddress(context.snapshot.options, context.secrets, task),
    isSigned: (task, sign) => isResultSignature(context.secrets, task, sign),
  });
}
