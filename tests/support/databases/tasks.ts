/** Rows of the table of tasks, for tests of what reads it. */
import { randomUUID } from "node:crypto";
import type { Insertable } from "kysely";
import type { Database } from "../../../server/src/db/database.ts";
import type { TaskTable } from "../../../server/src/db/task-table.ts";

/** An image task of this user that is done and was charged nothing. */
export const newTask = (userId: number): Insertable<TaskTable> => ({
  created_at: 1_790_000_000,
  updated_at: 1_790_000_000,
  platform: "mj",
  action: "IMAGINE",
  task_id: "",
  request_id: randomUUID(),
  user_id: userId,
  token_id: 0,
  channel_id: 0,
  model: "",
  quota: 0,
  charge: "charged",
  code: 1,
  status: "SUCCESS",
  progress: 100,
  prompt: "",
  result_url: "",
  fail_code: "",
  fail_reason: "",
  submit_time_ms: 1_790_000_000_000,
  start_time_ms: 0,
  finish_time_ms: 0,
  notify_url: "",
  notify_hash: "",
  properties: "",
  data: "null",
  next_poll_time: 0,
  silent_polls: 0,
  deleted_at: null,
});

/** Videos by OpenAI's API that are due to be asked for, so many of one channel; nothing is paid for them. */
export async function addOpenVideos(
  { kysely }: Database,
  { channelId, count, nowSeconds }: { channelId: number; count: number; nowSeconds: number },
): Promise<void> {
  for (let at = 0; at < count; at += 500) {
    const rows = Array.from({ length: Math.min(500, count - at) }, (_, index) => ({
      ...newTask(1),
      created_at: nowSeconds,
      updated_at: nowSeconds,
      platform: "video",
      action: "GENERATE",
      task_id: `c${channelId}v${at + index}`,
      channel_id: channelId,
      charge: "uncharged",
      status: "QUEUED",
      progress: 0,
      properties: '{"format":"openai"}',
      next_poll_time: nowSeconds - 1,
    }));
    await kysely.insertInto("tasks").values(rows).execute();
  }
}
