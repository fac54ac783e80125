/** Failures and times of calls as the chart takes them, and as text. */
import {
  FAILURE_KINDS,
  failedShare,
  type FailureKind,
  type CallFigures,
  type CallTimes,
} from "../../../../../contract/src/call-figures.ts";
import type { CallReport } from "../../../../../contract/src/features/dashboard.ts";
import { formatDecimals, formatDurationMs, formatNumber } from "../../../lib/format.ts";
import type { ChartSeries } from "../../../ui/charts/chart-props.ts";
import { decimalsOf } from "../../../ui/charts/scale.ts";
import type { CallMeasure } from "./view.ts";

/** Places in the palette that lie apart, since neighbours of a stack are next to each other. */
const COLORS: Readonly<Record<FailureKind, number>> = {
  key_refused: 8,
  rate_limited: 3,
  timeout: 5,
  upstream: 1,
  broken_off: 6,
  no_channel: 4,
  gateway: 7,
  refused: 10,
};

export interface CallSeries extends ChartSeries {
  total: number;
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Kinds that occur, each over the buckets. */
export const failureSeries = (
  { series: { failures } }: CallReport,
  nameOf: (kind: FailureKind) => string,
): CallSeries[] =>
  FAILURE_KINDS.filter((kind) => sumOf(failures[kind]) > 0).map((kind) => ({
    id: kind,
    name: nameOf(kind),
    color: COLORS[kind],
    isCode: false,
    values: failures[kind],
    total: sumOf(failures[kind]),
  }));

/** Half of the calls, and on top of them what 95 % need more; of one user the average alone. */
export function timeSeries(
  { series, totals }: CallReport,
  measure: Exclude<CallMeasure, "errors">,
  names: Readonly<Record<"p50" | "p95" | "average", string>>,
): CallSeries[] {
  const times = measure === "first_token" ? series.first_token : series.total;
  const all = measure === "first_token" ? totals.first_token : totals.total;
  const made = (id: "p50" | "p95" | "average", color: number, values: number[], total: number | null): CallSeries => ({
    id,
    name: names[id],
    color,
    isCode: false,
    values,
    total: total ?? 0,
  });
  if (times.some(({ average_ms }) => average_ms !== null))
    return [
      made(
        "average",
        1,
        times.map(({ average_ms }) => average_ms ?? 0),
        all.average_ms,
      ),
    ];
  return [
    made(
      "p50",
      1,
      times.map(({ p50_ms }) => p50_ms ?? 0),
      all.p50_ms,
    ),
    made(
      "p95",
      3,
      times.map(({ p50_ms, p95_ms }) => (p95_ms ?? 0) - (p50_ms ?? 0)),
      (all.p95_ms ?? 0) - (all.p50_ms ?? 0),
    ),
  ];
}

/** Parts of a slot of times: each stands on the one below, so what is read is the height it reaches. */
export function readTimes(values: readonly number[]): { parts: string[]; total: string } {
  let reached = 0;
  return { parts: values.map((value) => formatDurationMs((reached += value))), total: "" };
}

export const readCounts = (values: readonly number[]): { parts: string[]; total: string } => ({
  parts: values.map(formatNumber),
  total: formatNumber(sumOf(values)),
});

const SECOND_MS = 1000;

/** The unit of an axis of times: seconds from the first one on. */
export const timeUnit = (series: readonly ChartSeries[]): number =>
  (series[0]?.values ?? []).some((_, slot) => sumOf(series.map(({ values }) => values[slot] ?? 0)) >= SECOND_MS)
    ? SECOND_MS
    : 1;

/** A tick of an axis of times: "0", "200 ms", "2.5 s". */
export function timeTick(value: number, { step }: { step: number }, unit: number): string {
  if (value === 0) return "0";
  if (unit === 1) return formatDurationMs(value);
  return `${formatDecimals(value / SECOND_MS, decimalsOf(step / SECOND_MS))} s`;
}

export const callsOf = ({ succeeded, failed }: CallFigures): number => succeeded + failed;

/** Failures of all calls in percent: "0%", "<0.01%", "1.3%"; a dash where there was no call. @param decimals as many in all cells of a column */
export function errorRate(figures: CallFigures, decimals?: number): string {
  const share = failedShare(figures);
  if (share === null) return "–";
  const percent = share * 100;
  if (percent === 0) return "0%";
  if (percent < 0.01) return "<0.01%";
  return `${formatDecimals(percent, decimals ?? (percent < 1 ? 2 : 1))}%`;
}

/** A time, or a dash where no call has one. */
export const timeText = (ms: number | null): string => (ms === null ? "–" : formatDurationMs(ms));

/** Whether percentiles were kept; else there are averages. */
export const hasPercentiles = ({ average_ms }: CallTimes): boolean => average_ms === null;
