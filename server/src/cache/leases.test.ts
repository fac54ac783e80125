/** Tests of leases on a real Redis: exact across processes, renewed as long as their process lives, released soon after it was killed. */
import { type ChildProcess, spawn } from "node:child_process";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { awakeMs } from "../../../tests/support/clients/awake-clock.ts";
import { type OwnEngine, canStart, startRedis } from "../../../tests/support/databases/own-engines.ts";
import type { Cache, Lease } from "./cache.ts";
import { createMemoryCache } from "./memory.ts";
import { type RedisOptions, createRedisCache } from "./redis.ts";

const until = async (condition: () => boolean | Promise<boolean>, limitMs = 15_000): Promise<void> => {
  const end = Date.now() + limitMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error("It did not happen in time");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

test("memory has nothing shared to say, and holds nothing", async () => {
  const cache = createMemoryCache();
  const lease = await cache.lease("token:1", 1);
  expect(lease.state).toBe("unknown");
  await cache.release(lease);
});

describe.skipIf(!canStart("redis-server"))("Redis", () => {
  let redis: OwnEngine;
  const caches: Cache[] = [];
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.remove());
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
    await Promise.all(caches.splice(0).map((cache) => cache.close()));
  });

  /** A Redis that answers is not to count as frozen because this machine is busy. */
  const PATIENT = { commandTimeoutMs: 10_000 };

  async function open(options: Partial<RedisOptions> = {}): Promise<Cache> {
    const cache = createRedisCache({ url: redis.url, ...options });
    caches.push(cache);
    await until(() => cache.isShared);
    return cache;
  }

  const isHeld = ({ state }: Lease): boolean => state === "held";

  /** True where there is room for one more; takes none. */
  async function hasRoom(cache: Cache, key: string, limit: number): Promise<boolean> {
    const lease = await cache.lease(key, limit);
    if (isHeld(lease)) await cache.release(lease);
    return isHeld(lease);
  }

  /** A process of its own with so many leases of the key, renewed; killed by `kill`. */
  async function holdElsewhere(key: string, count: number, terms: object): Promise<ChildProcess> {
    const program = `
      import { createRedisCache } from ${JSON.stringify(new URL("redis.ts", import.meta.url).href)};
      const cache = createRedisCache({ url: ${JSON.stringify(redis.url)}, leases: ${JSON.stringify(terms)} });
      while (!cache.isShared) await new Promise((resolve) => setTimeout(resolve, 5));
      for (let index = 0; index < ${count}; index += 1) await cache.lease(${JSON.stringify(key)}, ${count});
      console.log("held");
      setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(child);
    await new Promise((resolve) => child.stdout?.once("data", resolve));
    return child;
  }

  test("processes never have more than the limit together, and a released place is free for the other", async () => {
    const [first, second] = [await open(PATIENT), await open(PATIENT)];
    const leases = await Promise.all(
      Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? first : second).lease("token:1", 7)),
    );
    const held = leases.filter(isHeld);
    expect([held.length, leases.filter(({ state }) => state === "refused").length]).toEqual([7, 53]);
    expect(await hasRoom(second, "channel:1", 1)).toBe(true);
    const [one] = held;
    if (one !== undefined) await (leases.indexOf(one) % 2 === 0 ? first : second).release(one);
    expect([isHeld(await second.lease("token:1", 7)), await hasRoom(first, "token:1", 7)]).toEqual([true, false]);
  });

  test("a place that was refused is not taken by a renewal of the others", async () => {
    const cache = await open({ ...PATIENT, leases: { renewEveryMs: 1 } });
    const lease = await cache.lease("token:7", 1);
    for (let round = 0; round < 40; round += 1) {
      const refused = await Promise.all(Array.from({ length: 25 }, () => cache.lease("token:7", 1)));
      expect(refused.every(({ state }) => state === "refused")).toBe(true);
    }
    expect(await hasRoom(cache, "token:7", 2)).toBe(true);
    await cache.release(lease);
  });

  test("what lasts is renewed, and the places of a killed process are free once its lease has ended", async () => {
    const terms = { leaseMs: 1_200, renewEveryMs: 300 };
    const child = await holdElsewhere("token:2", 3, terms);
    const cache = await open({ ...PATIENT, leases: terms });
    const startMs = performance.now();
    while (performance.now() - startMs < 2_500) {
      expect(await hasRoom(cache, "token:2", 3)).toBe(false);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    child.kill("SIGKILL");
    const killedMs = awakeMs();
    expect(await hasRoom(cache, "token:2", 3)).toBe(false);
    await until(() => hasRoom(cache, "token:2", 3));
    expect(awakeMs() - killedMs).toBeLessThan(terms.leaseMs + 300);
  });

  test("a place is never promised for longer than a minute, and an unused key is deleted", async () => {
    const cache = await open(PATIENT);
    const lease = await cache.lease("token:3", 1);
    const client = new Redis(redis.url);
    try {
      const [, ends = "0"] = await client.zrange("turnpike:open:token:3", "0", "0", "WITHSCORES");
      const leftMs = Number(ends) - Number((await client.time())[0]) * 1000;
      expect([leftMs > 10_000, leftMs < 60_000]).toEqual([true, true]);
      expect(await client.pttl("turnpike:open:token:3")).toBeLessThan(60_000);
      await cache.release(lease);
      expect(await client.exists("turnpike:open:token:3")).toBe(0);
    } finally {
      client.disconnect();
    }
  });

  test("what began while Redis was lost, or was forgotten by it, counts again once it is back", async () => {
    const renewing = { ...PATIENT, leases: { renewEveryMs: 200 } };
    const [first, second] = [await open(renewing), await open(renewing)];
    const before = await first.lease("token:4", 2);
    await redis.kill();
    await until(() => !first.isShared && !second.isShared);
    const during = await first.lease("token:4", 2);
    expect([before.state, during.state]).toEqual(["held", "unknown"]);
    await redis.start();
    await until(() => first.isShared && second.isShared);
    await until(async () => !(await hasRoom(second, "token:4", 2)));
    await first.release(before);
    await first.release(during);
    await until(() => hasRoom(second, "token:4", 1));
  });

  test("a frozen Redis costs its timeout, and a place that it gave too late is given back", async () => {
    const cache = await open();
    redis.freeze();
    const startMs = awakeMs();
    const leases = await Promise.all(Array.from({ length: 20 }, () => cache.lease("token:5", 1)));
    expect(awakeMs() - startMs).toBeLessThan(600);
    expect(leases.every(({ state }) => state === "unknown")).toBe(true);
    redis.thaw();
    await until(async () => (await cache.lease("thawed", 1_000)).state === "held");
    await Promise.all(leases.map((lease) => cache.release(lease)));
    await until(() => hasRoom(cache, "token:5", 1));
  });

  test("what ended while Redis was frozen does not keep its place until its lease ends", async () => {
    const cache = await open();
    const lease = await cache.lease("token:6", 1);
    redis.freeze();
    expect((await cache.lease("token:6", 1)).state).toBe("unknown");
    await cache.release(lease);
    redis.thaw();
    await until(async () => (await cache.lease("thawed", 1_000)).state === "held");
    // The one that was asked for meanwhile is still open.
    await until(() => hasRoom(cache, "token:6", 2));
    expect(await hasRoom(cache, "token:6", 1)).toBe(false);
  });
});
