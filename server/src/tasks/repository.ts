/** The repository through which the relay writes and reads tasks: it caches nothing, so every process can serve every task. */
import { type TaskPlatform, isFinished } from "../../../contract/src/tasks.ts";
import { LedgerFault } from "../billing/billing.ts";
import { isRetryable } from "../db/portable.ts";
import type { TaskRepository } from "../relay/call/ports.ts";
import { type TaskContext, POLL_SECONDS, nowSeconds } from "./context.ts";
import type { StoredTask, TaskEvent } from "./kinds/kind.ts";
import { applyEvents } from "./events.ts";
import { isResultSignature, resultAddress } from "./result-address.ts";
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

async function existingTask(context: TaskContext, requestId: string): Promise<StoredTask> {
  const task = await taskOf(context, requestId);
  if (task === undefined) throw new Error(`the row of the task of request ${requestId} is gone`);
  return task;
}

async function accepted(context: TaskContext, requestId: string, code: number, event: TaskEvent): Promise<void> {
  const task = await existingTask(context, requestId);
  const now = nowSeconds(context);
  await changeTask(context, task.id, {
    ...changesOf(task, event, context.clock()),
    task_id: event.taskId || requestId,
    code,
    updated_at: now,
    next_poll_time: now + POLL_SECONDS,
  });
}

/** Notes the charge of a task, which a notification may have ended meanwhile. */
async function charged(context: TaskContext, requestId: string, quota: number): Promise<void> {
  for (;;) {
    const task = await existingTask(context, requestId);
    if (task.charge !== "pending") return;
    const ending = endingOf(task.status, "charged", nowSeconds(context));
    if (await moveCharge(context, task, { charge: "charged", quota, ...ending })) return;
  }
}

async function refused(context: TaskContext, requestId: string, code: number, reason: string): Promise<void> {
  const task = await existingTask(context, requestId);
  await changeTask(context, task.id, {
    ...changesOf(task, { taskId: "", status: "FAILURE", failReason: reason }, context.clock()),
    fail_code: reason === "" ? "not_accepted" : "",
    code,
    charge: "uncharged",
    next_poll_time: 0,
  });
}

async function notified(
  context: TaskContext,
  platform: TaskPlatform,
  secret: string,
  event: TaskEvent,
): Promise<boolean> {
  const hash = context.secrets.hash("task_notice", secret);
  const tasks = await tasksWithIds(context, platform, [event.taskId]);
  const task = tasks.find(({ notify_hash }) => notify_hash === hash);
  if (task === undefined) return false;
  await applyEvents(context, [{ task, event }]);
  return true;
}

/** Throws as the ledger does where the database does not answer, so that the client is asked to try again. */
const throwAsLedger = (error: unknown): never => {
  throw isRetryable(error) ? new LedgerFault("unavailable", error) : error;
};

/** The same repository, whose methods reject with a LedgerFault "unavailable" where the database does not answer. */
const withLedgerFaults = (repository: TaskRepository): TaskRepository => ({
  ...repository,
  begin: (task) => repository.begin(task).catch(throwAsLedger),
  accepted: (...values) => repository.accepted(...values).catch(throwAsLedger),
  charged: (...values) => repository.charged(...values).catch(throwAsLedger),
  refused: (...values) => repository.refused(...values).catch(throwAsLedger),
  find: (...values) => repository.find(...values).catch(throwAsLedger),
  list: (...values) => repository.list(...values).catch(throwAsLedger),
  withId: (...values) => repository.withId(...values).catch(throwAsLedger),
  wake: (task) => repository.wake(task).catch(throwAsLedger),
  notified: (...values) => repository.notified(...values).catch(throwAsLedger),
  remove: (task) => repository.remove(task).catch(throwAsLedger),
});

/** The repository of this database's tasks. Its methods reject with a LedgerFault "unavailable" where the database does not answer. */
export function createTaskRepository(context: TaskContext): TaskRepository {
  return withLedgerFaults({
    begin: (task) => beginTask(context, task),
    accepted: (requestId, code, event) => accepted(context, requestId, code, event),
    charged: (requestId, quota) => charged(context, requestId, quota),
    refused: (requestId, code, reason) => refused(context, requestId, code, reason),
    find: async (userId, platform, taskIds) =>
      (await tasksWithIds(context, platform, taskIds)).filter(({ user_id }) => user_id === userId),
    list: (userId, platform, page) => tasksOfUser(context, userId, platform, page),
    withId: (platform, taskId) => tasksWithIds(context, platform, [taskId]),
    async wake(task) {
      if (isFinished(task.status)) return;
      await postpone(context, [task], { next_poll_time: nowSeconds(context) });
    },
    notified: (platform, secret, event) => notified(context, platform, secret, event),
    remove: (task) => changeTask(context, task.id, { deleted_at: nowSeconds(context) }),
    resultUrl: (task) => resultAddress(context.snapshot.options, context.secrets, task),
    isSigned: (task, signature) => isResultSignature(context.secrets, task, signature),
  });
}
