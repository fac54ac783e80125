/** Maps task rows to responses of the console API. */
import type { OwnImageTask } from "../../../../contract/src/features/drawing.ts";
import type { OwnTask } from "../../../../contract/src/features/tasks.ts";
import type { ImageTaskData } from "../../../../contract/src/tasks.ts";
import type { ConsoleContext } from "../../console/http/handlers.ts";
import type { StoredTask } from "../kinds/kind.ts";
import { imageAddress, videoAddress } from "../result-address.ts";

type ViewContext = Pick<ConsoleContext, "snapshot" | "secrets">;

/** JSON as it was stored; the text itself where another program stored something else, and null for nothing. */
function storedJson(text: string): unknown {
  if (text === "") return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The fields that every kind of task has. */
const commonView = (row: StoredTask) => ({
  id: row.id,
  request_id: row.request_id,
  user_id: row.user_id,
  created_at: row.created_at,
  action: row.action,
  model: row.model,
  status: row.status,
  progress: `${row.progress}%`,
  fail_code: row.fail_code,
  fail_reason: row.fail_reason,
  quota: row.quota,
  charge: row.charge,
});

/** The fields of an image task's data, each still to be checked: it is text in the database. */
function imageDataOf({ data }: StoredTask): Partial<Record<keyof ImageTaskData, unknown>> {
  const value = storedJson(data);
  return typeof value === "object" && value !== null ? value : {};
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const jsonOf = (value: unknown): string => (value === undefined || value === null ? "" : JSON.stringify(value));

/** An image task as its owner reads it; times in milliseconds. */
export function imageTaskView(row: StoredTask, { snapshot, secrets }: ViewContext): OwnImageTask {
  const data = imageDataOf(row);
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
    image_url: imageAddress(snapshot.options, secrets, row),
    video_urls: Array.isArray(data.video_urls) ? data.video_urls.map(textOf) : [],
    buttons: jsonOf(data.buttons),
    properties: jsonOf(data.properties),
  };
}

/** The properties of a row without what only polls need, which may name the operator's account at a vendor. */
function shownProperties({ properties }: StoredTask): unknown {
  const stored = storedJson(properties);
  if (typeof stored !== "object" || stored === null || !("poll" in stored)) return stored;
  const { poll: _internal, ...shown } = stored;
  return shown;
}

const seconds = (timeMs: number): number => Math.floor(timeMs / 1000);

/** A song or a video as its owner reads it; times in seconds. */
export function taskView(row: StoredTask, { snapshot, secrets }: ViewContext): OwnTask {
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
    properties: shownProperties(row),
    data: storedJson(row.data),
  };
}
