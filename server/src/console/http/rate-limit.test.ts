/** Tests of the console's global rate limit over real HTTP, in memory and in Redis: signed-in users at work are never limited, anonymous floods are. */
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import { type OwnEngine, canStart, startRedis } from "../../../../tests/support/databases/own-engines.ts";
import { type Caller, type TestConsole, openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { Cache } from "../../cache/cache.ts";
import { createMemoryCache } from "../../cache/memory.ts";
import { createRedisCache } from "../../cache/redis.ts";
import { bumpVersion } from "../../db/versions.ts";
import { SESSION_COOKIE } from "./authenticate.ts";
import { SIGNED_IN_FACTOR, createRateLimiter } from "./rate-limit.ts";

const DEFAULT = { isEnabled: true, count: 180, durationSeconds: 180 };
const SMALL = { isEnabled: true, count: 4, durationSeconds: 180 };

let site: TestConsole;
beforeAll(async () => {
  site = await openTestConsole("sqlite");
});
afterAll(() => site.close());

async function openRedis(url: string): Promise<Cache> {
  const cache = createRedisCache({ url, commandTimeoutMs: 10_000 });
  await expect.poll(() => cache.isShared, { timeout: 15_000 }).toBe(true);
  return cache;
}

/** Empties a Redis of this file's own, so that each test begins with its whole budget. */
async function forgetAll(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.flushall();
  await redis.quit();
}

/** Statuses of so many calls, one after the other. */
async function statusesOf(count: number, call: () => Promise<{ status: number }>): Promise<number[]> {
  const statuses = [];
  for (let index = 0; index < count; index += 1) statuses.push((await call()).status);
  return statuses;
}

/** Switched off with the sessions still there, as right after a change that another process made. */
async function ban(userId: number): Promise<void> {
  const { database, snapshot } = site.foundation;
  await database.kysely.transaction().execute(async (transaction) => {
    const change = { status: USER_STATUS.disabled, changed_version: await bumpVersion(transaction, "users") };
    await transaction.updateTable("users").set(change).where("id", "=", userId).execute();
  });
  await snapshot.refresh();
}

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(site.url + path, { headers });
const stranger = (): Promise<Response> => get("/api/status");
const self = (caller: Caller) => () => caller.call("GET", "/api/user/self");

const MODES = canStart("redis-server") ? ["memory", "Redis"] : ["memory"];

describe.each(MODES)("counted in %s", (mode) => {
  let redis: OwnEngine | undefined;
  let cache: Cache;

  beforeAll(async () => {
    redis = mode === "Redis" ? await startRedis() : undefined;
  });
  afterAll(() => redis?.remove());

  function limitTo(globalApiLimit: typeof DEFAULT): void {
    Object.assign(site.context, {
      limiter: createRateLimiter(cache),
      site: { ...site.context.site, globalApiLimit },
    });
  }

  beforeEach(async () => {
    cache = redis === undefined ? createMemoryCache() : await openRedis(redis.url);
    return async () => {
      await cache.close();
      if (redis !== undefined) await forgetAll(redis.url);
    };
  });

  test("40 people behind one address make 100 calls each in a window and none is refused", async () => {
    limitTo(DEFAULT);
    const people = await Promise.all(Array.from({ length: 40 }, () => site.person()));
    const paths = ["/api/user/self", "/api/status"];
    const refused = await Promise.all(
      people.map(async (person) => {
        let call = 0;
        const statuses = await statusesOf(100, () => person.call("GET", paths[(call += 1) % 2] ?? ""));
        return statuses.filter((status) => status !== 200);
      }),
    );
    expect(refused.flat()).toEqual([]);
    expect((await stranger()).status).toBe(200); // They have used up nothing of the address.
  }, 240_000);

  test("an anonymous flood is refused, and signed-in users behind the same address are not", async () => {
    limitTo(SMALL);
    const person = await site.person();
    expect(await statusesOf(6, stranger)).toEqual([200, 200, 200, 200, 429, 429]);
    expect(await statusesOf(3, self(person))).toEqual([200, 200, 200]);
    expect((await person.call("GET", "/api/status")).status).toBe(200);
  });

  test("a signed-in user has a separate budget, shared by their sessions and access tokens", async () => {
    limitTo(SMALL);
    const [person, other] = [await site.person(), await site.person()];
    const accessToken = await person.data<string>("GET", "/api/user/token");
    const withToken = () => get("/api/user/self", { authorization: accessToken, "new-api-user": `${person.userId}` });
    const again = await site.session(person);
    const total = SMALL.count * SIGNED_IN_FACTOR - 3; // The access token took one.
    expect(new Set(await statusesOf(total, self(person)))).toEqual(new Set([200]));
    expect((await withToken()).status).toBe(200);
    expect((await self(again)()).status).toBe(200);
    expect([(await withToken()).status, (await self(again)()).status]).toEqual([429, 429]);
    expect([(await self(other)()).status, (await stranger()).status]).toEqual([200, 200]);
  });

  test.each([
    ["a stolen id in the header", (person: Caller) => ({ "new-api-user": `${person.userId}` })],
    ["a made-up cookie", () => ({ cookie: `${SESSION_COOKIE}=${crypto.randomUUID()}` })],
    ["a made-up access token", (person: Caller) => ({ authorization: "made-up", "new-api-user": `${person.userId}` })],
  ])("%s counts against the address and takes nothing from its person", async (_name, headersOf) => {
    limitTo(SMALL);
    const person = await site.person();
    const guess = () => get("/api/user/self", headersOf(person));
    expect(await statusesOf(6, guess)).toEqual([401, 401, 401, 401, 429, 429]);
    expect((await stranger()).status).toBe(429);
    expect((await self(person)()).status).toBe(200);
  });

  test("a session that has expired or whose person is banned counts against the address", async () => {
    limitTo(SMALL);
    const [late, banned] = [await site.person(), await site.person()];
    const { kysely } = site.foundation.database;
    await kysely.updateTable("sessions").set({ expires_time: 1 }).where("user_id", "=", late.userId).execute();
    await ban(banned.userId);
    expect(await statusesOf(2, self(late))).toEqual([401, 401]);
    expect((await statusesOf(2, self(banned))).every((status) => status >= 400)).toBe(true);
    expect((await stranger()).status).toBe(429);
  });
});
