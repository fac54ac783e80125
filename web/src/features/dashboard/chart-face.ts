/** Contents of the chart and its table: usage by model, failures by kind, or times. */
import { type TFunction } from "../../lib/i18n.ts";
import type { CallReport } from "../../../../contract/src/features/dashboard.ts";
import type { ChartSeries } from "../../ui/charts/chart-props.ts";
import { failureSeries, readCounts, readTimes, timeSeries, timeTick, timeUnit } from "./model/call-series.ts";
import type { ModelSeries, Slotted } from "./model/chart-data.ts";
import { axisUnit, decimalsFor, isWholeAxis, readTogether, sharesOf, tickText } from "./model/figures.ts";
import { boundsOfSlot, callsOfKind, failedCalls, type LogFilter } from "./model/log-link.ts";
import type { CallMeasure, View } from "./model/view.ts";
import type { Overview } from "./queries.ts";

type Read = (values: readonly number[]) => { parts: string[]; total: string };

export interface ChartFace {
  title: string;
  label: string;
  legend: string;
  slotted: Slotted;
  series: readonly (ChartSeries & { total: number })[];
  read: Read;
  /** The same with one number of decimals for all rows of the table. */
  readRows: Read;
  tick: (value: number, axis: { step: number; top: number }) => string;
  per: number;
  isWhole: boolean;
  /** False where parts are no parts of a sum. */
  hasTotal: boolean;
  /** Texts of shares of the series; empty where they have none. */
  shares: readonly string[];
  ghost: { values: readonly number[]; name: string } | undefined;
  /**
   * What the log is asked for behind a part of a slot, or behind a series over the whole range where no slot is named; undefined where
   * it has no filter for just these calls.
   */
  filterOf(slot: number | undefined, seriesId: string | undefined): LogFilter | undefined;
}

const SERIES_OF = { spend: "quota", requests: "requests", tokens: "tokens" } as const;

const boundsIn = (slotted: Slotted & { start: number }, slot: number | undefined): { start: number; end: number } =>
  slot === undefined ? { start: slotted.start, end: slotted.end } : boundsOfSlot(slotted, slot);

/** Failures by kind, of one slot or of the whole range. */
const failuresIn = ({ series, totals }: CallReport, slot: number | undefined): { broken_off: number } =>
  slot === undefined ? totals.failures : { broken_off: series.failures.broken_off[slot] ?? 0 };

export function usageFace(t: TFunction, view: View, overview: Overview, series: readonly ModelSeries[]): ChartFace {
  const { measure } = view;
  const sums = overview.buckets.map((_, slot) => series.reduce((sum, { values }) => sum + (values[slot] ?? 0), 0));
  const decimals = decimalsFor(Math.max(0, ...sums));
  return {
    title: t(`chart.title.${measure}`),
    label: t(`chart.label.${measure}`),
    legend: t("chart.legend"),
    slotted: overview,
    series,
    read: (values) => readTogether(values, measure),
    readRows: (values) => readTogether(values, measure, decimals),
    tick: (value, axis) => tickText(value, axis, measure),
    per: axisUnit(measure),
    isWhole: isWholeAxis(measure),
    hasTotal: true,
    shares: sharesOf(series.map(({ total }) => total)),
    ghost: overview.previous_is_full
      ? { values: overview.previous_series[SERIES_OF[measure]], name: t("chart.before") }
      : undefined,
    filterOf: (slot, model) => ({ ...boundsIn(overview, slot), model, type: "charged" }),
  };
}

export function callFace(t: TFunction, measure: CallMeasure, report: CallReport): ChartFace {
  const shared = {
    title: t(`chart.title.${measure}`),
    label: t(`chart.label.${measure}`),
    slotted: report,
    shares: [],
    ghost: undefined,
  };
  if (measure === "errors")
    return {
      ...shared,
      legend: t("chart.kinds"),
      series: failureSeries(report, (kind) => t(`kind.${kind}`)),
      read: readCounts,
      readRows: readCounts,
      tick: (value, axis) => tickText(value, axis, "requests"),
      per: 1,
      isWhole: true,
      hasTotal: true,
      filterOf: (slot, kind) => {
        const found = kind === undefined ? failedCalls(failuresIn(report, slot)) : callsOfKind(kind);
        return found && { ...boundsIn(report, slot), ...found };
      },
    };
  const names = { p50: t("time.p50"), p95: t("time.p95"), average: t("time.average") };
  const series = timeSeries(report, measure, names);
  const unit = timeUnit(series);
  return {
    ...shared,
    legend: t("chart.times"),
    series,
    read: readTimes,
    readRows: readTimes,
    tick: (value, axis) => timeTick(value, axis, unit),
    per: unit,
    isWhole: false,
    hasTotal: false,
    filterOf: (slot) => ({ ...boundsIn(report, slot), type: "charged" }),
  };
}
