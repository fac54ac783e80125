/** The log of songs, lyrics and videos, newest first; owners see no channels. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { queryText } from "../query.ts";
import { originFilters, taskFields, taskFilters, taskOrigin } from "../tasks/task-list.ts";

export const ownTask = z.object({
  ...taskFields,
  /** Unix seconds, as all times of a task. */
  updated_at: z.number(),
  task_id: z.string(),
  platform: z.string(),
  prompt: z.string(),
  /** 0 where it has not come to that, as in the next two. */
  submit_time: z.number(),
  start_time: z.number(),
  finish_time: z.number(),
  /** Where the upstream has the first song, or this site passes the video on; "" while there is none. */
  result_url: z.string(),
  /** What its kind keeps of the request. */
  properties: z.unknown(),
  /** What came of it, as the upstream gave it; null while there is nothing. */
  data: z.unknown(),
});
export type OwnTask = z.output<typeof ownTask>;

export const task = ownTask.extend(taskOrigin);
export type Task = z.output<typeof task>;

const ownFilters = { ...taskFilters, task_id: queryText, platform: queryText };

export const listTasks = endpoint({
  method: "GET",
  path: "/api/task",
  access: "admin",
  object: "site",
  summary: "Tasks of everybody but drawings, newest first; pages count from 0, the total is in X-Total-Count",
  query: z.object({ ...ownFilters, ...originFilters }),
  data: z.array(task),
});

export const listOwnTasks = endpoint({
  method: "GET",
  path: "/api/task/self",
  access: "user",
  object: "own",
  summary: "Own tasks but drawings, newest first; pages count from 0, the total is in X-Total-Count",
  query: z.object(ownFilters),
  data: z.array(ownTask),
});
