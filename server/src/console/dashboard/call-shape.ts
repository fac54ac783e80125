/** Converts call counts to the dashboard's figures: failures by kind, and percentiles or averages of latency. Pure. */
import {
  FAILURE_KINDS,
  percentileOf,
  TIME_BUCKETS,
  type CallFigures,
  type CallTimes,
} from "../../../../contract/src/call-figures.ts";
import type { CallReport, NamedFigures } from "../../../../contract/src/features/dashboard.ts";
import { CALL_COLUMNS, COUNT_AT, TOKEN_COLUMNS } from "../../db/call-hours.ts";
import { bucketOf } from "./buckets.ts";
import type { Counts, HourCounts } from "./call-store.ts";

/** How the times of a row of counts are read: as buckets of all users' calls, or as sums of one token's. */
export interface CountKind {
  columns: readonly string[];
  firstToken(counts: Counts): CallTimes;
  total(counts: Counts): CallTimes;
}

function bucketed(counts: Counts, from: number): CallTimes {
  const buckets = counts.slice(from, from + TIME_BUCKETS);
  const count = buckets.reduce((sum, each) => sum + each, 0);
  return { count, average_ms: null, p50_ms: percentileOf(buckets, 0.5), p95_ms: percentileOf(buckets, 0.95) };
}

function averaged(count: number, sumMs: number): CallTimes {
  return { count, average_ms: count === 0 ? null : Math.round(sumMs / count), p50_ms: null, p95_ms: null };
}

/** Rows of call_hours. */
export const ROUTE_COUNTS: CountKind = {
  columns: CALL_COLUMNS,
  firstToken: (counts) => bucketed(counts, COUNT_AT.firstToken),
  total: (counts) => bucketed(counts, COUNT_AT.total),
};

/** Rows of token_call_hours. */
export const TOKEN_COUNTS: CountKind = {
  columns: TOKEN_COLUMNS,
  firstToken: (counts) => averaged(counts[COUNT_AT.tokenFirstCount] ?? 0, counts[COUNT_AT.tokenFirstMs] ?? 0),
  total: (counts) => averaged(counts[COUNT_AT.succeeded] ?? 0, counts[COUNT_AT.tokenTotalMs] ?? 0),
};

export function sumCounts(rows: readonly Counts[], kind: CountKind): Counts {
  const sums = kind.columns.map(() => 0);
  for (const counts of rows) for (const [index, value] of counts.entries()) sums[index] = (sums[index] ?? 0) + value;
  return sums;
}

const byKind = <Value>(of: (index: number) => Value): Record<(typeof FAILURE_KINDS)[number], Value> =>
  Object.fromEntries(FAILURE_KINDS.map((kind) => [kind, of(COUNT_AT.failed[kind])])) as Record<
    (typeof FAILURE_KINDS)[number],
    Value
  >;

export function figuresOf(counts: Counts, kind: CountKind): CallFigures {
  const failures = byKind((index) => counts[index] ?? 0);
  return {
    succeeded: counts[COUNT_AT.succeeded] ?? 0,
    failed: Object.values(failures).reduce((sum, count) => sum + count, 0),
    failures,
    first_token: kind.firstToken(counts),
    total: kind.total(counts),
  };
}

/** Counts of attempts in place of calls: one after which the call went on elsewhere is a failure of its channel too. */
export function attemptsIn(counts: Counts): number[] {
  const attempts = [...counts];
  for (const kind of FAILURE_KINDS) {
    const at = COUNT_AT.failed[kind];
    attempts[at] = (counts[at] ?? 0) + (counts[COUNT_AT.retried[kind]] ?? 0);
  }
  return attempts;
}

/** One row of figures for each bucket that `starts` begins; the hours are not before the first. */
export function callSeries(
  hours: readonly HourCounts[],
  starts: readonly number[],
  kind: CountKind,
): CallReport["series"] {
  const rows = starts.map((): Counts[] => []);
  for (const { hour, counts } of hours) rows[bucketOf(starts, hour)]?.push(counts);
  const sums = rows.map((each) => sumCounts(each, kind));
  const times = (of: (counts: Counts) => CallTimes) =>
    sums.map((counts) => {
      const { average_ms, p50_ms, p95_ms } = of(counts);
      return { average_ms, p50_ms, p95_ms };
    });
  return {
    succeeded: sums.map((counts) => counts[COUNT_AT.succeeded] ?? 0),
    failures: byKind((index) => sums.map((counts) => counts[index] ?? 0)),
    first_token: times(kind.firstToken),
    total: times(kind.total),
  };
}

/** Rows that have one key are summed. */
export function groupedCounts<Row extends { counts: Counts }, Key>(
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
  kind: CountKind,
): Map<Key, Counts> {
  return new Map(
    [...Map.groupBy(rows, keyOf)].map(([key, group]) => [
      key,
      sumCounts(
        group.map(({ counts }) => counts),
        kind,
      ),
    ]),
  );
}

/** Those with most failures first, then those with most calls. */
export const worstFirst = <Row extends Pick<NamedFigures, "figures">>(rows: readonly Row[], limit: number): Row[] =>
  rows
    .toSorted((a, b) => b.figures.failed - a.figures.failed || b.figures.succeeded - a.figures.succeeded)
    .slice(0, limit);
