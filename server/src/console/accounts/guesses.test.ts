/** Tests of brute-force protection: guesses from one network or from a thousand are slowed, by all processes together, and the owner still gets in from a known network. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { engines, openTestDatabase } from "../../../../tests/support/databases/databases.ts";
import type { TestDatabase } from "../../../../tests/support/databases/databases.ts";
import { canStart, startRedis } from "../../../../tests/support/databases/own-engines.ts";
import type { OwnEngine } from "../../../../tests/support/databases/own-engines.ts";
import type { Cache } from "../../cache/cache.ts";
import { createMemoryCache } from "../../cache/memory.ts";
import { createRedisCache } from "../../cache/redis.ts";
import { openDatabase } from "../../db/database.ts";
import type { Database } from "../../db/database.ts";
import { SHARED_FACTOR } from "../http/rate-limit.ts";
import { FREE_GUESSES, guard } from "./guesses.ts";
import type { Guess, GuardContext } from "./guesses.ts";

/** Each with the table, and one of them with Redis, which needs no table. */
const PLACES = (await engines()).map((engine) => ({ engine, counted: "table" }));
if (canStart("redis-server")) PLACES.push({ engine: "sqlite", counted: "Redis" });

const HOME = "192.0.2.7";
const network = (index: number): string => `10.${Math.floor(index / 256)}.${index % 256}.1`;

describe.each(PLACES)("guesses counted in $counted on $engine", ({ engine, counted }) => {
  let place: TestDatabase;
  let redis: OwnEngine | undefined;
  let now: number;
  let processes: (GuardContext & { cache: Cache; database: Database })[];
  let checks: number;

  beforeAll(async () => {
    place = await openTestDatabase(engine);
    redis = counted === "Redis" ? await startRedis() : undefined;
  });
  afterAll(async () => {
    await redis?.remove();
    await place.close();
  });

  const openProcess = async (database: Database) => {
    const cache = redis === undefined ? createMemoryCache() : createRedisCache({ url: redis.url });
    if (redis !== undefined) await expect.poll(() => cache.isShared).toBe(true);
    return {
      database,
      cache,
      secrets: place.secrets,
      clock: () => now,
      recordSecurityEvent: () => undefined,
    };
  };

  beforeEach(async () => {
    now = 1_900_000_000_000;
    checks = 0;
    await place.database.kysely.deleteFrom("guesses").execute();
    // The embedded database belongs to one process; both use its one connection.
    const second = engine === "sqlite" ? place.database : await openDatabase(place.config);
    processes = [await openProcess(place.database), await openProcess(second)];
  });
  afterEach(async () => {
    for (const { cache, database } of processes) {
      await cache.close();
      if (database !== place.database) await database.close();
    }
  });

  let accounts = 0;
  const newAccount = (): string => `somebody${(accounts += 1)}`;

  /** What came of it: `in`, `wrong`, or the seconds to wait. Every other guess goes to the other process. */
  async function guess(account: string, ip: string, isRight = false, more: Partial<Guess> = {}) {
    const process = processes[(checks += 1) % 2] ?? expect.fail();
    const given = { kind: "login", account, ip, claim: undefined, ...more } as const;
    return guard(process, given, () => Promise.resolve(isRight || undefined)).then(
      (result) => (result === undefined ? "wrong" : "in"),
      (error: { code: string; retryAfterSeconds: number }) => {
        expect(error.code).toBe("too_many_requests");
        return error.retryAfterSeconds;
      },
    );
  }

  test("one network at one account is slowed after five, whichever process hears it, the right password too", async () => {
    const account = newAccount();
    for (let index = 0; index < FREE_GUESSES.own; index += 1) expect(await guess(account, HOME)).toBe("wrong");
    expect(await guess(account, HOME, true)).toBe(1);
    expect(await guess(account.toUpperCase(), "192.0.2.99", true)).toBe(1);
    // Another network, and another account from this one, wait for nothing.
    expect(await guess(account, "198.51.100.1")).toBe("wrong");
    expect(await guess(newAccount(), HOME, true)).toBe("in");
  });

  test("a right guess in between forgives those before it", async () => {
    const account = newAccount();
    for (let round = 0; round < 3; round += 1) {
      for (let index = 1; index < FREE_GUESSES.own; index += 1) expect(await guess(account, HOME)).toBe("wrong");
      expect(await guess(account, HOME, true)).toBe("in");
    }
  });

  test("a thousand guesses from one network at once: no more than a handful are heard", async () => {
    const account = newAccount();
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => guess(account, HOME)));
    expect(answers.filter((answer) => answer === "wrong").length).toBeLessThanOrEqual(FREE_GUESSES.own * 4);
  });

  test("a thousand networks at one account hear of twenty, and the owner gets in at once from a network of his", async () => {
    const [account, userId] = [newAccount(), 7];
    const row = { user_id: userId, network: "192.0.2.0/24", seen_time: 1 };
    await place.database.kysely.deleteFrom("known_networks").execute();
    await place.database.kysely.insertInto("known_networks").values(row).execute();
    const answers = [];
    for (let index = 0; index < 1_000; index += 1)
      answers.push(await guess(account, network(index), false, { userId }));
    // In Redis the waits of one and of two seconds may pass while this runs.
    const most = FREE_GUESSES.account + (counted === "Redis" ? 4 : 0);
    expect(answers.filter((answer) => answer === "wrong").length).toBeLessThanOrEqual(most);
    expect(await guess(account, network(2_000), true, { userId })).toEqual(expect.any(Number));
    expect(await guess(account, HOME, true, { userId })).toBe("in");
    // And wrong guesses from elsewhere do not affect what the signed-in owner confirms.
    expect(await guess("7", network(3_000), true, { kind: "step_up", userId })).toBe("in");
    // A name without an account is slowed alike.
    expect(await guess(account, network(2_001), true)).toEqual(expect.any(Number));
  });

  test("one network at a thousand accounts hears of fifty, and those who signed in from there go on", async () => {
    const [ip, userId] = ["203.0.113.5", 8];
    const row = { user_id: userId, network: "203.0.113.0/24", seen_time: 1 };
    await place.database.kysely.insertInto("known_networks").values(row).execute();
    const answers = [];
    for (let index = 0; index < 1_000; index += 1) answers.push(await guess(newAccount(), ip));
    const most = FREE_GUESSES.network + (counted === "Redis" ? 4 : 0);
    expect(answers.filter((answer) => answer === "wrong").length).toBeLessThanOrEqual(most);
    expect(await guess(newAccount(), ip, true, { userId })).toBe("in");
  });

  test("behind an unnamed proxy each client has the bound of a network, and those who make clients up that of ten", async () => {
    const ip = "203.0.113.5";
    const heardOf = async (count: number, claim: (index: number) => string | undefined) => {
      const answers = [];
      for (let index = 0; index < count; index += 1)
        answers.push(await guess(newAccount(), ip, false, { claim: claim(index) }));
      return answers.filter((answer) => answer === "wrong").length;
    };
    const more = counted === "Redis" ? 4 : 0;
    expect(await heardOf(100, () => "198.51.100.66")).toBeLessThanOrEqual(FREE_GUESSES.network + more);
    // Others whom it names wait for nothing yet, and what comes without the header is counted as ever.
    expect(await guess(newAccount(), ip, false, { claim: "198.51.100.67" })).toBe("wrong");
    expect(await heardOf(100, () => undefined)).toBeLessThanOrEqual(FREE_GUESSES.network + more);
    expect(await heardOf(700, (index) => `10.0.${index >> 8}.${index & 255}`)).toBeLessThanOrEqual(
      FREE_GUESSES.network * SHARED_FACTOR + more,
    );
  });

  // Redis has a clock of its own, and no rows.
  const places = counted === "Redis" ? [] : [counted];

  test.each(places)("each failure doubles the wait up to a minute, and it is forgotten in time (%s)", async () => {
    const account = newAccount();
    for (let index = 1; index < FREE_GUESSES.own; index += 1) await guess(account, HOME);
    const waits = [];
    for (let index = 0; index < 8; index += 1) {
      expect(await guess(account, HOME)).toBe("wrong");
      const wait = await guess(account, HOME);
      waits.push(wait);
      now += Number(wait) * 1_000;
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    now += 15 * 60_000;
    for (let index = 0; index < FREE_GUESSES.own; index += 1) expect(await guess(account, HOME)).toBe("wrong");
    expect(await guess(account, HOME)).toBe(1);
  });

  test.each(places)("a right guess writes nothing where none was wrong (%s)", async () => {
    expect(await guess(newAccount(), HOME, true)).toBe("in");
    expect(await place.database.kysely.selectFrom("guesses").selectAll().execute()).toEqual([]);
  });

  test("what was typed as a name is stored nowhere", async () => {
    await guess("my secret password", HOME);
    const rows = await place.database.kysely.selectFrom("guesses").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain("secret");
  });
});
