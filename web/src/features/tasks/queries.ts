/** The queries of both logs: pages of all users for administrators and of their own for all others, polled while something is running. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { listDrawings, listOwnDrawings } from "../../../../contract/src/features/drawing.ts";
import { listOwnTasks, listTasks } from "../../../../contract/src/features/tasks.ts";
import { call } from "../../lib/api.ts";
import type { ListState } from "../../ui/data-table/list-state.ts";
import { boundsOf, parseRange, type Preset, type TimeRange } from "../../ui/time-range/range.ts";
import { imageRow, isRunning, type LogKind, type TaskRow, taskRow } from "./model/task-row.ts";

/** Their names in the address. An id stands alone: its task may be of any time. */
export const FILTERS = [
  "mj_id",
  "task_id",
  "request_id",
  "platform",
  "action",
  "status",
  "username",
  "channel_id",
  "range",
  "start_timestamp",
  "end_timestamp",
] as const;
export type TaskFilterName = (typeof FILTERS)[number];
export type TaskList = ListState<TaskFilterName>;

/** The recent period each log opens with. */
export const DEFAULT_PRESETS: Readonly<Record<LogKind, Preset>> = { drawing: "days30", tasks: "today" };

export interface TaskView {
  kind: LogKind;
  isAdmin: boolean;
  filters: TaskList["filters"];
  range: TimeRange;
}

export const viewOf = (kind: LogKind, isAdmin: boolean, { filters }: Pick<TaskList, "filters">): TaskView => ({
  kind,
  isAdmin,
  filters,
  range: parseRange(filters, DEFAULT_PRESETS[kind]),
});

export interface TaskPage {
  rows: TaskRow[];
  total: number;
}

/** Presets move with the clock: their moments are taken when the question is asked. */
function asked({ filters, range, isAdmin }: TaskView) {
  const { mj_id, task_id, request_id, platform, action, status, username, channel_id } = filters;
  const ids = { mj_id, task_id, request_id };
  if (Object.values(ids).some((id) => id !== undefined)) return ids;
  const { start, end } = boundsOf(range, Date.now());
  const own = { platform, action, status, start_timestamp: start, end_timestamp: end };
  return isAdmin ? { ...own, username, channel_id } : own;
}

async function askImageTasks(isAdmin: boolean, query: object, signal: AbortSignal): Promise<TaskPage> {
  const list = isAdmin ? await call(listDrawings, { query, signal }) : await call(listOwnDrawings, { query, signal });
  return Array.isArray(list) ? bareList(list.map(imageRow)) : { rows: list.items.map(imageRow), total: list.total };
}

async function askTasks(isAdmin: boolean, query: object, signal: AbortSignal): Promise<TaskPage> {
  const list = isAdmin ? await call(listTasks, { query, signal }) : await call(listOwnTasks, { query, signal });
  return Array.isArray(list) ? bareList(list.map(taskRow)) : { rows: list.items.map(taskRow), total: list.total };
}

/** What a list without `page_size` would say; this page always sends one. */
const bareList = (rows: TaskRow[]): TaskPage => ({ rows, total: rows.length });

const ask = { drawing: askImageTasks, tasks: askTasks } as const;

const RUNNING_EVERY_MS = 5000;

/** One page, newest first. */
export const tasksQuery = (view: TaskView, page: number, size: number) =>
  queryOptions({
    queryKey: ["tasks", view, page, size],
    queryFn: ({ signal }) => ask[view.kind](view.isAdmin, { ...asked(view), p: page, page_size: size }, signal),
    placeholderData: keepPreviousData,
    // Only where the page has something that moves; a tab that is hidden asks nothing, and one question that failed ends it.
    refetchInterval: ({ state }) =>
      state.status !== "error" && state.data?.rows.some(isRunning) === true ? RUNNING_EVERY_MS : false,
  });

/** Whether there is any at all: whether an empty period is an empty log. */
export const anyTasksQuery = (kind: LogKind, isAdmin: boolean) =>
  queryOptions({
    queryKey: ["tasks", "any", kind, isAdmin],
    queryFn: async ({ signal }) => (await ask[kind](isAdmin, { page_size: 1 }, signal)).total > 0,
  });
