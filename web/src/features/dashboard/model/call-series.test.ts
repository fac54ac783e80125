/** Tests of failures and times as charts and text: parts add up, percentiles are read as they are, rates never round to nothing. */
import { expect, test } from "vitest";
import { FAILURE_KINDS, type CallFigures } from "../../../../../contract/src/call-figures.ts";
import type { CallReport } from "../../../../../contract/src/features/dashboard.ts";
import { errorRate, failureSeries, readTimes, timeSeries, timeTick, timeUnit } from "./call-series.ts";

const times = (p50: number | null, p95: number | null, average: number | null = null) => ({
  count: 1,
  average_ms: average,
  p50_ms: p50,
  p95_ms: p95,
});
const kinds = <Value>(value: Value) =>
  Object.fromEntries(FAILURE_KINDS.map((kind) => [kind, value])) as Record<(typeof FAILURE_KINDS)[number], Value>;
const figures = (succeeded: number, failed: number): CallFigures => ({
  succeeded,
  failed,
  failures: { ...kinds(0), upstream: failed },
  first_token: times(400, 900),
  total: times(2_000, 9_000),
});
const report = (average: number | null): CallReport => ({
  start: 0,
  end: 7_199,
  granularity: "hour",
  buckets: [0, 3_600],
  totals: figures(90, 10),
  previous: null,
  series: {
    succeeded: [50, 40],
    failures: { ...kinds([0, 0]), upstream: [9, 1] },
    first_token: [times(400, 900, average), times(null, null, average)],
    total: [times(2_000, 9_000), times(1_000, 1_500)],
  },
  models: [],
  channels: [],
  tokens: [],
  is_counting: false,
});

test("only kinds that occur are series, and they add up", () => {
  const series = failureSeries(report(null), (kind) => kind);
  expect(series.map(({ id, total }) => [id, total])).toEqual([["upstream", 10]]);
});

test("percentiles are stacked and shown with their own values", () => {
  const series = timeSeries(report(null), "total_time", { p50: "p50", p95: "p95", average: "average" });
  expect(series.map(({ values }) => values)).toEqual([
    [2_000, 1_000],
    [7_000, 500],
  ]);
  expect(readTimes([2_000, 7_000])).toEqual({ parts: ["2.0 s", "9.0 s"], total: "" });
  expect(timeUnit(series)).toBe(1_000);
  expect(timeTick(2_500, { step: 500 }, 1_000)).toBe("2.5 s");
});

test("of one user the average is shown", () => {
  const series = timeSeries(report(300), "first_token", { p50: "p50", p95: "p95", average: "average" });
  expect(series.map(({ id, values }) => [id, values])).toEqual([["average", [300, 300]]]);
});

test.each([
  [0, 0, "–"],
  [10, 0, "0%"],
  [99_999, 1, "<0.01%"],
  [995, 5, "0.50%"],
  [90, 10, "10.0%"],
])("of %i answered and %i failed calls %s failed", (succeeded, failed, text) => {
  expect(errorRate(figures(succeeded, failed))).toBe(text);
});

test("error rates of one column have the same number of decimals", () => {
  expect([figures(995, 5), figures(90, 10)].map((each) => errorRate(each, 2))).toEqual(["0.50%", "10.00%"]);
});
