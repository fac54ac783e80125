/** Metrics: what a call adds, the bound on the number of series, and the sum of several processes. */
import { AggregatorRegistry } from "prom-client";
import { expect, test } from "vitest";
import { type CallMetric, Metrics, SERIES_LIMITS } from "./metrics.ts";

const CALL: CallMetric = {
  model: "gpt-4o",
  channelId: 3,
  provider: "openai",
  operation: "chat",
  group: "default",
  status: 200,
  nowMs: 0,
  durationSeconds: 2,
  firstTokenSeconds: 0.2,
  overheadSeconds: 0.003,
  promptTokens: 10,
  completionTokens: 20,
  quota: 113,
};
const WHERE = 'channel="3",provider="openai",operation="chat"';
const HOUR_MS = 3_600_000;

/** The lines of one family, without its head. */
const linesOf = async (metrics: Metrics, name: string): Promise<string[]> =>
  (await metrics.registry.metrics()).split("\n").filter((line) => line.startsWith(`${name}{`));

const sumOf = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);

test("a call adds to its counters under its labels, a second one to the same series", async () => {
  const metrics = new Metrics();
  metrics.called(CALL);
  metrics.called(CALL);
  const labels = `{model="gpt-4o",${WHERE},status="200",status_class="2xx",group="default"}`;
  expect(await linesOf(metrics, "turnpike_calls_total")).toEqual([`turnpike_calls_total${labels} 2`]);
  expect(await linesOf(metrics, "turnpike_charged_quota_total")).toEqual([`turnpike_charged_quota_total${labels} 226`]);
});

test("a histogram counts an observation in every bucket from its own bound on, and adds up", async () => {
  const metrics = new Metrics();
  for (const durationSeconds of [2, 2.5, 400]) metrics.called({ ...CALL, durationSeconds });
  const name = "turnpike_call_duration_seconds";
  const buckets = (await linesOf(metrics, `${name}_bucket`)).map((line) => [
    /le="([^"]+)"/.exec(line)?.[1],
    Number(line.slice(line.lastIndexOf(" "))),
  ]);
  expect(buckets.slice(4, 7)).toEqual([
    ["1", 0],
    ["2.5", 2],
    ["5", 2],
  ]);
  expect(buckets.slice(-2)).toEqual([
    ["300", 2],
    ["+Inf", 3],
  ]);
  expect(await linesOf(metrics, `${name}_sum`)).toEqual([`${name}_sum{model="gpt-4o",${WHERE}} 404.5`]);
  expect(await linesOf(metrics, `${name}_count`)).toEqual([`${name}_count{model="gpt-4o",${WHERE}} 3`]);
});

test("a call without a stream or an upstream leaves their histograms out", async () => {
  const metrics = new Metrics();
  metrics.called({ ...CALL, firstTokenSeconds: 0, overheadSeconds: undefined });
  expect(await linesOf(metrics, "turnpike_first_token_seconds_count")).toEqual([]);
  expect(await linesOf(metrics, "turnpike_overhead_seconds_count")).toEqual([]);
});

test("calls beyond the limit of series are counted under 'other', and none is lost", async () => {
  const metrics = new Metrics();
  const count = SERIES_LIMITS.calls + 50;
  for (let channelId = 1; channelId <= count; channelId += 1) metrics.called({ ...CALL, channelId });
  const lines = await linesOf(metrics, "turnpike_calls_total");
  expect([lines.length, sumOf(lines)]).toEqual([SERIES_LIMITS.calls + 1, count]);
  expect(lines.at(-1)).toBe(
    'turnpike_calls_total{model="other",channel="other",provider="other",operation="chat",status="other",status_class="2xx",group="other"} 50',
  );
  const times = await linesOf(metrics, "turnpike_call_duration_seconds_count");
  expect([times.length, sumOf(times)]).toEqual([SERIES_LIMITS.times + 1, count]);
});

test("a series that is idle for an hour makes room for a new one, and one in use does not", async () => {
  const metrics = new Metrics();
  for (let channelId = 1; channelId <= SERIES_LIMITS.calls; channelId += 1) metrics.called({ ...CALL, channelId });
  metrics.called({ ...CALL, channelId: 1, nowMs: HOUR_MS });
  metrics.called({ ...CALL, channelId: 999_999, nowMs: HOUR_MS });
  const lines = await linesOf(metrics, "turnpike_calls_total");
  expect(lines.map((line) => /channel="(\w+)"/.exec(line)?.[1])).toEqual(["1", "999999"]);
  expect(sumOf(lines)).toBe(3);
});

test("failures and retries are counted by channel, bounded too", async () => {
  const metrics = new Metrics();
  const channel = { channelId: 3, provider: "openai" };
  metrics.upstreamFailed("rate", channel);
  metrics.retried("rate_limited", channel);
  metrics.retried("rate_limited", channel);
  expect(await linesOf(metrics, "turnpike_upstream_failures_total")).toEqual([
    'turnpike_upstream_failures_total{kind="rate",channel="3",provider="openai"} 1',
  ]);
  expect(await linesOf(metrics, "turnpike_retries_total")).toEqual([
    'turnpike_retries_total{reason="rate_limited",channel="3",provider="openai"} 2',
  ]);
  for (let channelId = 1; channelId <= SERIES_LIMITS.channels + 9; channelId += 1)
    metrics.upstreamFailed("network", { ...channel, channelId });
  const lines = await linesOf(metrics, "turnpike_upstream_failures_total");
  expect([lines.length, sumOf(lines)]).toEqual([SERIES_LIMITS.channels + 1, SERIES_LIMITS.channels + 10]);
  expect(lines.at(-1)).toContain('kind="network",channel="other",provider="other"} 10');
});

test("histograms and counters of two processes add up series by series", async () => {
  const [one, two] = [new Metrics(), new Metrics()];
  one.called(CALL);
  two.called(CALL);
  two.called({ ...CALL, model: "o3-mini" });
  const parts = await Promise.all([one, two].map(({ registry }) => registry.getMetricsAsJSON()));
  const text = await AggregatorRegistry.aggregate(parts).metrics();
  expect(text).toContain(`turnpike_call_duration_seconds_count{model="gpt-4o",${WHERE}} 2`);
  expect(text).toContain(`turnpike_call_duration_seconds_count{model="o3-mini",${WHERE}} 1`);
  expect(text).toMatch(/turnpike_calls_total\{model="gpt-4o",[^}]+\} 2\n/);
});

test("a model's name is escaped where it has quotes or line ends", async () => {
  const metrics = new Metrics();
  metrics.called({ ...CALL, model: 'a"b\nc' });
  expect((await linesOf(metrics, "turnpike_calls_total"))[0]).toContain(String.raw`model="a\"b\nc"`);
  expect((await linesOf(metrics, "turnpike_call_duration_seconds_count"))[0]).toContain(String.raw`model="a\"b\nc"`);
});

test("what calls cost at their upstreams stands beside what these calls were charged, and not beside others", async () => {
  const metrics = new Metrics();
  metrics.called({ ...CALL, quota: 100, upstreamCost: 60 });
  metrics.called({ ...CALL, quota: 40, upstreamCost: 50 });
  metrics.called({ ...CALL, quota: 1_000, upstreamCost: undefined });
  const sum = async (name: string) => sumOf(await linesOf(metrics, name));
  expect(await sum("turnpike_charged_quota_total")).toBe(1_140);
  expect(await sum("turnpike_costed_quota_total")).toBe(140);
  expect(await sum("turnpike_upstream_cost_quota_total")).toBe(110);
});
