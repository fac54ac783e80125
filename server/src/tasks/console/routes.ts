/** HTTP handlers of the task logs: one of image tasks, one of songs and videos. */
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "../../../../contract/src/query.ts";
import { defineHandlers } from "../../console/http/handlers.ts";
import { totalHeader } from "../../console/http/envelope.ts";
import { askOwn } from "../../console/http/user-queue.ts";
import { listAllImageTasks, listAllTasks, listImageTasksOf, listTasksOf } from "./service.ts";

const SECOND_MS = 1000;

/** The part of a query that both logs have. */
interface SentQuery {
  p: number;
  page_size?: number | undefined;
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

/** The page asked for. `page` counts from 0. */
function pagingOf({ p, page_size }: SentQuery): { page: number; pageSize: number } {
  if (page_size === undefined) return { page: p, pageSize: DEFAULT_PAGE_SIZE };
  const pageSize = page_size < 1 ? DEFAULT_PAGE_SIZE : Math.min(page_size, MAX_PAGE_SIZE);
  return { page: Math.max(0, p - 1), pageSize };
}

/** The bare list with its total as a header, or a page where the query has a size of pages. */
function listAnswer<Row>(query: SentQuery, { rows, total }: { rows: Row[]; total: number }) {
  const { page, pageSize } = pagingOf(query);
  const data = query.page_size === undefined ? rows : { items: rows, total, page: page + 1, page_size: pageSize };
  return { data, headers: totalHeader(total) };
}

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
    return listAnswer(query, await listAllImageTasks(context, imageFilterOf(query), pagingOf(query)));
  },
  async listOwnDrawings({ context, session: { user }, query }) {
    const found = await askOwn(context, user.id, (asked) =>
      listImageTasksOf(asked, user.id, imageFilterOf(query), pagingOf(query)),
    );
    return listAnswer(query, found);
  },
});

export const taskLogHandlers = defineHandlers("tasks", {
  async listTasks({ context, query }) {
    return listAnswer(query, await listAllTasks(context, taskFilterOf(query), pagingOf(query)));
  },
  async listOwnTasks({ context, session: { user }, query }) {
    const found = await askOwn(context, user.id, (asked) =>
      listTasksOf(asked, user.id, taskFilterOf(query), pagingOf(query)),
    );
    return listAnswer(query, found);
  },
});
