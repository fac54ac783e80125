/** The usage log (spec sections 3, 7): rows, totals and one receipt. A user's rows carry no channel facts. */
import { z } from "zod";
import { endpoint, streamEndpoint } from "../endpoint.ts";
import { integerOf, pathId, queryInteger, queryPage, queryPageSize, queryText, queryTime } from "../query.ts";

export const LOG_TYPE = { topUp: 1, consumption: 2, admin: 3, system: 4, error: 5 } as const;
/** Totals are exact up to here, and pages reach this far. */
export const LOG_TOTAL_CAP = 10_000;

const amount = z.union([z.number(), z.string()]);

/** What the payer of a call sees of its receipt. Everything about channels stands under `admin_info`, which this does not name. */
export const userReceipt = z.object({
  model_ratio: amount.optional(),
  model_price: amount.optional(),
  group_ratio: amount.optional(),
  completion_ratio: amount.optional(),
  cache_tokens: z.number().optional(),
  cache_ratio: amount.optional(),
  cache_creation_tokens: z.number().optional(),
  cache_creation_ratio: amount.optional(),
  /** Written to a cache that lives an hour; beside `cache_creation_tokens`, at 1.6 × its ratio. */
  cache_creation_long_tokens: z.number().optional(),
  /** Input tokens above which the ratios here hold; absent where the model has one price for every length. */
  tier_above: z.number().optional(),
  image_ratio: amount.optional(),
  audio: z.boolean().optional(),
  audio_input: z.number().optional(),
  audio_output: z.number().optional(),
  text_input: z.number().optional(),
  text_output: z.number().optional(),
  audio_ratio: amount.optional(),
  audio_completion_ratio: amount.optional(),
  image_output_ratio: amount.optional(),
  /** What the fixed price was multiplied by, decimal text; absent where that is 1. */
  call_factor: z.string().optional(),
  /** Option QuotaPerUnit when the call was charged. */
  quota_per_unit: amount.optional(),
  web_search: z.boolean().optional(),
  web_search_call_count: z.number().optional(),
  /** USD for 1,000 calls. */
  web_search_price: amount.optional(),
  file_search: z.boolean().optional(),
  file_search_call_count: z.number().optional(),
  file_search_price: amount.optional(),
  image_generation: z.boolean().optional(),
  image_generation_call_count: z.number().optional(),
  image_generation_price: amount.optional(),
  code_interpreter: z.boolean().optional(),
  code_interpreter_call_count: z.number().optional(),
  code_interpreter_price: amount.optional(),
  google_maps: z.boolean().optional(),
  google_maps_call_count: z.number().optional(),
  google_maps_price: amount.optional(),
  /** Each with its own price, in USD for 1,000 calls; only where one tool was called at several, which the fields above sum up. */
  tool_calls: z.array(z.object({ tool: z.string(), count: z.number(), price: amount })).optional(),
  /** Ways of the vendor to answer at another price than its plain one, and what each multiplied the tokens' price by. */
  premiums: z.array(z.object({ premium: z.string(), ratio: amount })).optional(),
  reasoning_effort: z.string().optional(),
  is_model_mapped: z.boolean().optional(),
  upstream_model_name: z.string().optional(),
  /** Milliseconds to the first token. */
  frt: z.number().optional(),
  claude: z.boolean().optional(),
  ws: z.boolean().optional(),
  is_test: z.boolean().optional(),
  price_version: z.number().optional(),
  /** When that price version began; Unix seconds. */
  price_since: z.number().optional(),
  /** Counts by the names of contract/usage.ts. */
  usage: z.record(z.string(), z.number()).optional(),
  /** Token counts as the upstream wrote them, nothing else of it. */
  raw_usage: z.record(z.string(), z.unknown()).optional(),
  /** The upstream sent no usage: counted here. */
  estimated: z.boolean().optional(),
  /** Nobody priced the model. */
  unpriced: z.boolean().optional(),
  /** How an answer that did not end well was charged. */
  rule: z.string().optional(),
  usage_faults: z.array(z.string()).optional(),
  /** What could not be translated. */
  warnings: z.array(z.string()).optional(),
  error_type: z.string().optional(),
  error_code: z.string().optional(),
  status_code: z.number().optional(),
});
export type UserReceipt = z.output<typeof userReceipt>;

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
  /** 0 where nothing was streamed. */
  first_token_ms: z.number(),
  is_stream: z.boolean(),
  ip: z.string(),
  /** Receipt: JSON text, "{}" where there is none. */
  other: z.string(),
});
export type UserLog = z.output<typeof userLog>;

export const adminLog = userLog.extend({
  /** Channel id; 0 none. */
  channel: z.number(),
  /** Blank where the channel is gone. */
  channel_name: z.string(),
});
export type AdminLog = z.output<typeof adminLog>;

const filters = {
  /** 0 or absent: all. */
  type: queryInteger,
  token_name: queryText,
  /** Exact; `%` stands for any characters. */
  model_name: queryText,
  /** Unix seconds, inclusive; 0 or absent: no bound. */
  start_timestamp: queryTime,
  end_timestamp: queryTime,
  group: queryText,
};
const adminFilters = { ...filters, username: queryText, channel: queryInteger };
const paging = { p: queryPage(1), page_size: queryPageSize };

const pageOf = <Row extends z.ZodType>(row: Row) =>
  z.object({
    items: z.array(row),
    /** Exact up to 10,000; then 10,000 and `total_is_capped`. */
    total: z.number(),
    total_is_capped: z.boolean(),
    page: z.number(),
    page_size: z.number(),
  });

/** `quota` in the range; calls and tokens of the last 60 seconds. */
export const logStat = z.object({ quota: z.number(), rpm: z.number(), tpm: z.number() });
export type LogStat = z.output<typeof logStat>;

export const listLogs = endpoint({
  method: "GET",
  path: "/api/log",
  access: "admin",
  summary: "Log rows of everybody, newest first",
  query: z.object({ ...adminFilters, ...paging }),
  data: pageOf(adminLog),
});

export const listOwnLogs = endpoint({
  method: "GET",
  path: "/api/log/self",
  access: "user",
  summary: "Own log rows, newest first",
  query: z.object({ ...filters, ...paging }),
  data: pageOf(userLog),
});

export const statLogs = endpoint({
  method: "GET",
  path: "/api/log/stat",
  access: "admin",
  summary: "Quota used in the range, calls and tokens of the last minute",
  query: z.object(adminFilters),
  data: logStat,
});

export const statOwnLogs = endpoint({
  method: "GET",
  path: "/api/log/self/stat",
  access: "user",
  summary: "The same for the own calls",
  query: z.object(filters),
  data: logStat,
});

export const getOwnReceipt = endpoint({
  method: "GET",
  path: "/api/log/self/request/{request_id}",
  access: "user",
  summary: "The own log row of one call, by the request id of its answer",
  params: z.object({ request_id: z.string().min(1).max(100) }),
  data: userLog,
});

/** Who is behind a name in the log. */
export const logPerson = z.object({
  id: z.number(),
  username: z.string(),
  display_name: z.string(),
  role: z.number(),
  status: z.number(),
  group: z.string(),
  /** What is left. */
  quota: z.number(),
  used_quota: z.number(),
  request_count: z.number(),
});
export type LogPerson = z.output<typeof logPerson>;

export const getLogPerson = endpoint({
  method: "GET",
  path: "/api/log/user/{id}",
  access: "admin",
  summary: "Who is behind a name in the log: balance, usage, group; of people below the caller's role",
  params: pathId,
  data: logPerson,
});

export const deleteLogs = endpoint({
  method: "DELETE",
  path: "/api/log",
  access: "admin",
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
  summary: "Log rows of everybody as CSV, newest first, as many as there are",
  query: z.object(adminFilters),
  mediaType: CSV,
});

export const exportOwnLogs = streamEndpoint({
  method: "GET",
  path: "/api/log/self/export",
  access: "user",
  summary: "Own log rows as CSV, newest first, as many as there are",
  query: z.object(filters),
  mediaType: CSV,
});

/** Rows that are being deleted in the background, or how the last time ended. */
export const clearProgress = z.object({
  running: z.boolean(),
  /** Rows older than this go; Unix seconds. */
  target_timestamp: z.number(),
  done: z.number(),
  /** Exact up to 10,000, and about right beyond. */
  total: z.number(),
  /** Ended before its end, by somebody's wish. */
  stopped: z.boolean(),
  /** Ended by a fault; the server's log says which. */
  failed: z.boolean(),
  /** User name of who began it. */
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
  summary: "Begins to delete log rows older than `target_timestamp` in the background; one at a time",
  body: target,
  data: clearProgress,
});

export const getClearProgress = endpoint({
  method: "GET",
  path: "/api/log/clear/progress",
  access: "admin",
  summary: "How far the deletion in the background is, or how the last one ended",
  data: clearProgress,
});

export const stopClear = endpoint({
  method: "POST",
  path: "/api/log/clear/stop",
  access: "admin",
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
  summary: "How many log rows are older than `target_timestamp` (Unix seconds)",
  query: z.object({ target_timestamp: queryTime }),
  data: oldLogs,
});
