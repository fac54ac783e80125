/** Usage log endpoints: rows, totals and single receipts. Users' rows say nothing about channels. */
import { z } from "zod";
import { endpoint, streamEndpoint } from "../endpoint.ts";
import { integerOf, pathId, queryPage, queryPageSize, queryTime } from "../query.ts";
import {
  logFilters as filters,
  LOG_VIEWS_MAX,
  newLogView,
  savedLogView,
  siteLogFilters as adminFilters,
} from "../logs/filters.ts";
import {
  LOG_FACETS,
  LOG_GROUP_FIELDS,
  LOG_GROUP_ORDERS,
  logFacets,
  logGroups,
  logHistogram,
  OWN_FACETS,
  OWN_GROUP_FIELDS,
} from "../logs/sums.ts";

/** Totals are exact up to this many rows, and pages end here. */
export const LOG_TOTAL_CAP = 10_000;

export const userLog = z.object({
  id: z.number(),
  request_id: z.string(),
  user_id: z.number(),
  created_at: z.number(),
  type: z.number(),
  content: z.string(),
  username: z.string(),
  token_id: z.number(),
  token_name: z.string(),
  model_name: z.string(),
  group: z.string(),
  quota: z.number(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  /** Whole seconds, as clients of this API family read it. */
  use_time: z.number(),
  use_time_ms: z.number(),
  /** 0 for calls without a stream. */
  first_token_ms: z.number(),
  is_stream: z.boolean(),
  ip: z.string(),
  /** The receipt as JSON text; "{}" where there is none. */
  other: z.string(),
});
export type UserLog = z.output<typeof userLog>;

export const adminLog = userLog.extend({
  /** Channel id; 0 for none. */
  channel: z.number(),
  /** Blank where the channel no longer exists. */
  channel_name: z.string(),
  /** What the call cost at the upstream, in quota; null if unknown, and for rows that are no call. */
  upstream_cost: z.number().nullable(),
  /** By which the upstream that was tried last knows the request; "" where it named none. */
  upstream_request_id: z.string(),
});
export type AdminLog = z.output<typeof adminLog>;

const paging = {
  p: queryPage(1),
  page_size: queryPageSize,
  /** The `next` of the page before: the list continues behind its last row, whatever came meanwhile and however far that is; `p` is passed over. */
  after: z.string().max(40).optional(),
};

const pageOf = <Row extends z.ZodType>(row: Row) =>
  z.object({
    items: z.array(row),
    /** Exact up to 10,000; then 10,000 and `total_is_capped`. */
    total: z.number(),
    total_is_capped: z.boolean(),
    page: z.number(),
    page_size: z.number(),
    /** What the next page is asked for with, as `after`; "" behind the last row. */
    next: z.string(),
    /** Where no index serves the filters, only the newest part of the log is searched: from this time on (Unix seconds). 0: the whole range. */
    searched_since: z.number(),
  });

/** Times of the newest calls in milliseconds; 0 where nothing was measured. */
const quantiles = z.object({ p50: z.number(), p95: z.number(), calls: z.number() });

export const logStat = z.object({
  /** Quota used in the range. */
  quota: z.number(),
  /** Calls and tokens of the last 60 seconds. */
  rpm: z.number(),
  tpm: z.number(),
  /** Failed calls, exact up to 10,000; then 10,000 and `errors_are_capped`. */
  errors: z.number(),
  errors_are_capped: z.boolean(),
  /** Total times of answered calls, or of failed ones where the filters select only those. */
  total_time: quantiles,
  /** Times to the first token of streamed calls. */
  first_token: quantiles,
  /** The range has more calls than the newest ones, whose times were read. */
  is_sample: z.boolean(),
  /** As in a page of rows. */
  searched_since: z.number(),
});
export type LogStat = z.output<typeof logStat>;
/** Times are read from at most this many calls, the newest ones. */
export const LOG_TIMED_CALLS = 5000;

export const listLogs = endpoint({
  method: "GET",
  path: "/api/log",
  access: "admin",
  act: "logs",
  object: "site",
  summary: "Log rows of everybody, newest first",
  query: z.object({ ...adminFilters, ...paging }),
  data: pageOf(adminLog),
});

export const listOwnLogs = endpoint({
  method: "GET",
  path: "/api/log/self",
  access: "user",
  object: "own",
  summary: "Own log rows, newest first",
  query: z.object({ ...filters, ...paging }),
  data: pageOf(userLog),
});

export const statLogs = endpoint({
  method: "GET",
  path: "/api/log/stat",
  access: "admin",
  act: "logs",
  object: "site",
  summary: "Quota used in the range, its errors and times, calls and tokens of the last minute",
  query: z.object(adminFilters),
  data: logStat,
});

export const statOwnLogs = endpoint({
  method: "GET",
  path: "/api/log/self/stat",
  access: "user",
  object: "own",
  summary: "The same for the own calls",
  query: z.object(filters),
  data: logStat,
});

export const listLogFacets = endpoint({
  method: "GET",
  path: "/api/log/facets",
  access: "admin",
  act: "logs",
  object: "site",
  summary: "Values that a filter can take in the range, with the number of calls; the other filters hold",
  query: z.object({ ...adminFilters, field: z.enum(LOG_FACETS) }),
  data: logFacets,
});

export const listOwnLogFacets = endpoint({
  method: "GET",
  path: "/api/log/self/facets",
  access: "user",
  object: "own",
  summary: "The same of the own calls",
  query: z.object({ ...filters, field: z.enum(OWN_FACETS) }),
  data: logFacets,
});

export const drawLogHistogram = endpoint({
  method: "GET",
  path: "/api/log/histogram",
  access: "admin",
  act: "logs",
  object: "site",
  summary: "Calls, failures and spend of the range over time, in at most 100 bars; all filters hold",
  query: z.object(adminFilters),
  data: logHistogram,
});

export const drawOwnLogHistogram = endpoint({
  method: "GET",
  path: "/api/log/self/histogram",
  access: "user",
  object: "own",
  summary: "The same of the own calls",
  query: z.object(filters),
  data: logHistogram,
});

const groupOrder = z.enum(LOG_GROUP_ORDERS).optional();

export const groupLogs = endpoint({
  method: "GET",
  path: "/api/log/groups",
  access: "admin",
  act: "logs",
  object: "site",
  summary: "Calls, failures and spend of the range by one field, the largest first; all filters hold",
  query: z.object({ ...adminFilters, field: z.enum(LOG_GROUP_FIELDS), order: groupOrder }),
  data: logGroups,
});

export const groupOwnLogs = endpoint({
  method: "GET",
  path: "/api/log/self/groups",
  access: "user",
  object: "own",
  summary: "The same of the own calls",
  query: z.object({ ...filters, field: z.enum(OWN_GROUP_FIELDS), order: groupOrder }),
  data: logGroups,
});

export const getOwnReceipt = endpoint({
  method: "GET",
  path: "/api/log/self/request/{request_id}",
  access: "user",
  object: "own",
  summary: "The own log row of one call, by the request id of its answer",
  params: z.object({ request_id: z.string().min(1).max(100) }),
  data: userLog,
});

/** The user behind a name in the log. */
export const logPerson = z.object({
  id: z.number(),
  username: z.string(),
  display_name: z.string(),
  role: z.number(),
  status: z.number(),
  group: z.string(),
  /** Remaining quota. */
  quota: z.number(),
  used_quota: z.number(),
  request_count: z.number(),
});
export type LogPerson = z.output<typeof logPerson>;

export const getLogPerson = endpoint({
  method: "GET",
  path: "/api/log/user/{id}",
  access: "admin",
  act: "logs",
  object: "lowerRole",
  summary: "Who is behind a name in the log: balance, usage, group; of people below the caller's role",
  params: pathId,
  data: logPerson,
});

export const deleteLogs = endpoint({
  method: "DELETE",
  path: "/api/log",
  access: "admin",
  act: "logs",
  object: "site",
  summary:
    "Deletes log rows older than `target_timestamp` (Unix seconds); the ledger and the totals stay. Answers how many",
  query: z.object({ target_timestamp: queryTime }),
  data: z.number(),
});

const CSV = "text/csv; charset=utf-8";

export const exportLogs = streamEndpoint({
  method: "GET",
  path: "/api/log/export",
  access: "admin",
  act: "logs",
  object: "site",
  summary: "Log rows of everybody as CSV, newest first, as many as there are",
  query: z.object(adminFilters),
  mediaType: CSV,
});

export const exportOwnLogs = streamEndpoint({
  method: "GET",
  path: "/api/log/self/export",
  access: "user",
  object: "own",
  summary: "Own log rows as CSV, newest first, as many as there are",
  query: z.object(filters),
  mediaType: CSV,
});

/** Progress of deleting old rows in the background, or how the last run ended. */
export const clearProgress = z.object({
  running: z.boolean(),
  /** Rows older than this are deleted; Unix seconds. */
  target_timestamp: z.number(),
  done: z.number(),
  /** Exact up to 10,000, an estimate beyond. */
  total: z.number(),
  /** An administrator stopped the run before its end. */
  stopped: z.boolean(),
  /** The run failed; the server's log says why. */
  failed: z.boolean(),
  /** Username of the administrator who started the run. */
  started_by: z.string().default(""),
  started_time: z.number(),
  finished_time: z.number(),
});
export type ClearProgress = z.output<typeof clearProgress>;

const target = z.object({
  /** Unix seconds. */
  target_timestamp: z.union([z.number(), z.string()]).optional().transform(integerOf),
});

export const startClear = endpoint({
  method: "POST",
  path: "/api/log/clear",
  access: "admin",
  act: "logs",
  object: "site",
  summary: "Begins to delete log rows older than `target_timestamp` in the background; one at a time",
  body: target,
  data: clearProgress,
});

export const getClearProgress = endpoint({
  method: "GET",
  path: "/api/log/clear/progress",
  access: "admin",
  act: "logs",
  object: "site",
  summary: "How far the deletion in the background is, or how the last one ended",
  data: clearProgress,
});

export const stopClear = endpoint({
  method: "POST",
  path: "/api/log/clear/stop",
  access: "admin",
  act: "logs",
  object: "site",
  summary: "Ends the deletion in the background after its current chunk",
  data: clearProgress,
});

const oldLogs = z.object({
  /** Exact up to 10,000. */
  total: z.number(),
  is_exact: z.boolean(),
});
export type OldLogs = z.output<typeof oldLogs>;

export const countOldLogs = endpoint({
  method: "GET",
  path: "/api/log/clear/count",
  access: "admin",
  act: "logs",
  object: "site",
  summary: "How many log rows are older than `target_timestamp` (Unix seconds)",
  query: z.object({ target_timestamp: queryTime }),
  data: oldLogs,
});

const ownViews = { path: "/api/log/views", access: "user", object: "own" } as const;

export const listLogViews = endpoint({
  ...ownViews,
  method: "GET",
  summary: "Saved views of the log of the own account, the latest saved last",
  data: z.array(savedLogView),
});

export const saveLogViews = endpoint({
  ...ownViews,
  method: "POST",
  summary: "Saves views of the log, all or none; one of the same name takes the place of the earlier one. Answers all",
  body: z.object({ views: z.array(newLogView).min(1).max(LOG_VIEWS_MAX) }),
  data: z.array(savedLogView),
});

export const deleteLogView = endpoint({
  ...ownViews,
  method: "DELETE",
  path: "/api/log/views/{id}",
  summary: "Removes a saved view of the own account. Answers all that are left",
  params: pathId,
  data: z.array(savedLogView),
});
