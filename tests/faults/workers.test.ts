/** Fault: of several processes one may be killed at any time; no client hangs, nothing stays open in the primary, and another takes its place. */
import { readdirSync } from "node:fs";
import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { enginesHere } from "../support/databases/databases.ts";
import { IS_LONG } from "../support/soak/short-or-long.ts";
import { childrenOf, startServer, until } from "../support/systems/processes.ts";
import { makeSite } from "../support/systems/site.ts";

const KILLS = IS_LONG ? 3 : 1;
const CLIENTS = 32;

/** A request on a connection of its own: its status, 0 where the connection broke. */
const ask = (url: string): Promise<number> =>
  new Promise((resolve) => {
    const call = request(`${url}/livez`, { agent: false }, (answer) => {
      answer.resume();
      answer.on("close", () => resolve(answer.statusCode ?? 0));
    });
    call.on("error", () => resolve(0));
    call.end();
  });

const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

describe.skipIf(!(await enginesHere()).includes("postgres") || process.platform !== "linux")(
  "workers that are killed",
  () => {
    test("leak no client connection and no descriptor in the primary", { timeout: 180_000 }, async () => {
      const site = await makeSite("postgres", { upstreamUrl: "http://127.0.0.1:9", quotas: [] });
      const server = await startServer({ ...site.env, WORKERS: "2" });
      const isReady = async (): Promise<boolean> =>
        childrenOf(server.pid).length === 2 && (await ask(server.url)) === 200;
      await until(isReady, "two workers", 60_000);
      await Promise.all(Array.from({ length: CLIENTS }, () => ask(server.url)));
      const before = descriptorsOf(server.pid);
      let openCount = 0;
      let answered = 0;
      let isLoading = true;
      const client = async (): Promise<void> => {
        while (isLoading) {
          openCount += 1;
          answered += (await ask(server.url)) === 200 ? 1 : 0;
          openCount -= 1;
        }
      };
      const clients = Array.from({ length: CLIENTS }, client);
      for (let kill = 0; kill < KILLS; kill += 1) {
        const goal = answered + 500;
        await until(() => answered >= goal, "answers", 60_000);
        const [victim = 0] = childrenOf(server.pid);
        process.kill(victim, "SIGKILL");
        await until(() => !childrenOf(server.pid).includes(victim), "the end of a worker", 60_000);
        await until(() => childrenOf(server.pid).length === 2, "another worker", 60_000);
      }
      isLoading = false;
      await until(() => openCount === 0, "the end of every request", 30_000);
      await Promise.all(clients);
      await until(isReady, "two workers", 60_000);
      await until(() => descriptorsOf(server.pid) <= before, `at most ${before} descriptors in the primary`, 30_000);
      expect(server.output()).toContain("ended with SIGKILL; another one takes its place");
      expect(await server.end()).toEqual({ code: 0, signal: null });
      await site.remove();
    });
  },
);
