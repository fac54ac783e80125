/** Reading the task log: administrators see all of it with channels and people, everybody else their own tasks without them. */
import type { OwnTask, Task } from "../../../../contract/src/features/tasks.ts";
import { TASK_PLATFORMS } from "../../../../contract/src/tasks/task.ts";
import type { ConsoleContext } from "../../console/http/handlers.ts";
import { videoAddress } from "../result-address.ts";
import type { StoredTask, TaskFilter, TaskPaging } from "./store.ts";
import { findTasks, originsOf } from "./store.ts";
import { commonView, parsed } from "./views.ts";

type TaskContext = Pick<ConsoleContext, "database" | "snapshot" | "secrets">;

export interface TaskListFilter extends Omit<TaskFilter, "platforms" | "userId"> {
  /** Undefined for all. */
  platform: string | undefined;
}

/** Drawings have a log of their own. */
const PLATFORMS = TASK_PLATFORMS.filter((platform) => platform !== "mj");

const seconds = (ms: number): number => Math.floor(ms / 1000);

function ownView(row: StoredTask, { snapshot, secrets }: TaskContext): OwnTask {
  return {
    ...commonView(row),
    updated_at: row.updated_at,
    task_id: row.task_id,
    platform: row.platform,
    prompt: row.prompt,
    submit_time: seconds(row.submit_time_ms),
    start_time: seconds(row.start_time_ms),
    finish_time: seconds(row.finish_time_ms),
    result_url: row.platform === "video" ? videoAddress(snapshot.options, secrets, row) : row.result_url,
    properties: parsed(row.properties),
    data: parsed(row.data),
  };
}

const NOTHING = { rows: [], total: 0 };

function filterOf({ platform, ...filter }: TaskListFilter): TaskFilter | undefined {
  const platforms = PLATFORMS.filter((each) => platform === undefined || each === platform);
  return platforms.length === 0 ? undefined : { ...filter, platforms };
}

/** Tasks of everybody. Throws range_too_wide beyond 10,000 rows. */
export async function listTasks(
  context: TaskContext,
  asked: TaskListFilter,
  paging: TaskPaging,
): Promise<{ rows: Task[]; total: number }> {
  const filter = filterOf(asked);
  if (filter === undefined) return NOTHING;
  const { database, snapshot } = context;
  const { rows, total } = await findTasks(database, filter, paging);
  const originOf = await originsOf(database, rows, (id) => snapshot.channelById(id));
  return { rows: rows.map((row) => ({ ...ownView(row, context), ...originOf(row) })), total };
}

/** Tasks of one user, as that user may see them. Throws range_too_wide beyond 10,000 rows. */
export async function listOwnTasks(
  context: TaskContext,
  userId: number,
  asked: TaskListFilter,
  paging: TaskPaging,
): Promise<{ rows: OwnTask[]; total: number }> {
  const filter = filterOf({ ...asked, username: undefined, channelId: undefined });
  if (filter === undefined) return NOTHING;
  const { rows, total } = await findTasks(context.database, { ...filter, userId }, paging);
  return { rows: rows.map((row) => ownView(row, context)), total };
}
