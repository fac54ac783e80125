/** Fault: a collector of traces that hangs while the server stops; and traces of two processes, each of which sends its own. */
import { request } from "node:http";
import { expect, test } from "vitest";
import { enginesHere } from "../support/databases/databases.ts";
import { startServer, until } from "../support/systems/processes.ts";
import { makeSite } from "../support/systems/site.ts";
import { startTraceCollector } from "../support/systems/trace-collector.ts";

const LIMIT_MS = 120_000;
/** The status of a call without a key, which is traced as well. On a connection of its own: one that is kept stays with its process. */
const callOf = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const asked = request(`${url}/v1/chat/completions`, { method: "POST", agent: false }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
    });
    asked.on("error", reject).end();
  });

test("a server ends in order and in time although its collector hangs", { timeout: LIMIT_MS }, async () => {
  const collector = await startTraceCollector();
  collector.answer = "never";
  const site = await makeSite("sqlite", { upstreamUrl: "http://127.0.0.1:9", quotas: [] });
  const server = await startServer({ ...site.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  expect(await callOf(server.url)).toBe(401);
  await until(() => collector.requests.length > 0, "the request that hangs");
  const startedMs = performance.now();
  expect(await server.end()).toEqual({ code: 0, signal: null });
  // A request may take 10 s; the end of the parts is given 1 s, of which this takes no more than 0.8.
  expect(performance.now() - startedMs).toBeLessThan(9_000);
  expect(server.output()).not.toContain("still works in the background");
  await site.remove();
  await collector.close();
});

test.skipIf(!(await enginesHere()).includes("postgres"))(
  "two processes send their spans by themselves, each under its own name",
  { timeout: LIMIT_MS },
  async () => {
    const collector = await startTraceCollector();
    const site = await makeSite("postgres", { upstreamUrl: "http://127.0.0.1:9", quotas: [] });
    const server = await startServer({ ...site.env, WORKERS: "2", OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const seen = () => new Set(collector.spans.map(({ resource }) => resource["service.instance.id"]));
    let calls = 0;
    await until(
      async () => {
        calls += (await Promise.all(Array.from({ length: 8 }, () => callOf(server.url)))).length;
        return seen().size === 2;
      },
      "spans of both processes",
      LIMIT_MS / 2,
    );
    expect(await server.end()).toEqual({ code: 0, signal: null });
    // What was not sent yet goes out with the end.
    expect(collector.spans).toHaveLength(calls);
    expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(calls);
    await site.remove();
    await collector.close();
  },
);
