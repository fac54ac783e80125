/** How long the calls of a filter took and how many failed: read from its newest calls and no further, so that every engine says the same. */
import { LOG_TIMED_CALLS, LOG_TOTAL_CAP, type LogStat } from "../../../../contract/src/features/logs.ts";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { Database } from "../../db/database.ts";
import type { LogFilter } from "./filter.ts";
import { countLogs, findTimes } from "./store.ts";

type Quantiles = LogStat["total_time"];

/** The value that so many of a hundred are not above (nearest rank). */
const quantile = (sorted: readonly number[], percent: number): number =>
  sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0;

/** Half and nineteen twentieths of the times, each a value that was measured; zeros where there is none. */
export function quantilesOf(times: readonly number[]): Quantiles {
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: quantile(sorted, 50), p95: quantile(sorted, 95), calls: sorted.length };
}

/** Whether the filter asks for this type, alone or among others. */
const asksFor = ({ type, types }: LogFilter, wanted: number): boolean =>
  (type === undefined || type === wanted) && (types === undefined || types.includes(wanted));

/** The filter for one type alone; the lead is chosen anew, since errors are few and calls are not. */
const only = ({ lead, ...filter }: LogFilter, type: number): LogFilter => ({
  ...filter,
  type,
  types: undefined,
  ...(lead === undefined || lead === "type" ? {} : { lead }),
});

/** Failed calls of the filter, counted up to the cap; none where it asks for other types. */
export async function countErrors(
  database: Database,
  filter: LogFilter,
): Promise<Pick<LogStat, "errors" | "errors_are_capped">> {
  if (!asksFor(filter, LOG_TYPE.error)) return { errors: 0, errors_are_capped: false };
  const counted = await countLogs(database, only(filter, LOG_TYPE.error));
  return { errors: Math.min(counted, LOG_TOTAL_CAP), errors_are_capped: counted > LOG_TOTAL_CAP };
}

/** Times of the newest answered calls, or of the failed ones where the filter asks for no others. */
export async function timesOf(
  database: Database,
  filter: LogFilter,
): Promise<Pick<LogStat, "total_time" | "first_token" | "is_sample">> {
  const type = [LOG_TYPE.consumption, LOG_TYPE.error].find((wanted) => asksFor(filter, wanted));
  const found = type === undefined ? [] : await findTimes(database, only(filter, type), LOG_TIMED_CALLS + 1);
  const calls = found.slice(0, LOG_TIMED_CALLS);
  const streamed = calls.filter((call) => call.is_stream === 1 && call.first_token_ms > 0);
  return {
    total_time: quantilesOf(calls.map((call) => call.use_time_ms)),
    first_token: quantilesOf(streamed.map((call) => call.first_token_ms)),
    is_sample: found.length > LOG_TIMED_CALLS,
  };
}
