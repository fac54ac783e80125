/** Fault: a database or a Redis that dies or freezes under load loses no charge; settlements wait in the journal, and all recovers automatically. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Engine } from "../../server/src/db/database.ts";
import { letDeadProcessesAge } from "../support/soak/ageing.ts";
import { expectBalancedLedger } from "../support/checks/balance-sheet.ts";
import { type Load, startLoad } from "../support/clients/calls.ts";
import { createTestPlace } from "../support/databases/databases.ts";
import { type OwnEngine, canStart, startMariadb, startPostgres, startRedis } from "../support/databases/own-engines.ts";
import {
  type ServerProcess,
  type UpstreamProcess,
  startServer,
  startUpstream,
  until,
} from "../support/systems/processes.ts";
import { IS_LONG } from "../support/soak/short-or-long.ts";
import { MODELS, type Site, makeSite } from "../support/systems/site.ts";

const LANES = 120;
/** How the engine is lost, one after the other. */
const LOSSES = IS_LONG ? (["kill", "freeze", "kill"] as const) : (["kill", "freeze"] as const);

let upstream: UpstreamProcess;

beforeAll(async () => {
  upstream = await startUpstream();
});

afterAll(() => upstream.end());

const startUnder = (site: Site, server: ServerProcess): Load =>
  startLoad({
    url: () => server.url,
    keys: site.people.map(({ key }) => key),
    model: MODELS.counted,
    lanes: LANES,
  });

const readiness = async (server: ServerProcess): Promise<string> => (await fetch(`${server.url}/readyz`)).text();

const journals = ({ place }: Site): string[] =>
  readdirSync(place.config.dataDir).filter((name) => name.includes(".journal"));

/** Green, and nothing is left in the journal: what a slow disk makes late meanwhile may go there once more. */
const recovered = (site: Site, server: ServerProcess): Promise<void> =>
  until(
    async () => (await readiness(server)) === "ok" && journals(site).length === 0,
    "a green /readyz and no journal",
    60_000,
  );

const moreAnswers = (load: Load, count: number): Promise<void> => {
  const goal = load.finished.length + count;
  return until(() => load.finished.length >= goal, `${count} more answers`, 60_000);
};

/** So that the loss meets calls that will have something to settle; on a slow machine all lanes may be asking for their holds. */
const someUnderWay = (): Promise<void> =>
  until(async () => (await upstream.facts()).openCount >= 10, "calls at the upstream", 60_000);

const STARTS: Readonly<Record<Exclude<Engine, "sqlite">, () => Promise<OwnEngine>>> = {
  postgres: startPostgres,
  mysql: startMariadb,
};

const servers = (["postgres", "mysql"] as const).filter(
  (name) => (IS_LONG || name === "postgres") && canStart(name === "postgres" ? "postgres" : "mariadbd"),
);

describe.each(servers)("losing %s under load", (name) => {
  test(
    `${LOSSES.join(", ")}: settlements go to the journal, /readyz is red meanwhile, and every answer is charged once`,
    { timeout: 180_000 },
    async () => {
      const engine = await STARTS[name]();
      const place = await createTestPlace(name, { server: engine.url });
      const quotas = [10 ** 12, 10 ** 12];
      const site = await makeSite(name, { upstreamUrl: upstream.url, quotas, place });
      const server = await startServer(site.env);
      const load = startUnder(site, server);
      for (const loss of LOSSES) {
        await moreAnswers(load, 150);
        await someUnderWay();
        if (loss === "kill") await engine.kill();
        else engine.freeze();
        await until(async () => (await readiness(server)).includes("books"), "a red /readyz");
        await until(() => journals(site).length > 0, "a journal");
        expect((await fetch(`${server.url}/livez`)).status).toBe(200);
        if (loss === "kill") await engine.start();
        else engine.thaw();
        await recovered(site, server);
      }
      await moreAnswers(load, 150);
      await load.stop();
      const charges = await expectBalancedLedger(site, load.finished, 0);
      console.log(`${name}: ${LOSSES.length} losses, ${load.finished.length} seen complete, ${charges} charged`);
      expect(load.refused.get(503)).toBeGreaterThan(0);
      expect(await server.end()).toEqual({ code: 0, signal: null });
      await site.remove();
      await engine.remove();
    },
  );

  test(
    "settlements of a server that is killed while the database is down are applied by the next one",
    { timeout: 180_000 },
    async () => {
      const engine = await STARTS[name]();
      const place = await createTestPlace(name, { server: engine.url });
      const site = await makeSite(name, { upstreamUrl: upstream.url, quotas: [10 ** 12], place });
      const first = await startServer(site.env);
      const load = startUnder(site, first);
      await moreAnswers(load, 150);
      await someUnderWay();
      await engine.kill();
      const before = load.finished.length;
      await until(() => journals(site).length > 0, "a journal");
      await until(() => load.finished.length > before, "an answer that only the journal knows");
      const cut = load.openCount;
      await first.end("SIGKILL");
      await load.stop();
      await engine.start();
      const second = await startServer(site.env);
      await letDeadProcessesAge(site, second.pid);
      await until(() => journals(site).length === 0, "the journal's replay", 60_000);
      await expectBalancedLedger(site, load.finished, cut);
      expect(await second.end()).toEqual({ code: 0, signal: null });
      await site.remove();
      await engine.remove();
    },
  );

  test(
    "SIGTERM while the database is away ends the server in time, and the next one books what it left",
    { timeout: 180_000 },
    async () => {
      const engine = await STARTS[name]();
      const place = await createTestPlace(name, { server: engine.url });
      const site = await makeSite(name, { upstreamUrl: upstream.url, quotas: [10 ** 12], place });
      const first = await startServer(site.env);
      const load = startUnder(site, first);
      await moreAnswers(load, 150);
      await engine.kill();
      await until(async () => (await readiness(first)).includes("books"), "a red /readyz");
      const stopped = load.stop();
      const started = performance.now();
      const exit = await first.end("SIGTERM");
      expect(performance.now() - started).toBeLessThan(20_000);
      expect(exit).toEqual({ code: 0, signal: null });
      await stopped;
      await engine.start();
      const second = await startServer(site.env);
      await letDeadProcessesAge(site, second.pid);
      await until(() => journals(site).length === 0, "the journal's replay", 60_000);
      await expectBalancedLedger(site, load.finished, LANES);
      expect(await second.end()).toEqual({ code: 0, signal: null });
      await site.remove();
      await engine.remove();
    },
  );
});

test(
  "an embedded database that another program locks is a lost one: the journal, a red /readyz, and every answer charged once",
  { timeout: 120_000 },
  async () => {
    const site = await makeSite("sqlite", { upstreamUrl: upstream.url, quotas: [10 ** 12] });
    const server = await startServer(site.env);
    const load = startUnder(site, server);
    for (let loss = 1; loss <= 2; loss += 1) {
      await moreAnswers(load, 150);
      const other = new DatabaseSync(join(site.place.config.dataDir, "turnpike.db"), { timeout: 5_000 });
      other.exec("BEGIN IMMEDIATE");
      await until(async () => (await readiness(server)).includes("books"), "a red /readyz");
      await until(() => journals(site).length > 0, "a journal");
      other.exec("ROLLBACK");
      other.close();
      await recovered(site, server);
    }
    await moreAnswers(load, 150);
    await load.stop();
    await expectBalancedLedger(site, load.finished, 0);
    expect(await server.end()).toEqual({ code: 0, signal: null });
    await site.remove();
  },
);

describe.each(canStart("redis-server") ? ["Redis"] : [])("losing %s under load", () => {
  test(
    `${LOSSES.join(", ")}: no call is refused for it, and every answer is charged once`,
    { timeout: 120_000 },
    async () => {
      const redis = await startRedis();
      const options = { ModelRequestRateLimitEnabled: "true", ModelRequestRateLimitSuccessCount: "1000000" };
      const site = await makeSite("sqlite", { upstreamUrl: upstream.url, quotas: [10 ** 12], options });
      const server = await startServer({ ...site.env, REDIS_URL: redis.url });
      const load = startUnder(site, server);
      for (const loss of LOSSES) {
        await moreAnswers(load, 150);
        if (loss === "kill") await redis.kill();
        else redis.freeze();
        await moreAnswers(load, 300);
        expect(await readiness(server)).toBe("ok");
        if (loss === "kill") await redis.start();
        else redis.thaw();
      }
      await moreAnswers(load, 150);
      await load.stop();
      await expectBalancedLedger(site, load.finished, 0);
      expect([...load.refused]).toEqual([]);
      expect(await server.end()).toEqual({ code: 0, signal: null });
      await site.remove();
      await redis.remove();
    },
  );
});
