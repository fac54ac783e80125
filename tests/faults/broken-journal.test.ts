/**
 * Fault: a full data folder beside a remote database stops no call while that database commits; if neither can, no call is admitted and no charge
 * is lost.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectBalancedLedger } from "../support/checks/balance-sheet.ts";
import { callChat, startLoad } from "../support/clients/calls.ts";
import { engines } from "../support/databases/databases.ts";
import { startFreezingProxy } from "../support/databases/freezing-proxy.ts";
import { canBreakDisks, createBrokenDisk } from "../support/systems/broken-disk.ts";
import { type UpstreamProcess, startServer, startUpstream, until } from "../support/systems/processes.ts";
import { MODELS, type Site, makeSite } from "../support/systems/site.ts";

const PORTS = { postgres: 5432, mysql: 3306 } as const;
const servers = canBreakDisks() ? (await engines()).filter((engine) => engine !== "sqlite") : [];

let upstream: UpstreamProcess;

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.end());

const readiness = async (url: string): Promise<string> => (await fetch(`${url}/readyz`)).text();

/** Bytes that reached the journal's files. */
function journaledBytes({ place }: Site): number {
  const names = readdirSync(place.config.dataDir).filter((name) => name.includes(".journal"));
  return names.reduce((sum, name) => sum + statSync(join(place.config.dataDir, name)).size, 0);
}

/** A server whose database can freeze and whose data folder can be full, under load. */
async function startScene(engine: "postgres" | "mysql") {
  const site = await makeSite(engine, { upstreamUrl: upstream.url, quotas: [10 ** 12] });
  const proxy = await startFreezingProxy(site.place.config.databaseUrl ?? "", PORTS[engine]);
  const disk = createBrokenDisk(site.place.config.dataDir);
  const server = await startServer({ ...site.env, ...disk.env, DATABASE_URL: proxy.url, LOG_LEVEL: "silent" });
  const key = site.people[0]?.key ?? "";
  const startUnder = () => startLoad({ url: () => server.url, keys: [key], model: MODELS.counted, lanes: 20 });
  const end = async () => {
    expect(await server.end()).toEqual({ code: 0, signal: null });
    proxy.end();
    disk.remove();
    await site.remove();
  };
  return { site, proxy, disk, server, key, startUnder, end };
}

test.each(servers)(
  "a full data folder beside a %s: calls continue and are charged, until the database freezes too",
  { timeout: 240_000 },
  async (engine) => {
    const { site, proxy, disk, server, key, startUnder, end } = await startScene(engine);
    disk.fail("ENOSPC");
    const load = startUnder();
    await until(() => load.finished.length > 100, "answers with a full data folder");
    expect(await readiness(server.url)).toBe("ok");

    proxy.freeze();
    await until(async () => (await readiness(server.url)).includes("books"), "a red /readyz");
    await load.stop(); // Each call that was under way has its answer, with neither database nor journal.
    const before = (await upstream.facts()).count;
    const refused = await Promise.all(
      Array.from({ length: 20 }, () => callChat(server.url, key, { model: MODELS.counted, isStream: false })),
    );
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
    expect((await upstream.facts()).count).toBe(before);
    expect(journaledBytes(site)).toBe(0);

    proxy.thaw(); // The folder is as full as before: the charges come from memory.
    await until(async () => (await readiness(server.url)) === "ok", "a green /readyz", 60_000);
    const after = startUnder();
    await until(() => after.finished.length > 50, "answers after it");
    await after.stop();
    await expectBalancedLedger(site, [...load.finished, ...after.finished], 0);
    await end();
  },
);

test.each(servers)(
  "a data folder that has room again takes the charges while the %s is away, and they are posted after it",
  { timeout: 240_000 },
  async (engine) => {
    const { site, proxy, disk, server, startUnder, end } = await startScene(engine);
    const load = startUnder();
    await until(() => load.finished.length > 50, "answers");
    disk.fail("ENOSPC");
    proxy.freeze();
    await until(async () => (await readiness(server.url)).includes("books"), "a red /readyz");
    await load.stop();
    disk.mend();
    await until(() => journaledBytes(site) > 0, "charges in the journal", 60_000);
    proxy.thaw();
    await until(
      async () => (await readiness(server.url)) === "ok" && journaledBytes(site) === 0,
      "a green /readyz",
      60_000,
    );
    await expectBalancedLedger(site, load.finished, 0);
    await end();
  },
);
