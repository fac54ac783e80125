/** HTTP handlers of the task logs: one of image tasks, one of songs and videos. */
import { defineHandlers } from "../../console/http/handlers.ts";
import { totalHeader } from "../../console/http/envelope.ts";
import { askOwn } from "../../console/http/user-queue.ts";
import { listAllImageTasks, listAllTasks, listImageTasksOf, listTasksOf } from "./service.ts";

const SECOND_MS = 1000;

/** The part of a query that both logs have. */
interface SentQuery {
  p: number;
  page_size: number;
  username?: string | undefined;
  channel_id?: number | undefined;
  request_id?: string | undefined;
  action?: string | undefined;
  status?: string | undefined;
  start_timestamp?: number | undefined;
  end_timestamp?: number | undefined;
}

/** A channel of 0 is none, and all of them to clients of this API family. */
const filterOf = (sent: SentQuery) => ({
  username: sent.username,
  channelId: sent.channel_id === 0 ? undefined : sent.channel_id,
  requestId: sent.request_id,
  action: sent.action,
  status: sent.status,
  startMs: sent.start_timestamp,
  endMs: sent.end_timestamp,
});

const pagingOf = ({ p, page_size }: SentQuery) => ({ page: p, pageSize: page_size });

const imageFilterOf = (sent: SentQuery & { mj_id?: string | undefined }) => ({
  ...filterOf(sent),
  taskId: sent.mj_id,
});

/** The end of the second in which a time lies: this log shows whole seconds, so what was sent within the last one belongs to it. */
const endOfSecond = (ms: number | undefined) =>
  ms === undefined ? undefined : Math.floor(ms / SECOND_MS) * SECOND_MS + SECOND_MS - 1;

const taskFilterOf = (sent: SentQuery & { task_id?: string | undefined; platform?: string | undefined }) => ({
  ...filterOf(sent),
  taskId: sent.task_id,
  platform: sent.platform,
  endMs: endOfSecond(sent.end_timestamp),
});

export const imageLogHandlers = defineHandlers("drawing", {
  async listDrawings({ context, query }) {
    const { rows, total } = await listAllImageTasks(context, imageFilterOf(query), pagingOf(query));
    return { data: rows, headers: totalHeader(total) };
  },
  async listOwnDrawings({ context, session: { user }, query }) {
    const { rows, total } = await askOwn(context, user.id, (asked) =>
      listImageTasksOf(asked, user.id, imageFilterOf(query), pagingOf(query)),
    );
    return { data: rows, headers: totalHeader(total) };
  },
});

export const taskLogHandlers = defineHandlers("tasks", {
  async listTasks({ context, query }) {
    const { rows, total } = await listAllTasks(context, taskFilterOf(query), pagingOf(query));
    return { data: rows, headers: totalHeader(total) };
  },
  async listOwnTasks({ context, session: { user }, query }) {
    const { rows, total } = await askOwn(context, user.id, (asked) =>
      listTasksOf(asked, user.id, taskFilterOf(query), pagingOf(query)),
    );
    return { data: rows, headers: totalHeader(total) };
  },
});
