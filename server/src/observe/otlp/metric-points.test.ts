/** Tests of metrics as points of OTLP: every kind has its form, and a series that began again says since when it counts. */
import { Counter, Gauge, Registry } from "prom-client";
import { describe, expect, test } from "vitest";
import { Metrics } from "../metrics.ts";
import { type MetricPoint, PointReader, metricsBody } from "./metric-points.ts";

const START_MS = 1_700_000_000_000;
const nano = (ms: number): string => `${ms}000000`;
const labels = (point: MetricPoint | undefined) => (point?.point as { attributes: unknown } | undefined)?.attributes;
const named = (points: readonly MetricPoint[], name: string) => points.filter(({ metric }) => metric.name === name);

const CALL = {
  model: "gpt-4o",
  channelId: 7,
  provider: "openai",
  operation: "chat",
  group: "default",
  status: 200,
  nowMs: 0,
  durationSeconds: 0.2,
  firstTokenSeconds: 0,
  overheadSeconds: 0.002,
  promptTokens: 10,
  completionTokens: 20,
  quota: 113,
};

test("a counter is a cumulative sum since its beginning, without labels that are empty", async () => {
  const metrics = new Metrics();
  metrics.called(CALL);
  metrics.called({ ...CALL, channelId: 0, provider: "", status: 401 });
  const points = new PointReader(START_MS).read(await metrics.registry.getMetricsAsJSON(), START_MS + 60_000);
  const [first, second] = named(points, "turnpike_calls_total");
  expect(first).toMatchObject({
    metric: { kind: "sum", description: "Calls that ended", unit: "" },
    point: { startTimeUnixNano: nano(START_MS), timeUnixNano: nano(START_MS + 60_000), asDouble: 1 },
  });
  expect(labels(first)).toContainEqual({ key: "channel", value: { stringValue: "7" } });
  expect(JSON.stringify(labels(second))).not.toContain("channel");
});

test("a histogram has the counts between its bounds, in seconds", async () => {
  const metrics = new Metrics();
  for (const durationSeconds of [0.01, 0.2, 0.2, 400]) metrics.called({ ...CALL, durationSeconds });
  const points = new PointReader(START_MS).read(await metrics.registry.getMetricsAsJSON(), START_MS + 1_000);
  expect(named(points, "turnpike_call_duration_seconds")).toMatchObject([
    {
      metric: { kind: "histogram", unit: "s" },
      point: {
        count: "4",
        sum: 400.41,
        explicitBounds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
        bucketCounts: ["1", "0", "2", ..."0".repeat(9), "1"],
      },
    },
  ]);
  expect(named(points, "turnpike_first_token_seconds")).toEqual([]);
});

test("a gauge has no beginning, and a number that JSON cannot hold is left out", async () => {
  const registry = new Registry();
  const gauge = new Gauge({ name: "lag_bytes", help: "h", labelNames: ["of"], registers: [registry] });
  gauge.set({ of: "a" }, 5);
  gauge.set({ of: "b" }, Number.NaN);
  const points = new PointReader(START_MS).read(await registry.getMetricsAsJSON(), START_MS + 1_000);
  expect(points.map(({ point }) => point)).toEqual([
    {
      attributes: [{ key: "of", value: { stringValue: "a" } }],
      timeUnixNano: nano(START_MS + 1_000),
      asDouble: 5,
    },
  ]);
  expect(JSON.parse(metricsBody({ "service.name": "x" }, points))).toMatchObject({
    resourceMetrics: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: "x" } }] },
        scopeMetrics: [{ metrics: [{ name: "lag_bytes", unit: "By", gauge: { dataPoints: [{ asDouble: 5 }] } }] }],
      },
    ],
  });
});

describe("a series", () => {
  const registry = new Registry();
  const counter = new Counter({ name: "calls_total", help: "h", labelNames: ["of"], registers: [registry] });
  const reader = new PointReader(START_MS);
  const read = async (nowMs: number) =>
    reader
      .read(await registry.getMetricsAsJSON(), nowMs)
      .map(({ point }) => point as { startTimeUnixNano: string; asDouble: number });

  test("that fell, or is new, counts from the reading before; others from their beginning", async () => {
    counter.inc({ of: "a" }, 5);
    expect(await read(START_MS + 1_000)).toMatchObject([{ startTimeUnixNano: nano(START_MS), asDouble: 5 }]);
    counter.reset();
    counter.inc({ of: "a" }, 2);
    counter.inc({ of: "b" }, 1);
    expect(await read(START_MS + 2_000)).toMatchObject([
      { startTimeUnixNano: nano(START_MS + 1_000), asDouble: 2 },
      { startTimeUnixNano: nano(START_MS + 1_000), asDouble: 1 },
    ]);
    counter.inc({ of: "a" }, 1);
    expect(await read(START_MS + 3_000)).toMatchObject([
      { startTimeUnixNano: nano(START_MS + 1_000), asDouble: 3 },
      { startTimeUnixNano: nano(START_MS + 1_000), asDouble: 1 },
    ]);
  });

  test("has a later time at each reading, also where the clock goes back", async () => {
    const [first] = (await read(START_MS)) as unknown as { timeUnixNano: string }[];
    expect(first?.timeUnixNano).toBe(nano(START_MS + 3_001));
  });
});
