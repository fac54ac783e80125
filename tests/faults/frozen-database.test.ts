/** Fault: a database that freezes, with open connections and no response, hangs neither calls nor console nor the shutdown. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectBalancedLedger } from "../support/checks/balance-sheet.ts";
import { callChat, startLoad } from "../support/clients/calls.ts";
import { engines } from "../support/databases/databases.ts";
import { startFreezingProxy } from "../support/databases/freezing-proxy.ts";
import { letDeadProcessesAge } from "../support/soak/ageing.ts";
import { IS_LONG } from "../support/soak/short-or-long.ts";
import { type UpstreamProcess, startServer, startUpstream, until } from "../support/systems/processes.ts";
import { MODELS, loggedIn, makeSite } from "../support/systems/site.ts";

const PORTS = { postgres: 5432, mysql: 3306 } as const;
const servers = (await engines())
  .filter((engine) => engine !== "sqlite")
  .filter((engine) => IS_LONG || engine === "postgres");
const GRACE_SECONDS = 2;
/** The promise is 5 s behind the grace time; the rest is for a machine that others use too. */
const END_LIMIT_MS = (GRACE_SECONDS + 10) * 1000;

let upstream: UpstreamProcess;

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.end());

test.concurrent.each(servers)(
  "a %s that freezes costs calls and the console a 503, no charge, and the server's end no more than its grace time and 5 s",
  { timeout: 240_000 },
  async (engine) => {
    const site = await makeSite(engine, { upstreamUrl: upstream.url, quotas: [10 ** 12] });
    const proxy = await startFreezingProxy(site.place.config.databaseUrl ?? "", PORTS[engine]);
    const env = { ...site.env, DATABASE_URL: proxy.url, SHUTDOWN_GRACE_SECONDS: String(GRACE_SECONDS) };
    const server = await startServer({ ...env, LOG_LEVEL: "silent" });
    const person = await loggedIn(server.url, "person0");
    const key = site.people[0]?.key ?? "";
    const load = startLoad({ url: () => server.url, keys: [key], model: MODELS.counted, lanes: 20 });
    await until(() => load.finished.length > 50, "answers");

    proxy.freeze();
    const asked = [person.get("/api/user/self"), person.get("/api/token?p=1"), person.get("/api/user/self")];
    await until(async () => !(await fetch(`${server.url}/readyz`)).ok, "a red /readyz");
    await load.stop();
    const refused = await callChat(server.url, key, { model: MODELS.counted, isStream: true });
    expect(refused.status).toBe(503);
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    const answers = await Promise.all(asked);
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      answers.map(() => [503, "database_unavailable"]),
    );

    const late = callChat(server.url, key, { model: MODELS.counted, isStream: true });
    const started = performance.now();
    const exit = await server.end("SIGTERM");
    expect(exit).toEqual({ code: 0, signal: null });
    expect(performance.now() - started).toBeLessThan(END_LIMIT_MS);
    await late;

    proxy.thaw();
    const next = await startServer(site.env);
    await letDeadProcessesAge(site, next.pid);
    await expectBalancedLedger(site, load.finished, 40);
    expect(await next.end()).toEqual({ code: 0, signal: null });
    proxy.end();
    await site.remove();
  },
);
