/** The log over time: calls, failures and spend of a filter in at most a hundred bars, and the range that such sums cover. */
import { LOG_BARS, type LogHistogram } from "../../../../contract/src/logs/sums.ts";
import type { Database } from "../../db/database.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { type LogFilter, type LogQuery, resolveFilter } from "./filter.ts";
import { boundedFilter } from "./scan-window.ts";
import { countLogs, withLead } from "./store.ts";
import { addAnsweredHours, addAnsweredRows, addErrors, type SumsByKey } from "./sums.ts";
import { isInRollUp } from "./totals.ts";

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
/** Sums reach no further back than this from the end of the range. */
const LONGEST_S = 92 * DAY_S;
/** Widths of bars in seconds. */
const WIDTHS_S = [1, 5, 15, 60, 300, 900, HOUR_S, 3 * HOUR_S, 6 * HOUR_S, DAY_S] as const;
/** Bars of less than an hour are made of rows, where there are no more than this. */
const ROWS_MOST = 50_000;

export interface SummedRange {
  /** Unix seconds, inclusive. */
  start: number;
  end: number;
}

/** The part of the asked range that is summed up. `now` in Unix seconds. */
export function summedRange({ start = 0, end }: LogQuery, now: number): SummedRange {
  const last = end === undefined || end <= 0 ? now : Math.min(end, now);
  return { start: Math.max(start, last - LONGEST_S), end: last };
}

/** The width of bars with which a range has at most LOG_BARS, in seconds, not below `least`. */
export function barWidth({ start, end }: SummedRange, least = 1): number {
  // One bar more where the range begins inside its first one.
  const fits = (width: number) => width >= least && (end - start + 1) / width <= LOG_BARS - 1;
  return WIDTHS_S.find(fits) ?? DAY_S;
}

/** Where bars begin: with the range; those of hours with the hour that it begins in, since the roll-up knows whole hours. */
const originOf = ({ start }: SummedRange, width: number): number =>
  width < HOUR_S ? start - (start % width) : start - (start % HOUR_S);

/** What is to be summed up, with the names looked up and the rows to be read bounded; undefined where nothing can match. */
export async function summedFilter(
  database: Database,
  query: LogQuery,
  range: SummedRange,
): Promise<{ filter: LogFilter; searchedSince: number } | undefined> {
  const resolved = await resolveFilter(database, { ...query, ...range });
  return resolved === undefined ? undefined : boundedFilter(database, await withLead(database, resolved));
}

interface Drawn {
  width: number;
  origin: number;
  sums: SumsByKey;
  errorsSince: number;
}

async function draw(
  database: Database,
  filter: LogFilter,
  range: SummedRange,
  { now, rowsMost }: { now: number; rowsMost: number },
): Promise<Drawn> {
  const isRolledUp = isInRollUp(filter);
  const finest = barWidth(range);
  const areRows = !isRolledUp || (finest < HOUR_S && (await countLogs(database, filter, rowsMost)) <= rowsMost);
  const width = areRows ? finest : barWidth(range, HOUR_S);
  const by = { origin: originOf(range, width), width };
  const sums: SumsByKey = new Map();
  if (areRows) await addAnsweredRows(database, filter, by, sums);
  else await addAnsweredHours(database, filter, { by, now }, sums);
  return { ...by, sums, errorsSince: await addErrors(database, filter, by, sums) };
}

/** Throws nothing of its own; a name without an account gives no bars. @param rowsMost so many rows are read at most where the roll-up has what is asked for */
export async function drawHistogram(
  { database, clock }: Pick<ConsoleContext, "database" | "clock">,
  query: LogQuery,
  rowsMost = ROWS_MOST,
): Promise<LogHistogram> {
  const now = nowSeconds(clock);
  const range = summedRange(query, now);
  const finest = barWidth(range);
  const drawnAs = { width: finest, origin: originOf(range, finest), ...range };
  const found = range.start > range.end ? undefined : await summedFilter(database, query, range);
  if (found === undefined) return { ...drawnAs, bars: [], errors_since: 0, searched_since: 0 };
  const { width, origin, sums, errorsSince } = await draw(database, found.filter, range, { now, rowsMost });
  const bars = [...sums]
    .map(([at, { calls, errors, quota }]) => ({ at: Number(at), calls, errors, quota }))
    .toSorted((a, b) => a.at - b.at);
  return { ...drawnAs, width, origin, bars, errors_since: errorsSince, searched_since: found.searchedSince };
}
