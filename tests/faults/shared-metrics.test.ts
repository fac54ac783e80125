/** Fault: a worker is killed while /metrics is read on an address of its own; the answer stays whole, and no count falls. */
import { expect, test } from "vitest";
import { enginesHere } from "../support/databases/databases.ts";
import { childrenOf, startServer, until } from "../support/systems/processes.ts";
import { freePort } from "../support/databases/own-engines.ts";
import { makeSite } from "../support/systems/site.ts";

const TOKEN = "metrics-of-all-workers";
const CALLS = 40;

test.skipIf(!(await enginesHere()).includes("postgres") || process.platform !== "linux")(
  "all workers answer together to the token alone, and a killed one leaves its counts",
  { timeout: 120_000 },
  async () => {
    const site = await makeSite("postgres", { upstreamUrl: "http://127.0.0.1:9", quotas: [] });
    const port = await freePort();
    const place = { METRICS_PORT: String(port), METRICS_HOST: "0.0.0.0", METRICS_TOKEN: TOKEN };
    const server = await startServer({ ...site.env, ...place, WORKERS: "2" });
    const scrape = (token: string, url = `http://127.0.0.1:${port}`) =>
      fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    const sumOf = async (name: string): Promise<number> => {
      const answer = await scrape(TOKEN);
      expect(answer.status).toBe(200);
      const lines = (await answer.text()).split("\n").filter((line) => line.startsWith(name));
      return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
    };
    await until(async () => (await sumOf("turnpike_processes ")) === 2, "two workers in one answer");
    expect([(await scrape(`${TOKEN}x`)).status, (await scrape("")).status]).toEqual([401, 401]);
    // A worker that answered on the main port would show itself alone.
    expect((await scrape(TOKEN, server.url)).status).toBe(404);
    const refused = Array.from({ length: CALLS }, () => fetch(`${server.url}/v1/chat/completions`, { method: "POST" }));
    expect(new Set((await Promise.all(refused)).map(({ status }) => status))).toEqual(new Set([401]));
    expect(await sumOf("turnpike_calls_total{")).toBe(CALLS);
    const [victim = 0] = childrenOf(server.pid);
    process.kill(victim, "SIGKILL");
    await until(async () => {
      expect(await sumOf("turnpike_calls_total{")).toBe(CALLS);
      const children = childrenOf(server.pid);
      return !children.includes(victim) && (await sumOf("turnpike_processes ")) === 2;
    }, "another worker in the answer");
    expect(await sumOf("turnpike_calls_total{")).toBe(CALLS);
    await server.end();
    await site.remove();
  },
);
