/** The log of songs, lyrics and videos, newest first; owners see no channels. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { listPage, queryInteger, queryMomentMs, queryPage, queryText } from "../query.ts";

// What the logs of image tasks, songs and videos have in common: fields of a row, and filters.

/** Totals are exact up to this many rows, and pages end here. */
export const TASK_TOTAL_CAP = 10_000;

/** Fields of every row. */
export const taskFields = {
  id: z.number(),
  /** Of the call that asked for it: its charge is in the usage log under this id. */
  request_id: z.string(),
  user_id: z.number(),
  /** Unix seconds. */
  created_at: z.number(),
  action: z.string(),
  /** As prices know it. */
  model: z.string(),
  /** One of TASK_STATUSES. */
  status: z.string(),
  /** "0%" to "100%". */
  progress: z.string(),
  /** One of TASK_FAIL_CODES where this gateway gave it up; else "". */
  fail_code: z.string(),
  /** The upstream's own reason. */
  fail_reason: z.string(),
  /** What it was charged. */
  quota: z.number(),
  /** One of TASK_CHARGES. */
  charge: z.string(),
};

/** What administrators get besides. */
export const taskOrigin = {
  username: z.string(),
  channel_id: z.number(),
  /** "" where the channel no longer exists. */
  channel_name: z.string(),
};

/** The bare list that the console's first clients read, or with `page_size` a page as other lists have it. */
export const taskList = <const Row extends z.ZodType>(row: Row) => z.union([z.array(row), listPage(row)]);

/** What the summaries of these lists say of their form. */
export const TASK_LIST_FORM =
  "Without `page_size` a bare list of 10, whose pages count from 0 and whose total is in X-Total-Count; with it a page, counted from 1";

export const taskFilters = {
  /** Counts from 0 without `page_size`, and from 1 with it. */
  p: queryPage(0),
  page_size: queryInteger,
  /** Blanks in it are ignored. */
  request_id: queryText.transform((id) => id?.replaceAll(/\s/g, "")),
  action: queryText,
  status: queryText,
  /** Of the submission, inclusive; in milliseconds or seconds. */
  start_timestamp: queryMomentMs,
  end_timestamp: queryMomentMs,
};

/** Filters of administrators. */
export const originFilters = { channel_id: queryInteger, username: queryText };

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
  act: "logs",
  object: "site",
  summary: `Tasks of everybody but drawings, newest first. ${TASK_LIST_FORM}`,
  query: z.object({ ...ownFilters, ...originFilters }),
  data: taskList(task),
});

export const listOwnTasks = endpoint({
  method: "GET",
  path: "/api/task/self",
  access: "user",
  object: "own",
  summary: `Own tasks but drawings, newest first. ${TASK_LIST_FORM}`,
  query: z.object(ownFilters),
  data: taskList(ownTask),
});
