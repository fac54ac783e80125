/** Filters of the log, as a query has them and as saved views keep them; features/logs.ts has the endpoints. */
import { z } from "zod";
import { integerOf, queryFlag, queryInteger, queryText, queryTime, splitList } from "../query.ts";

/** Types as comma-separated numbers: "2,5". */
const queryTypes = queryText.transform((text) =>
  splitList(text ?? "").flatMap((part) => {
    const type = integerOf(part);
    return type !== undefined && type > 0 ? [type] : [];
  }),
);

/** A name matches exactly. With `%`, which stands for any characters, it matches whatever its case. */
export const logFilters = {
  /** 0 or absent: all. */
  type: queryInteger,
  /** Any of several types, comma-separated; absent: all. */
  types: queryTypes,
  token_name: queryText,
  model_name: queryText,
  /** Unix seconds, inclusive; 0 or absent: no bound. */
  start_timestamp: queryTime,
  end_timestamp: queryTime,
  group: queryText,
  /** The request id from an answer's header; blanks in it are ignored. */
  request_id: queryText.transform((id) => id?.replaceAll(/\s/g, "")),
  /** Minimum total time in milliseconds. */
  min_time_ms: queryInteger,
  /** Minimum cost in quota. */
  min_quota: queryInteger,
  error_code: queryText,
  /** Id of the program that called (contract/src/connect/programs.ts). */
  client: queryText,
};
/** What administrators may filter by. */
export const siteLogFilters = {
  ...logFilters,
  username: queryText,
  channel: queryInteger,
  /** By which the upstream of an attempt knows the request. */
  upstream_request_id: queryText.transform((id) => id?.replaceAll(/\s/g, "")),
  /** Calls that failed, or that succeeded only after another channel had failed. */
  has_error: queryFlag,
};

/** Filters of the log by their names in the address. */
export const LOG_VIEW_FILTERS = [
  "request_id",
  "type",
  "model_name",
  "token_name",
  "group",
  "username",
  "channel",
  "error_code",
  "client",
  "min_time_ms",
  "min_quota",
  "has_error",
  "upstream_request_id",
  "range",
  "start_timestamp",
  "end_timestamp",
] as const;

/** Most saved views of an account. */
export const LOG_VIEWS_MAX = 30;
/** Longest name in characters. */
export const LOG_VIEW_NAME_MAX = 60;
/** Longest value of one filter in characters. */
export const LOG_VIEW_VALUE_MAX = 300;

const value = z.string().trim().min(1).max(LOG_VIEW_VALUE_MAX).optional();

/** Other fields are left out. */
export const logViewSearch = z.object(
  Object.fromEntries(LOG_VIEW_FILTERS.map((name) => [name, value])) as Record<
    (typeof LOG_VIEW_FILTERS)[number],
    typeof value
  >,
);
export type LogViewSearch = z.output<typeof logViewSearch>;

export const newLogView = z.object({
  name: z.string().trim().min(1).max(LOG_VIEW_NAME_MAX),
  /** Filters by their names in the address; empty for today's calls. */
  search: logViewSearch,
});
export type NewLogView = z.output<typeof newLogView>;

export const savedLogView = newLogView.extend({ id: z.number() });
export type SavedLogView = z.output<typeof savedLogView>;
