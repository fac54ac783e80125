/** Reading the drawing log: administrators see all of it with channels and people, everybody else their own drawings without them. */
import type { Drawing, OwnDrawing } from "../../../../contract/src/features/drawing.ts";
import type { DrawingData } from "../../../../contract/src/tasks/image.ts";
import type { ConsoleContext } from "../../console/http/handlers.ts";
import type { StoredTask, TaskFilter, TaskPaging } from "./store.ts";
import { findTasks, originsOf } from "./store.ts";
import { pictureAddress } from "../result-address.ts";
import { commonView, parsed } from "./views.ts";

type DrawingContext = Pick<ConsoleContext, "database" | "snapshot" | "secrets">;

export type DrawingFilter = Omit<TaskFilter, "platforms" | "userId">;

const PLATFORMS = ["mj"] as const;
/** Nothing of it is certain: it is text in the database. */
function dataOf({ data }: StoredTask): Partial<Record<keyof DrawingData, unknown>> {
  const value = parsed(data);
  return typeof value === "object" && value !== null ? value : {};
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const jsonOf = (value: unknown): string => (value === undefined || value === null ? "" : JSON.stringify(value));

function ownView(row: StoredTask, { snapshot, secrets }: DrawingContext): OwnDrawing {
  const data = dataOf(row);
  return {
    ...commonView(row),
    mj_id: row.task_id,
    prompt: row.prompt,
    prompt_en: textOf(data.prompt_en),
    description: textOf(data.description),
    state: textOf(data.state),
    submit_time: row.submit_time_ms,
    start_time: row.start_time_ms,
    finish_time: row.finish_time_ms,
    image_url: pictureAddress(snapshot.options, secrets, row),
    buttons: jsonOf(data.buttons),
    properties: jsonOf(data.properties),
  };
}

/** Drawings of everybody. Throws range_too_wide beyond 10,000 rows. */
export async function listDrawings(
  context: DrawingContext,
  filter: DrawingFilter,
  paging: TaskPaging,
): Promise<{ rows: Drawing[]; total: number }> {
  const { database, snapshot } = context;
  const { rows, total } = await findTasks(database, { ...filter, platforms: PLATFORMS }, paging);
  const originOf = await originsOf(database, rows, (id) => snapshot.channelById(id));
  const shown = rows.map((row) => ({ ...ownView(row, context), ...originOf(row), code: row.code }));
  return { rows: shown, total };
}

/** Drawings of one user, as that user may see them. Throws range_too_wide beyond 10,000 rows. */
export async function listOwnDrawings(
  context: DrawingContext,
  userId: number,
  filter: DrawingFilter,
  paging: TaskPaging,
): Promise<{ rows: OwnDrawing[]; total: number }> {
  const own = { ...filter, platforms: PLATFORMS, userId, username: undefined, channelId: undefined };
  const { rows, total } = await findTasks(context.database, own, paging);
  return { rows: rows.map((row) => ownView(row, context)), total };
}
