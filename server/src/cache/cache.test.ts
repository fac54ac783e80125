/** Tests of the cache: limits hold with Redis, without it and while it is frozen; no command takes longer than its timeout. */
import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { awakeMs } from "../../../tests/support/clients/awake-clock.ts";
import type { Cache } from "./cache.ts";
import { createMemoryCache } from "./memory.ts";
import { type RedisOptions, createRedisCache } from "./redis.ts";

const until = async (condition: () => boolean | Promise<boolean>, limitMs = 15_000): Promise<void> => {
  const end = Date.now() + limitMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error("It did not happen in time");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

describe("memory", () => {
  test("counts inside a window and starts anew after it", async () => {
    let now = 1_000;
    const cache = createMemoryCache({ clock: () => now });
    expect(await cache.increment("a", 10, 5)).toEqual({ count: 1, resetMs: 10_000 });
    now += 4_000;
    expect(await cache.increment("a", 10, 5)).toEqual({ count: 2, resetMs: 6_000 });
    expect(await cache.increment("a", 10, 5, 0)).toEqual({ count: 2, resetMs: 6_000 });
    expect((await cache.increment("b", 10, 5)).count).toBe(1);
    now += 6_000;
    expect(await cache.increment("a", 10, 5)).toEqual({ count: 1, resetMs: 10_000 });
  });

  test("keeps a bounded number of counters, the latest used", async () => {
    const cache = createMemoryCache({ countersKept: 3 });
    for (const key of ["a", "b", "c", "a", "d"]) await cache.increment(key, 60, 5);
    expect((await cache.increment("a", 60, 5, 0)).count).toBe(2);
    expect((await cache.increment("b", 60, 5, 0)).count).toBe(0);
  });

  test("messages reach every listener until it unsubscribes", async () => {
    const cache = createMemoryCache();
    const heard: string[] = [];
    const leave = cache.subscribe("changes", (message) => heard.push(message));
    await cache.publish("changes", "1");
    await cache.publish("other", "2");
    leave();
    await cache.publish("changes", "3");
    expect(heard).toEqual(["1"]);
  });
});

const hasRedis = spawnSync("redis-server", ["--version"]).status === 0;
if (!hasRedis && process.env["REQUIRE_ALL"] === "1")
  throw new Error("REQUIRE_ALL=1, but there is no redis-server to start");
if (!hasRedis) process.stdout.write("skipped: there is no redis-server to start\n");

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

test("without Redis texts are not shared: each process has its own", async () => {
  const cache = createMemoryCache();
  await cache.share("a", "1", 60);
  expect([cache.isShared, await cache.shared("a")]).toEqual([false, undefined]);
});

describe.skipIf(!hasRedis)("Redis", () => {
  let port: number;
  let server: ChildProcess;
  const start = () => {
    server = spawn(
      "redis-server",
      ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
      { stdio: "ignore" },
    );
  };
  beforeAll(async () => {
    port = await freePort();
    start();
  });
  afterAll(() => {
    server.kill("SIGKILL");
  });
  const open = async (changes: string[] = [], options: Partial<RedisOptions> = {}): Promise<Cache> => {
    const cache = createRedisCache({
      ...options,
      url: `redis://127.0.0.1:${port}`,
      onChange: (isAnswering) => changes.push(isAnswering ? "up" : "down"),
    });
    await until(() => cache.isShared);
    return cache;
  };

  /** A Redis that answers is not to count as frozen because this machine is busy. */
  const openPatient = (): Promise<Cache> => open([], { commandTimeoutMs: 10_000 });

  test("two processes count together, exactly, and the window ends by itself", async () => {
    const [first, second] = [await openPatient(), await openPatient()];
    const counts = await Promise.all(
      Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? first : second).increment("shared", 30, 100)),
    );
    expect(counts.map(({ count }) => count).sort((left, right) => left - right)).toEqual(
      Array.from({ length: 200 }, (_, index) => index + 1),
    );
    expect(counts.every(({ resetMs }) => resetMs > 0 && resetMs <= 30_000)).toBe(true);
    expect((await first.increment("short", 1, 5)).count).toBe(1);
    await until(async () => (await second.increment("short", 1, 5, 0)).count === 0);
    await Promise.all([first.close(), second.close()]);
  });

  test("a text that one process shares is found by the other until it expires", async () => {
    const [first, second] = [await openPatient(), await openPatient()];
    await first.share("left", "7", 1);
    expect([await second.shared("left"), await second.shared("elsewhere")]).toEqual(["7", undefined]);
    await until(async () => (await second.shared("left")) === undefined);
    await Promise.all([first.close(), second.close()]);
    expect(await first.shared("left")).toBeUndefined();
  });

  test("two processes share one sliding window, exactly, and room comes back", async () => {
    const [first, second] = [await openPatient(), await openPatient()];
    const places = await Promise.all(
      Array.from({ length: 300 }, (_, index) => (index % 2 === 0 ? first : second).take("slide", 3, 100)),
    );
    const taken = places.filter(({ isTaken }) => isTaken);
    expect([taken.length, taken.every(({ isShared }) => isShared)]).toEqual([100, true]);
    const refused = places.find(({ isTaken }) => !isTaken);
    expect(refused?.retryMs).toBeGreaterThan(0);
    expect(refused?.retryMs).toBeLessThanOrEqual(3_050);
    if (taken[0] !== undefined) await second.releaseSlot("slide", 3, taken[0]);
    expect([(await first.take("slide", 3, 100)).isTaken, (await first.take("slide", 3, 100)).isTaken]).toEqual([
      true,
      false,
    ]);
    await until(async () => (await second.take("slide", 3, 100)).isTaken);
    await Promise.all([first.close(), second.close()]);
  });

  test("while Redis is frozen each process goes on from its own calls with its part of the limit", async () => {
    const cache = createRedisCache({ url: `redis://127.0.0.1:${port}`, processCount: () => 2 });
    await until(() => cache.isShared);
    for (let index = 0; index < 4; index += 1) await cache.take("frozen-window", 60, 10);
    server.kill("SIGSTOP");
    const places = [];
    for (let index = 0; index < 10; index += 1) places.push(await cache.take("frozen-window", 60, 10));
    expect(places.filter(({ isTaken }) => isTaken)).toHaveLength(1);
    expect(places.every(({ isShared }) => !isShared)).toBe(true);
    server.kill("SIGCONT");
    await until(async () => (await cache.take("frozen-window", 60, 10)).isShared);
    await cache.close();
  });

  test("messages reach another process", async () => {
    const [first, second] = [await open(), await open()];
    const heard: string[] = [];
    first.subscribe("changes", (message) => heard.push(message));
    await until(async () => {
      await second.publish("changes", "hello");
      return heard.length > 0;
    });
    expect(heard[0]).toBe("hello");
    await Promise.all([first.close(), second.close()]);
  });

  test("a frozen Redis costs one timeout, the limit goes on from the known count, and Redis is used again when it thaws", async () => {
    const changes: string[] = [];
    const cache = await open(changes);
    for (let index = 0; index < 8; index += 1) await cache.increment("frozen", 60, 10);
    server.kill("SIGSTOP");
    const startedMs = awakeMs();
    const counts: number[] = [];
    for (let index = 0; index < 50; index += 1) counts.push((await cache.increment("frozen", 60, 10)).count);
    expect(awakeMs() - startedMs).toBeLessThan(600);
    expect(counts[0]).toBe(9);
    expect(counts.filter((count) => count <= 10)).toHaveLength(2);
    expect(cache.isShared).toBe(false);
    expect(changes).toEqual(["down"]);
    server.kill("SIGCONT");
    await until(async () => {
      await cache.increment("thawed", 60, 10);
      return cache.isShared;
    });
    expect(changes).toEqual(["down", "up"]);
    await cache.close();
  });

  test("a Redis that is killed is replaced by memory at once and used again after its start", async () => {
    const cache = await open();
    const heard: string[] = [];
    cache.subscribe("changes", (message) => heard.push(message));
    server.kill("SIGKILL");
    await until(() => !cache.isShared);
    expect((await cache.increment("killed", 60, 10)).count).toBe(1);
    expect((await cache.increment("killed", 60, 10)).count).toBe(2);
    await cache.publish("changes", "alone");
    expect(heard).toEqual(["alone"]);
    start();
    await until(async () => {
      await cache.increment("back", 60, 10);
      return cache.isShared;
    });
    await until(async () => {
      await cache.publish("changes", "again");
      return heard.includes("again");
    });
    await cache.close();
  });

  test("a Redis that was never there does not keep anything from working", async () => {
    const cache = createRedisCache({ url: `redis://127.0.0.1:${await freePort()}` });
    expect((await cache.increment("x", 60, 10)).count).toBe(1);
    expect(cache.isShared).toBe(false);
    await cache.close();
  });
});
