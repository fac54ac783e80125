/** Tests of key prefixes and peeks: two installations on one Redis share nothing, and peeking at a window takes no place in it, in memory and in Redis. */
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OwnEngine, canStart, startRedis } from "../../../tests/support/databases/own-engines.ts";
import { until } from "../../../tests/support/systems/processes.ts";
import type { Cache } from "./cache.ts";
import { createMemoryCache } from "./memory.ts";
import { createRedisCache, prefixOf } from "./redis.ts";

async function expectLooksTakeNothing(cache: Cache): Promise<void> {
  const key = `looked-at-${cache.isShared}`;
  for (let look = 0; look < 20; look += 1) expect(await cache.peek(key, 60, 2)).toBe(0);
  expect((await cache.take(key, 60, 2)).isTaken).toBe(true);
  // A thousand peeks at the last free place do not take it.
  const looks = Array.from({ length: 1_000 }, () => cache.peek(key, 60, 2));
  expect((await cache.take(key, 60, 2)).isTaken).toBe(true);
  await Promise.all(looks);
  const retryMs = await cache.peek(key, 60, 2);
  expect(retryMs).toBeGreaterThan(50_000);
  expect(retryMs).toBeLessThanOrEqual(62_000);
}

test("a look takes no place in memory", () => expectLooksTakeNothing(createMemoryCache()));

describe.skipIf(!canStart("redis-server"))("in Redis", () => {
  let redis: OwnEngine;
  const caches: Cache[] = [];

  beforeAll(async () => {
    redis = await startRedis();
    for (const id of ["one", "two"])
      caches.push(createRedisCache({ url: redis.url, prefix: prefixOf(id), commandTimeoutMs: 10_000 }));
    await until(() => caches.every((cache) => cache.isShared), "caches that are connected");
  });
  afterAll(async () => {
    await Promise.all(caches.map((cache) => cache.close()));
    await redis.remove();
  });

  test("a look takes no place", () => expectLooksTakeNothing(caches[0] ?? expect.fail("no cache")));

  test("windows, counters, leases, texts and messages of one installation are separate from another's", async () => {
    const [one, two] = caches as [Cache, Cache];
    const heard: string[] = [];
    const end = two.subscribe("changes", (message) => heard.push(message));
    await one.take("calls", 60, 1);
    await one.increment("count", 60, 5, 3);
    await one.lease("open", 1);
    await one.share("text", "secret", 60);
    const client = new Redis(redis.url);
    await until(
      async () => Number((await client.pubsub("NUMSUB", `${prefixOf("two")}changes`))[1]) === 1,
      "the subscriber",
    );
    await one.publish("changes", "of one");
    await two.publish("changes", "of two");
    await until(() => heard.length > 0, "changes");
    expect(heard).toEqual(["of two"]);
    expect((await two.take("calls", 60, 1)).isTaken).toBe(true);
    expect((await two.increment("count", 60, 5, 0)).count).toBe(0);
    expect((await two.lease("open", 1)).state).toBe("held");
    expect(await two.shared("text")).toBeUndefined();
    const keys = await client.keys("*");
    expect(keys.filter((key) => !/^turnpike:(one|two):/.test(key))).toEqual([]);
    end();
    client.disconnect();
  });
});
