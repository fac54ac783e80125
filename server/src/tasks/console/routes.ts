/** The task log over HTTP. */
import { defineHandlers } from "../../console/http/handlers.ts";
import { askOwn } from "../../console/own-questions.ts";
import { totalHeader } from "../../console/http/total-header.ts";
import type { SentTaskQuery } from "./views.ts";
import { filterOf, pagingOf } from "./views.ts";
import { listOwnTasks, listTasks } from "./service.ts";

const SECOND_MS = 1000;

/** An end is a whole second here: what was sent within it belongs to it. */
const endOf = (ms: number | undefined) =>
  ms === undefined ? undefined : Math.floor(ms / SECOND_MS) * SECOND_MS + SECOND_MS - 1;

const taskFilter = (sent: SentTaskQuery & { task_id?: string | undefined; platform?: string | undefined }) => ({
  ...filterOf(sent),
  taskId: sent.task_id,
  platform: sent.platform,
  endMs: endOf(sent.end_timestamp),
});

export const tasksHandlers = defineHandlers("tasks", {
  async listTasks({ context, query }) {
    const { rows, total } = await listTasks(context, taskFilter(query), pagingOf(query));
    return { data: rows, headers: totalHeader(total) };
  },
  async listOwnTasks({ context, session: { user }, query }) {
    const { rows, total } = await askOwn(context, user.id, (asked) =>
      listOwnTasks(asked, user.id, taskFilter(query), pagingOf(query)),
    );
    return { data: rows, headers: totalHeader(total) };
  },
});
