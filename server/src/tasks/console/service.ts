/** Lists tasks for the console: administrators read everyone's with channel and username, users read their own without them. */
import type { ImageTask, OwnImageTask } from "../../../../contract/src/features/drawing.ts";
import type { OwnTask, Task } from "../../../../contract/src/features/tasks.ts";
import { TASK_PLATFORMS, type TaskPlatform } from "../../../../contract/src/tasks.ts";
import type { ConsoleContext } from "../../console/http/handlers.ts";
import type { StoredTask } from "../kinds/kind.ts";
import { type TaskFilter, type TaskOrigin, type TaskPaging, findTasks, originsOf } from "./store.ts";
import { imageTaskView, taskView } from "./views.ts";

type LogContext = Pick<ConsoleContext, "database" | "snapshot" | "secrets">;

/** Filters of the log of image tasks. */
export type ImageLogFilter = Omit<TaskFilter, "platforms" | "userId">;

/** Filters of the log of songs and videos. */
export interface TaskLogFilter extends ImageLogFilter {
  /** Undefined for all. */
  platform: string | undefined;
}

interface Page<Row> {
  rows: Row[];
  /** On all pages, at most the cap. */
  total: number;
}

const IMAGE_PLATFORMS: readonly TaskPlatform[] = ["mj"];
const OTHER_PLATFORMS = TASK_PLATFORMS.filter((platform) => !IMAGE_PLATFORMS.includes(platform));

async function pageOfAll<View>(
  { database, snapshot }: LogContext,
  filter: TaskFilter,
  paging: TaskPaging,
  view: (row: StoredTask, origin: TaskOrigin) => View,
): Promise<Page<View>> {
  const { rows, total } = await findTasks(database, filter, paging);
  const originOf = await originsOf(database, rows, (id) => snapshot.channelById(id));
  return { rows: rows.map((row) => view(row, originOf(row))), total };
}

async function pageOfUser<View>(
  { database }: LogContext,
  userId: number,
  filter: TaskFilter,
  paging: TaskPaging,
  view: (row: StoredTask) => View,
): Promise<Page<View>> {
  const own = { ...filter, userId, username: undefined, channelId: undefined };
  const { rows, total } = await findTasks(database, own, paging);
  return { rows: rows.map(view), total };
}

/** Image tasks of all users. Throws range_too_wide beyond 10,000 rows. */
export const listAllImageTasks = (
  context: LogContext,
  filter: ImageLogFilter,
  paging: TaskPaging,
): Promise<Page<ImageTask>> =>
  pageOfAll(context, { ...filter, platforms: IMAGE_PLATFORMS }, paging, (row, origin) => ({
    ...imageTaskView(row, context),
    ...origin,
    code: row.code,
  }));

/** Image tasks of one user, as that user may see them. Throws range_too_wide beyond 10,000 rows. */
export const listImageTasksOf = (
  context: LogContext,
  userId: number,
  filter: ImageLogFilter,
  paging: TaskPaging,
): Promise<Page<OwnImageTask>> =>
  pageOfUser(context, userId, { ...filter, platforms: IMAGE_PLATFORMS }, paging, (row) => imageTaskView(row, context));

const withPlatforms = ({ platform, ...filter }: TaskLogFilter): TaskFilter => ({
  ...filter,
  platforms: OTHER_PLATFORMS.filter((each) => platform === undefined || each === platform),
});

/** Songs and videos of all users. Throws range_too_wide beyond 10,000 rows. */
export const listAllTasks = (context: LogContext, filter: TaskLogFilter, paging: TaskPaging): Promise<Page<Task>> =>
  pageOfAll(context, withPlatforms(filter), paging, (row, origin) => ({ ...taskView(row, context), ...origin }));

/** Songs and videos of one user, as that user may see them. Throws range_too_wide beyond 10,000 rows. */
export const listTasksOf = (
  context: LogContext,
  userId: number,
  filter: TaskLogFilter,
  paging: TaskPaging,
): Promise<Page<OwnTask>> =>
  pageOfUser(context, userId, withPlatforms(filter), paging, (row) => taskView(row, context));
