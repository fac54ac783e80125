/** Calls that are open at a time, of a token and of a channel: several processes keep to one limit over Redis, and each to its part without. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../../../tests/fake-upstream/fake-upstream.ts";
import { type OwnEngine, canStart, startRedis } from "../../../tests/support/own-engines.ts";
import type { Cache } from "../cache/cache.ts";
import { createMemoryCache } from "../cache/memory.ts";
import { type RedisOptions, createRedisCache } from "../cache/redis.ts";
import { type TestRelay, newChannel, startTestRelay, until, withOptions } from "./testing.ts";

let upstream: FakeUpstream;
const relays: TestRelay[] = [];
const caches: Cache[] = [];
beforeEach(async () => {
  upstream = await startFakeUpstream();
});
afterEach(async () => {
  await Promise.all(relays.splice(0).map((relay) => relay.close()));
  await Promise.all(caches.splice(0).map((cache) => cache.close()));
  await upstream.close();
});

/** One of two processes that serve a site with so many channels. */
async function open(cache: Cache, channels = 1): Promise<TestRelay> {
  const relay = await startTestRelay({ cache, processCount: 2 });
  for (let id = 1; id <= channels; id += 1)
    relay.world.channels.push(newChannel({ id, priority: -id, baseUrl: upstream.url }));
  relays.push(relay);
  return relay;
}

async function openShared(redis: OwnEngine, leases: RedisOptions["leases"] = {}): Promise<[TestRelay, TestRelay]> {
  const both = [0, 1].map(() => createRedisCache({ url: redis.url, processCount: () => 2, leases }));
  caches.push(...both);
  await until(() => both.every((cache) => cache.isShared));
  return [await open(both[0] as Cache, 2), await open(both[1] as Cache, 2)];
}

const CHAT = { model: "gpt-4o", messages: [{ role: "user", content: "hello" }] };

async function call(relay: TestRelay, more: object = {}): Promise<number> {
  const answer = await relay.post("/v1/chat/completions", { ...CHAT, ...more });
  await answer.text();
  return answer.status;
}

const burst = (each: readonly TestRelay[], count: number): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => call(each[index % each.length] as TestRelay)));

/** The most calls that the upstream saw at a time. */
function watchMost(): () => number {
  let most = 0;
  upstream.plan(() => {
    most = Math.max(most, upstream.openCount);
    return { headerDelayMs: 150 };
  });
  return () => most;
}

const answered = (statuses: readonly number[]): number => statuses.filter((status) => status === 200).length;
const channelsOf = ({ billing }: TestRelay): (number | undefined)[] =>
  billing.settlements.map(({ channelId }) => channelId);

describe.skipIf(!canStart("redis-server"))("over Redis", () => {
  let redis: OwnEngine;
  beforeEach(async () => {
    redis = await startRedis();
  });
  afterEach(() => redis.remove());

  test("two processes never have more open of a token than its limit, and one may have all of it", async () => {
    const both = await openShared(redis);
    for (const { world } of both) withOptions(world, { TokenConcurrencyLimit: 4 });
    const most = watchMost();
    const statuses = await burst(both, 30);
    expect([most(), answered(statuses) >= 4, new Set(statuses)]).toEqual([4, true, new Set([200, 429])]);
    await until(() => both.every(({ metrics }) => metrics.openCalls === 0));
    expect(answered(await burst([both[0]], 4))).toBe(4);
  });

  test("a channel that is full over all processes is passed over for the next, and 429 where all are", async () => {
    const both = await openShared(redis);
    for (const { world } of both) withOptions(world, { ChannelConcurrencyLimit: 2, RetryTimes: 0 });
    upstream.plan({ headerDelayMs: 300 });
    const statuses = await burst(both, 10);
    expect([answered(statuses), statuses.filter((status) => status === 429).length]).toEqual([4, 6]);
    expect(both.flatMap(channelsOf).toSorted()).toEqual([1, 1, 2, 2]);
    await until(() => both.every(({ metrics }) => metrics.openCalls === 0));
    expect(await call(both[0])).toBe(200);
  });

  test("a stream keeps its place as long as it runs, whatever a lease lasts", async () => {
    const both = await openShared(redis, { leaseMs: 500, renewEveryMs: 120 });
    for (const { world } of both) withOptions(world, { TokenConcurrencyLimit: 1 });
    upstream.plan({ chunks: 10, chunkDelayMs: 200 });
    const stream = call(both[0], { stream: true });
    await until(() => upstream.count === 1);
    for (let look = 0; look < 6; look += 1) {
      expect(await call(both[1])).toBe(429);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(await stream).toBe(200);
    upstream.plan({});
    await until(() => both[0].metrics.openCalls === 0);
    expect(await call(both[1])).toBe(200);
  });

  test("lost, each process goes on with its part, what is open counted; back again, they share", async () => {
    const both = await openShared(redis, { renewEveryMs: 200 });
    for (const { world } of both) withOptions(world, { TokenConcurrencyLimit: 4 });
    await call(both[0]);
    await redis.kill();
    await until(() => caches.every((cache) => !cache.isShared));
    const alone = watchMost();
    expect(answered(await burst(both, 20))).toBe(4);
    expect(alone()).toBe(4);
    expect(answered(await burst([both[0]], 10))).toBe(2);
    await redis.start();
    await until(() => caches.every((cache) => cache.isShared));
    expect(answered(await burst([both[0]], 10))).toBe(4);
  });

  test("frozen in the middle of a burst, no process has more open than the limit", async () => {
    const both = await openShared(redis);
    for (const { world } of both) withOptions(world, { TokenConcurrencyLimit: 4 });
    redis.freeze();
    const most = watchMost();
    const statuses = await burst(both, 20);
    redis.thaw();
    expect([most(), answered(statuses)]).toEqual([4, 4]);
  });
});

test("without Redis each process has its part of a limit, of a token's and of a channel's", async () => {
  const both = [await open(createMemoryCache()), await open(createMemoryCache())];
  for (const { world } of both) withOptions(world, { TokenConcurrencyLimit: 6 });
  const most = watchMost();
  expect(answered(await burst(both, 30))).toBe(6);
  for (const { world } of both) withOptions(world, { TokenConcurrencyLimit: 0, ChannelConcurrencyLimit: 4 });
  await until(() => both.every(({ metrics }) => metrics.openCalls === 0));
  expect(answered(await burst(both, 30))).toBe(4);
  expect(most()).toBe(6);
});

test("a token and a channel without a limit ask nobody; with one each asks once", async () => {
  const memory = createMemoryCache();
  const asked: string[] = [];
  const lease: Cache["lease"] = (key, limit) => (asked.push(key), memory.lease(key, limit));
  const relay = await open({ ...memory, lease });
  expect([await call(relay), asked]).toEqual([200, []]);
  withOptions(relay.world, { TokenConcurrencyLimit: 6, ChannelConcurrencyLimit: 6 });
  expect(await call(relay)).toBe(200);
  expect(asked).toEqual([expect.stringMatching(/^token:\d+$/), "channel:1"]);
});

test("calls that were open before a channel got a limit count against it", async () => {
  const relay = await open(createMemoryCache());
  upstream.plan({ headerDelayMs: 200 });
  const before = [call(relay), call(relay)];
  await until(() => upstream.count === 2);
  withOptions(relay.world, { ChannelConcurrencyLimit: 4 });
  expect(await call(relay)).toBe(429);
  expect(await Promise.all(before)).toEqual([200, 200]);
});
