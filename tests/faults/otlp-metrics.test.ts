/** Fault: metrics for a collector by OTLP of a server that ends, of two workers that are one sender, and beside a collector that is away. */
import { request } from "node:http";
import { expect, test } from "vitest";
import { enginesHere } from "../support/databases/databases.ts";
import { childrenOf, startServer, until } from "../support/systems/processes.ts";
import { makeSite } from "../support/systems/site.ts";
import { type TraceCollector, startTraceCollector } from "../support/systems/trace-collector.ts";

const LIMIT_MS = 120_000;
/** The status of a call without a key, which is counted as well. On a connection of its own: one that is kept stays with its process. */
const callOf = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const asked = request(`${url}/v1/chat/completions`, { method: "POST", agent: false }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
    });
    asked.on("error", reject).end();
  });

const sending = ({ url }: TraceCollector, everyMs: number) => ({
  OTEL_METRICS_EXPORTER: "otlp",
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${url}/v1/metrics`,
  OTEL_METRIC_EXPORT_INTERVAL: String(everyMs),
});
/** The latest count of calls, all series added up. */
function calls({ points }: TraceCollector): number {
  const counts = points.filter(({ metric }) => metric === "turnpike_calls_total");
  const latestMs = Math.max(...counts.map(({ timeMs }) => timeMs));
  return counts.filter(({ timeMs }) => timeMs === latestMs).reduce((sum, { value = 0 }) => sum + value, 0);
}

test("a server sends its last counts before it ends, and no traces", { timeout: LIMIT_MS }, async () => {
  const collector = await startTraceCollector();
  const site = await makeSite("sqlite", { upstreamUrl: "http://127.0.0.1:9", quotas: [] });
  const server = await startServer({ ...site.env, ...sending(collector, 3_600_000) });
  expect([await callOf(server.url), await callOf(server.url)]).toEqual([401, 401]);
  expect(await server.end()).toEqual({ code: 0, signal: null });
  expect(calls(collector)).toBe(2);
  expect(collector.requests.every(({ path }) => path === "/v1/metrics")).toBe(true);
  await site.remove();
  await collector.close();
});

test("a collector that hangs keeps no server from its end", { timeout: LIMIT_MS }, async () => {
  const collector = await startTraceCollector();
  collector.answer = "never";
  const site = await makeSite("sqlite", { upstreamUrl: "http://127.0.0.1:9", quotas: [] });
  const server = await startServer({ ...site.env, ...sending(collector, 1_000) });
  await until(() => collector.requests.length > 0, "the request that hangs");
  expect(await callOf(server.url)).toBe(401);
  expect(await server.end()).toEqual({ code: 0, signal: null });
  expect(server.output()).not.toContain("still works in the background");
  await site.remove();
  await collector.close();
});

test.skipIf(!(await enginesHere()).includes("postgres") || process.platform !== "linux")(
  "two workers are one sender, which counts each call once, those of a worker that ended too",
  { timeout: LIMIT_MS },
  async () => {
    const collector = await startTraceCollector();
    const site = await makeSite("postgres", { upstreamUrl: "http://127.0.0.1:9", quotas: [] });
    const server = await startServer({ ...site.env, ...sending(collector, 1_000), WORKERS: "2" });
    const CALLS = 40;
    await Promise.all(Array.from({ length: CALLS }, () => callOf(server.url)));
    await until(() => calls(collector) === CALLS, "the calls of both workers");
    const [victim = 0] = childrenOf(server.pid);
    process.kill(victim, "SIGTERM");
    await until(() => !childrenOf(server.pid).includes(victim), "the worker's end");
    await until(async () => (await callOf(server.url).catch(() => 0)) === 401, "a worker that answers");
    expect(await server.end()).toEqual({ code: 0, signal: null });
    expect(calls(collector)).toBe(CALLS + 1);
    expect(new Set(collector.points.map(({ resource }) => resource["service.instance.id"])).size).toBe(1);
    await site.remove();
    await collector.close();
  },
);
