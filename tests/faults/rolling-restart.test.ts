/** Fault: a process that is restarted says so before it stops accepting, and of several behind nginx each may be restarted under streams. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { expectBalancedLedger } from "../support/checks/balance-sheet.ts";
import { type CallOutcome, type Finished, callChat } from "../support/clients/calls.ts";
import { enginesHere } from "../support/databases/databases.ts";
import { canStart, freePort } from "../support/databases/own-engines.ts";
import { fewer } from "../support/soak/short-or-long.ts";
import {
  type ServerProcess,
  type UpstreamProcess,
  startServer,
  startUpstream,
  until,
} from "../support/systems/processes.ts";
import { type ReloadableNginx, startReloadableNginx } from "../support/systems/reverse-proxies.ts";
import { startTestServer } from "../support/systems/server.ts";
import { MODELS, makeSite } from "../support/systems/site.ts";

let upstream: UpstreamProcess;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.end());

/** The answer of /readyz; 0 where nothing listens. */
async function readiness(url: string): Promise<{ status: number; text: string }> {
  try {
    const answer = await fetch(`${url}/readyz`, { headers: { connection: "close" } });
    return { status: answer.status, text: await answer.text() };
  } catch {
    return { status: 0, text: "" }; // it does not listen, which is what is asked
  }
}

const isGreen = async (url: string): Promise<boolean> => (await readiness(url)).status === 200;

describe("the delay before the listener closes", () => {
  test("readiness is red at once, while new calls are served on connections that end with them; then the process ends", async () => {
    const site = await makeSite("sqlite", { upstreamUrl: upstream.url, quotas: [10 ** 9] });
    const server = await startServer({ ...site.env, SHUTDOWN_DELAY_SECONDS: "5" });
    const ended = server.end("SIGTERM");
    await until(async () => !(await isGreen(server.url)), "a red /readyz");
    expect(await readiness(server.url)).toEqual({ status: 503, text: "not ready: accepting" });
    const alive = await fetch(`${server.url}/livez`);
    expect([alive.status, alive.headers.get("connection")]).toEqual([200, "close"]);
    const key = site.people[0]?.key ?? "";
    const call = await callChat(server.url, key, { model: MODELS.fixed, isStream: true, plan: { chunks: 3 } });
    expect(call.isComplete).toBe(true);
    expect(await ended).toEqual({ code: 0, signal: null });
    await site.remove();
  });

  test("a second signal ends it at once", async () => {
    const site = await makeSite("sqlite", { upstreamUrl: upstream.url, quotas: [] });
    const server = await startServer({ ...site.env, SHUTDOWN_DELAY_SECONDS: "600" });
    const first = server.end("SIGTERM");
    await until(async () => !(await isGreen(server.url)), "a red /readyz");
    expect(await server.end("SIGTERM")).toEqual({ code: 130, signal: null });
    await first;
    await site.remove();
  });

  test("a process that cannot go on has none", async () => {
    const server = await startTestServer({ SHUTDOWN_DELAY_SECONDS: "600" });
    await server.app.close({ isFailing: true });
    expect((await readiness(server.app.url)).status).toBe(0);
  });
});

const hasAll = canStart("nginx") && (await enginesHere()).includes("postgres");

describe.skipIf(!hasAll)("processes behind nginx", () => {
  const LANES = fewer(300, 60);
  const PROCESSES = fewer(3, 2);
  const PLAN = { text: "word ".repeat(20), chunks: 20, chunkDelayMs: 100 };

  interface Backend {
    port: number;
    url: string;
    isUp: boolean;
    process: ServerProcess;
  }

  /** As docs/deployment.md has it: what is not ready is marked `down`, and nginx reads its configuration again. */
  const configuration = (port: number, backends: readonly Backend[]): string => `
    upstream turnpike {
      ${backends.map((each) => `server 127.0.0.1:${each.port}${each.isUp ? "" : " down"};`).join("\n      ")}
      keepalive 64;
      keepalive_timeout 60s;
    }
    server {
      listen 127.0.0.1:${port};
      location / {
        proxy_pass http://turnpike;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_buffering off;
      }
    }`;

  /** Does what the agent of a cluster does: looks at each readiness all the time, and sends calls to what is green alone. */
  function followReadiness(nginx: ReloadableNginx, port: number, backends: readonly Backend[]) {
    let isOver = false;
    const work = (async () => {
      while (!isOver) {
        const states = await Promise.all(backends.map(({ url }) => isGreen(url)));
        const isChanged = backends.some(({ isUp }, index) => isUp !== states[index]);
        for (const [index, backend] of backends.entries()) backend.isUp = states[index] ?? false;
        if (isChanged) await nginx.reload(configuration(port, backends));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })();
    return async (): Promise<void> => {
      isOver = true;
      await work;
    };
  }

  /** Keeps so many streams open until it is stopped. */
  function keepStreaming(url: string, key: string) {
    const outcomes: CallOutcome[] = [];
    let isOver = false;
    const lane = async (): Promise<void> => {
      while (!isOver) outcomes.push(await callChat(url, key, { model: MODELS.counted, isStream: true, plan: PLAN }));
    };
    const lanes = Promise.all(Array.from({ length: LANES }, lane));
    const stop = async (): Promise<void> => {
      isOver = true;
      await lanes;
    };
    return { outcomes, stop };
  }

  const usageIn = ({ requestId, body }: CallOutcome): Finished => {
    const [, promptTokens = ""] = /"prompt_tokens":(\d+)/.exec(body.toString()) ?? [];
    const [, completionTokens = ""] = /"completion_tokens":(\d+)/.exec(body.toString()) ?? [];
    return { requestId, promptTokens: Number(promptTokens), completionTokens: Number(completionTokens) };
  };

  test("are restarted one after the other, and no stream is lost or charged twice", { timeout: 240_000 }, async () => {
    const site = await makeSite("postgres", { upstreamUrl: upstream.url, quotas: [10 ** 12] });
    const env = { ...site.env, SHUTDOWN_DELAY_SECONDS: "3", SHUTDOWN_GRACE_SECONDS: "60" };
    const begin = (port: number) => startServer({ ...env, PORT: String(port) });
    const backends: Backend[] = [];
    for (let count = 0; count < PROCESSES; count += 1) {
      const port = await freePort();
      const started = await begin(port);
      backends.push({ port, url: started.url, isUp: true, process: started });
    }
    const port = await freePort();
    const nginx = await startReloadableNginx(configuration(port, backends), port);
    onTestFinished(() => nginx.stop());
    const stopFollowing = followReadiness(nginx, port, backends);
    const load = keepStreaming(`http://127.0.0.1:${port}`, site.people[0]?.key ?? "");
    for (const backend of backends) {
      const goal = load.outcomes.length + LANES;
      await until(() => load.outcomes.length >= goal, "streams through all of them", 60_000);
      expect(await backend.process.end("SIGTERM")).toEqual({ code: 0, signal: null });
      backend.process = await begin(backend.port);
      await until(() => backend.isUp, "nginx to know it again", 60_000);
    }
    await load.stop();
    await stopFollowing();
    const lost = load.outcomes.filter(({ isComplete }) => !isComplete);
    expect([...new Set(lost.map(({ status, body }) => `${status} ${body.toString().slice(-200)}`))]).toEqual([]);
    for (const { process: last } of backends) expect((await last.end()).code).toBe(0);
    await expectBalancedLedger(site, load.outcomes.map(usageIn), 0);
    await site.remove();
  });
});
