/** Tests of the metric exporter over real HTTP: in intervals, whole again after a collector was away, bounded, and with the last counts at the end. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { until } from "../../../../tests/support/systems/processes.ts";
import { type TraceCollector, startTraceCollector } from "../../../../tests/support/systems/trace-collector.ts";
import { readConfig } from "../../config.ts";
import { Metrics } from "../metrics.ts";
import { MAX_POINTS, MetricExporter } from "./metric-exporter.ts";

let collector: TraceCollector;
let metrics: Metrics;
let exporter: MetricExporter | undefined;
let changes: string[];

beforeEach(async () => {
  [collector, metrics, changes] = [await startTraceCollector(), new Metrics(), []];
});
afterEach(async () => {
  await exporter?.close(1_000);
  exporter = undefined;
  await collector.close();
});

const readMetrics = () => metrics.registry.getMetricsAsJSON();

function start(options: { everyMs?: number; timeoutMs?: number; read?: typeof readMetrics } = {}): MetricExporter {
  const { metricExport } = readConfig({
    OTEL_METRICS_EXPORTER: "otlp",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: "x-key=secret",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    OTEL_SERVICE_NAME: "gateway",
  });
  if (metricExport === undefined) throw new Error("no metrics are sent");
  const { read = readMetrics, everyMs = 10, timeoutMs = 5_000 } = options;
  const events = { read, onChange: (reason: string) => void changes.push(reason) };
  exporter = new MetricExporter({ ...metricExport, everyMs, timeoutMs }, { "service.instance.id": "p1" }, events);
  return exporter;
}

const overshoots = () => collector.points.filter(({ metric }) => metric === "turnpike_overshoots_total");

test("metrics arrive in intervals as OTLP has them, with the operator's headers", async () => {
  metrics.overshot(5);
  start();
  await until(() => overshoots().length >= 2, "two readings");
  const [request] = collector.requests;
  expect([request?.path, request?.headers["x-key"]]).toEqual(["/v1/metrics", "secret"]);
  const [first, second] = overshoots();
  expect(first).toMatchObject({
    kind: "sum",
    isMonotonic: true,
    isCumulative: true,
    value: 1,
    resource: {
      "service.name": "gateway",
      "service.instance.id": "p1",
      "deployment.environment.name": "test",
    },
  });
  expect(second?.startMs).toBe(first?.startMs);
  expect(second?.timeMs).toBeGreaterThan(first?.timeMs ?? 0);
  expect(changes).toEqual([]);
});

describe("a collector", () => {
  test.each([429, 500, 503])("that answers %i is named once, and misses no count once it is back", async (status) => {
    collector.answer = status;
    metrics.overshot(5);
    start();
    await until(() => collector.requests.length >= 3, "three readings");
    expect(changes).toEqual([`status ${status}`]);
    metrics.overshot(5);
    collector.answer = 200;
    // One that was under way may come before it.
    await until(() => overshoots().at(-1)?.value === 2, "a reading with both");
    await until(() => changes.length === 2, "the collector's return");
    expect(changes[1]).toBe("");
  });

  test("that hangs has one request at a time, which ends with its time", async () => {
    collector.answer = "never";
    start({ timeoutMs: 200 });
    await until(() => changes.length === 1, "the end of the first request");
    expect(changes).toEqual(["no answer in time"]);
    // Twenty intervals passed meanwhile.
    expect(collector.requests.length).toBeLessThanOrEqual(2);
  });

  test("that takes a part has its refusals named", async () => {
    collector.answerBody = JSON.stringify({ partialSuccess: { rejectedDataPoints: "2", errorMessage: "too old" } });
    start();
    await until(() => changes.length === 1, "the word on it");
    expect(changes[0]).toMatch(/^2 of \d+ points were refused$/);
  });
});

test("more points than a reading may have are sent in part, in requests of a bounded size", async () => {
  const many = Array.from({ length: MAX_POINTS + 5 }, (_, index) => ({ labels: { of: String(index) }, value: 1 }));
  const family = { name: "many", help: "h", type: "gauge", aggregator: "sum", values: many } as never;
  start({ read: () => Promise.resolve([family]), everyMs: 3_600_000 });
  await exporter?.close(60_000);
  expect(collector.points).toHaveLength(MAX_POINTS);
  expect(collector.requests).toHaveLength(25);
  expect(Math.max(...collector.requests.map(({ body }) => body.length))).toBeLessThan(1_048_576);
  expect(changes).toEqual([`${MAX_POINTS + 5} points are more than ${MAX_POINTS}`]);
});

test("figures that cannot be read lose the interval, and no later one", async () => {
  let isBroken = true;
  start({ read: () => (isBroken ? Promise.reject(new Error("away")) : readMetrics()) });
  await until(() => changes.length === 1, "the word on it");
  isBroken = false;
  await until(() => overshoots().length > 0, "a reading that arrives");
  expect(changes[0]).toBe("Error: away");
});

describe("the end", () => {
  test("sends the last counts, which no interval had yet", async () => {
    const running = start({ everyMs: 3_600_000 });
    metrics.overshot(5);
    await running.close(10_000);
    expect(overshoots().map(({ value }) => value)).toEqual([1]);
  });

  test("does not wait for a collector that hangs beyond its time", async () => {
    collector.answer = "never";
    const running = start({ timeoutMs: 60_000 });
    await until(() => collector.requests.length === 1, "the request that hangs");
    const startedMs = performance.now();
    await running.close(200);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });
});

describe("the standard variables", () => {
  const sentWith = (variables: Record<string, string>) => readConfig(variables).metricExport;
  const OTLP = { OTEL_METRICS_EXPORTER: "otlp" };

  test("send nothing unless the exporter is named, and nothing where all is off", () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://a:1", OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://a:1/x" };
    expect(sentWith(endpoint)).toBeUndefined();
    expect(sentWith({ ...endpoint, OTEL_METRICS_EXPORTER: "none" })).toBeUndefined();
    expect(sentWith({ ...endpoint, ...OTLP, OTEL_SDK_DISABLED: "true" })).toBeUndefined();
  });

  test.each([
    [{}, "http://localhost:4318/v1/metrics"],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://a:1/" }, "http://a:1/v1/metrics"],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://a:1", OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "https://b/m?x=1" },
      "https://b/m?x=1",
    ],
  ])("%o give the address %s", (variables, url) => {
    expect(sentWith({ ...OTLP, ...variables })?.url).toBe(url);
  });

  test("give interval and time in milliseconds; no sending lasts longer than its interval", () => {
    expect(sentWith(OTLP)).toMatchObject({ everyMs: 60_000, timeoutMs: 30_000 });
    expect(sentWith({ ...OTLP, OTEL_METRIC_EXPORT_INTERVAL: "5000" })).toMatchObject({ timeoutMs: 5_000 });
    expect(sentWith({ ...OTLP, OTEL_METRIC_EXPORT_TIMEOUT: "700" })).toMatchObject({ timeoutMs: 700 });
  });

  test.each([
    ["OTEL_METRICS_EXPORTER", "prometheus"],
    ["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://user:password@collector:4318"],
    ["OTEL_METRIC_EXPORT_INTERVAL", "10"],
    ["OTEL_METRIC_EXPORT_TIMEOUT", "0"],
  ])("%s=%s stops the start with a line that names the variable", (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} must be`));
  });
});
