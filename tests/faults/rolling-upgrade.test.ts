/**
 * Fault: an upgrade and a rollback while calls go on. The next version is this program with further migrations: what this one writes is
 * then what a version before would write on that schema, with no earlier checkout needed.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MIGRATIONS } from "../../server/src/db/migrations/migrate.ts";
import { expectBalancedLedger } from "../support/checks/balance-sheet.ts";
import { type Load, callChat, startLoad } from "../support/clients/calls.ts";
import { engines } from "../support/databases/databases.ts";
import { turnpike } from "../support/systems/command-line.ts";
import {
  type ServerProcess,
  type UpstreamProcess,
  runServerToItsEnd,
  startServer,
  startUpstream,
  until,
} from "../support/systems/processes.ts";
import { MODELS, type Site, makeSite } from "../support/systems/site.ts";

const NEXT = "tests/support/systems/next-versions.ts";
const LAST = MIGRATIONS.at(-1)?.id ?? 0;
const AHEAD = "a newer version wrote the schema";

let upstream: UpstreamProcess;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.end());

const isGreen = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/readyz`)).status === 200;
  } catch {
    return false; // it does not listen, which is what is asked
  }
};

/** Calls go to the processes of `live` in turn, and at least so many more have to be answered. */
async function answeredBy(live: ServerProcess[], now: readonly ServerProcess[], load: Load): Promise<void> {
  live.splice(0, live.length, ...now);
  const goal = load.finished.length + 10 * now.length;
  await until(() => load.finished.length >= goal, "calls to be answered", 60_000);
}

function loadOn(site: Site, live: readonly ServerProcess[]): Load {
  let turn = 0;
  const url = () => live[turn++ % Math.max(1, live.length)]?.url;
  return startLoad({ url, keys: site.people.map(({ key }) => key), model: MODELS.counted, lanes: 6 });
}

describe.each(await engines())("on %s", (engine) => {
  /** The embedded database admits one process: the one before ends first. */
  const isAlone = engine === "sqlite";

  test("this version and the next serve one database, each stays while the other comes and goes, and what takes away refuses this one", async () => {
    const site = await makeSite(engine, { upstreamUrl: upstream.url, quotas: [10 ** 11, 10 ** 11] });
    const next = (version: string) => startServer({ ...site.env, NEXT_VERSION: version }, NEXT);
    const live: ServerProcess[] = [];
    const load = loadOn(site, live);
    const old = await startServer(site.env);
    await answeredBy(live, [old], load);

    if (isAlone) await leave(live, old);
    const newer = await next("expand"); // migrates, while calls go on at the other
    await answeredBy(live, isAlone ? [newer] : [old, newer], load);
    if (!isAlone) await leave(live, old);

    if (isAlone) await leave(live, newer);
    const back = await startServer(site.env);
    expect(back.output()).toContain(AHEAD);
    await answeredBy(live, isAlone ? [back] : [back, newer], load);
    expect(await isGreen(back.url)).toBe(true);
    await leave(live, back);
    if (!isAlone) await leave(live, newer);

    const last = await next("contract");
    await answeredBy(live, [last], load);
    await load.stop();
    expect((await last.end()).code).toBe(0);
    const refused = await runServerToItsEnd(site.env);
    expect(refused.code).toBe(1);
    expect(refused.output).toContain(`know schema ${LAST + 1} or a later one; this one knows ${LAST}`);
    expect([...load.refused]).toEqual([]);
    await expectBalancedLedger(site, load.finished, 0);
    await site.remove();
  }, 240_000);
});

/** No further call goes to it; those under way are answered before it ends. */
async function leave(live: ServerProcess[], process: ServerProcess): Promise<void> {
  const index = live.indexOf(process);
  if (index >= 0) live.splice(index, 1);
  expect(await process.end("SIGTERM")).toEqual({ code: 0, signal: null });
}

// The embedded database has one process.
describe.each((await engines()).filter((each) => each !== "sqlite").slice(0, 1))("MIGRATE=off on %s", (engine) => {
  test("a start waits, red, until the schema is there, and then serves", async () => {
    const site = await makeSite(engine, { upstreamUrl: upstream.url, quotas: [10 ** 9] });
    const server = await startServer({ ...site.env, MIGRATE: "off", NEXT_VERSION: "expand" }, NEXT);
    expect(await (await fetch(`${server.url}/readyz`)).text()).toBe("not ready: database");
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    expect(server.output()).toContain("run `turnpike migrate`");
    const maker = await startServer({ ...site.env, NEXT_VERSION: "expand" }, NEXT);
    await until(() => isGreen(server.url), "the waiting process to be ready");
    const key = site.people[0]?.key ?? "";
    expect((await callChat(server.url, key, { model: MODELS.fixed, isStream: false })).status).toBe(200);
    for (const each of [server, maker]) expect((await each.end()).code).toBe(0);
    const { code, out } = await turnpike(site.env, "migrate", "--check", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ newer: { schema: LAST + 1 }, steps: [] });
    await site.remove();
  });
});
