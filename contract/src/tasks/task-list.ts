/** What the logs of image tasks, songs and videos have in common: fields of a row, and filters. */
import { z } from "zod";
import { queryInteger, queryMomentMs, queryPage, queryPageSize, queryText } from "../query.ts";

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

/** Pages count from 0. */
export const taskFilters = {
  p: queryPage(0),
  page_size: queryPageSize,
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
