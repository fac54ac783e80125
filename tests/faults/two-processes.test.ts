/** Fault: two processes on one PostgreSQL act as one, with Redis, with a Redis that died, and without any. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, openDatabase } from "../../server/src/db/database.ts";
import { callChat } from "../support/clients/calls.ts";
import { enginesHere } from "../support/databases/databases.ts";
import { type OwnEngine, canStart, startRedis } from "../support/databases/own-engines.ts";
import { IS_SHORT } from "../support/soak/short-or-long.ts";
import { type ServerProcess, type UpstreamProcess, startServer, startUpstream } from "../support/systems/processes.ts";
import { MODELS, type Person, type Site, dataOf, loggedIn, makeSite } from "../support/systems/site.ts";
import { ROOT_PASSWORD, TestClient } from "../support/systems/server.ts";

const ALLOWED = 10;
const WITHIN_MS = 1_000;
const POLL_MS = 50;

const hasPostgres = (await enginesHere()).includes("postgres");
/** In the short form a Redis that died stands for none as well. */
const MODES = ["with Redis", "with Redis stopped", "without Redis"] as const;
const hasRedis = canStart("redis-server");
const modes = MODES.filter((mode) => (mode === "without Redis" ? !(IS_SHORT && hasRedis) : hasRedis));

let upstream: UpstreamProcess;

beforeAll(async () => {
  upstream = await startUpstream();
});

afterAll(() => upstream.end());

describe.skipIf(!hasPostgres).each(modes)("%s", (mode) => {
  let site: Site;
  let redis: OwnEngine | undefined;
  let servers: readonly [ServerProcess, ServerProcess];
  let database: Database;

  beforeAll(async () => {
    site = await makeSite("postgres", {
      upstreamUrl: upstream.url,
      quotas: [10 ** 9, 10 ** 9, 10 ** 9, 10 ** 9, 10 ** 9],
    });
    redis = mode === "without Redis" ? undefined : await startRedis();
    const env = redis === undefined ? site.env : { ...site.env, REDIS_URL: redis.url };
    servers = [await startServer(env), await startServer(env)];
    database = await openDatabase(site.place.config);
    if (mode === "with Redis stopped") await redis?.kill();
  });

  afterAll(async () => {
    for (const server of servers) await server.end();
    await database.close();
    await site.remove();
    await redis?.remove();
  });

  const personAt = (index: number): Person => {
    const person = site.people[index];
    if (person === undefined) throw new Error(`nobody is at ${index}`);
    return person;
  };

  /** Status of a call with this key on each process. */
  const statuses = (key: string): Promise<number[]> =>
    Promise.all(
      servers.map(async ({ url }) => (await callChat(url, key, { model: MODELS.fixed, isStream: false })).status),
    );

  /** Waits until the look gives `wanted` on both processes: what begins a second from now has to. */
  async function expectWithinASecond(look: () => Promise<unknown>, wanted: unknown): Promise<void> {
    const end = performance.now() + WITHIN_MS;
    for (;;) {
      const isLast = performance.now() >= end;
      const seen = await look();
      if (isLast) return expect(seen).toEqual(wanted);
      if (JSON.stringify(seen) === JSON.stringify(wanted)) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  test("a token switched off on one is refused on both within a second, and so is a deleted one", async () => {
    const { username, tokenId, key } = personAt(0);
    const owner = await loggedIn(servers[0].url, username);
    expect(await statuses(key)).toEqual([200, 200]);
    await dataOf(owner.put("/api/token?status_only=true", { id: tokenId, status: 2 }));
    await expectWithinASecond(() => statuses(key), [401, 401]);
    await dataOf(owner.put("/api/token?status_only=true", { id: tokenId, status: 1 }));
    await expectWithinASecond(() => statuses(key), [200, 200]);
    await dataOf(owner.send("DELETE", `/api/token/${tokenId}`));
    await expectWithinASecond(() => statuses(key), [401, 401]);
  });

  test("an option changed on one is in force on both within a second", async () => {
    const root = await loggedIn(servers[1].url, "root", ROOT_PASSWORD);
    await dataOf(root.put("/api/option", { key: "SystemName", value: `Renamed ${mode}` }));
    const names = (): Promise<string[]> =>
      Promise.all(
        servers.map(async ({ url }) => {
          const status = await dataOf<{ system_name: string }>(new TestClient(url).get("/api/status"));
          return status.system_name;
        }),
      );
    await expectWithinASecond(names, [`Renamed ${mode}`, `Renamed ${mode}`]);
  });

  /** The same cookie at the other process. */
  const elsewhere = (client: TestClient, url: string): TestClient => {
    const same = new TestClient(url);
    same.cookie = client.cookie;
    same.userId = client.userId;
    return same;
  };

  test("a login on one holds on the other, and a logout there ends it on both", async () => {
    const here = await loggedIn(servers[0].url, personAt(1).username);
    const there = elsewhere(here, servers[1].url);
    expect((await there.get("/api/user/self")).status).toBe(200);
    const old = elsewhere(here, servers[1].url);
    expect((await there.post("/api/user/logout")).body.success).toBe(true);
    expect((await old.get("/api/user/self")).status).toBe(401);
    expect((await elsewhere(here, servers[0].url).get("/api/user/self")).status).toBe(401);
  });

  test("a banned user's session and tokens die on both within a second", async () => {
    const { userId, username, key } = personAt(2);
    const here = await loggedIn(servers[0].url, username);
    const there = elsewhere(here, servers[1].url);
    expect(await statuses(key)).toEqual([200, 200]);
    const root = await loggedIn(servers[0].url, "root", ROOT_PASSWORD);
    await dataOf(root.post("/api/user/manage", { id: userId, action: "disable" }));
    await expectWithinASecond(() => statuses(key), [403, 403]);
    const sessions = async (): Promise<boolean[]> =>
      Promise.all([here, there].map(async (client) => (await client.get("/api/user/self")).body.success));
    await expectWithinASecond(sessions, [false, false]);
  });

  test("a role given or taken on one, and a deregistering, hold on both within a second, for every open session and token", async () => {
    const { userId, username, key } = personAt(4);
    const root = await loggedIn(servers[0].url, "root", ROOT_PASSWORD);
    const enter = async () => {
      const here = await loggedIn(servers[0].url, username);
      const both = [here, elsewhere(here, servers[1].url)];
      const token = await dataOf<string>(here.post("/api/user/token"));
      const byToken = servers.map(({ url }) => new TestClient(url));
      const headers = { authorization: `Bearer ${token}`, "new-api-user": String(userId) };
      return (path: string): Promise<number[]> =>
        Promise.all([
          ...both.map(async (client) => (await client.get(path)).status),
          ...byToken.map(async (client) => (await client.get(path, { headers })).status),
        ]);
    };
    const act = (action: string) => dataOf(root.post("/api/user/manage", { id: userId, action }));
    const before = await enter();
    await act("promote");
    // Another role wants another sign-in: what was open under the old one ends on both.
    await expectWithinASecond(() => before("/api/user/self"), [401, 401, 401, 401]);
    const asAdministrator = await enter();
    await expectWithinASecond(() => asAdministrator("/api/user/"), [200, 200, 200, 200]);
    await act("demote");
    await expectWithinASecond(() => asAdministrator("/api/user/"), [401, 401, 401, 401]);
    expect(await statuses(key)).toEqual([200, 200]);
    const statusesOf = await enter();
    await act("delete");
    await expectWithinASecond(() => statusesOf("/api/user/self"), [401, 401, 401, 401]);
    await expectWithinASecond(() => statuses(key), [401, 401]);
  });

  test(`a limit of ${ALLOWED} calls counts on both`, async () => {
    const root = await loggedIn(servers[0].url, "root", ROOT_PASSWORD);
    const { key } = personAt(3);
    await dataOf(root.put("/api/option", { key: "ModelRequestRateLimitCount", value: String(ALLOWED) }));
    await dataOf(root.put("/api/option", { key: "ModelRequestRateLimitEnabled", value: "true" }));
    // In force on the other too: its own calls are refused there once it counted enough of them.
    let allowed = 0;
    const seen = new Set<number>();
    for (let round = 0; round < 2 * ALLOWED + 60; round += 1) {
      const [first = 0, second = 0] = await statuses(key);
      allowed += [first, second].filter((status) => status === 200).length;
      seen.add(first).add(second);
      if (first === 429 && second === 429) break;
      if (round === 0) await new Promise((resolve) => setTimeout(resolve, WITHIN_MS));
    }
    expect([...seen].toSorted((a, b) => a - b)).toEqual([200, 429]);
    expect(await statuses(key)).toEqual([429, 429]);
    // Shared, they are one count (the call before the option reached the second process is not in it); else each has its own.
    const most = mode === "with Redis" ? ALLOWED + 1 : 2 * ALLOWED + 1;
    expect(allowed).toBeGreaterThanOrEqual(ALLOWED);
    expect(allowed).toBeLessThanOrEqual(most);
    await dataOf(root.put("/api/option", { key: "ModelRequestRateLimitEnabled", value: "false" }));
    await expectWithinASecond(() => statuses(key), [200, 200]);
  });
});
