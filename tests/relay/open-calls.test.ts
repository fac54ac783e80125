/** Concurrent calls of a token and of a channel: several processes share one limit over Redis, and each keeps to its part without. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { type OwnEngine, canStart, startRedis } from "../support/databases/own-engines.ts";
import type { Cache } from "../../server/src/cache/cache.ts";
import { createMemoryCache } from "../../server/src/cache/memory.ts";
import { type RedisOptions, createRedisCache } from "../../server/src/cache/redis.ts";
import { type TestRelay, newChannel, startTestRelay, until, withOptions } from "../support/relay/harness.ts";

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

/** Redis that answers is not to count as frozen because this machine is busy. */
const PATIENT = { commandTimeoutMs: 10_000 };

async function openShared(redis: OwnEngine, options: Partial<RedisOptions> = PATIENT): Promise<[TestRelay, TestRelay]> {
  const both = [0, 1].map(() => createRedisCache({ url: redis.url, processCount: () => 2, ...options }));
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

interface Burst {
  statuses: number[];
  /** Calls that were answered. */
  answered: number;
  /** The most calls that the upstream saw at a time. */
  most: number;
}

/**
 * Makes so many calls at once. The upstream keeps its answers back until it has `enough`: all calls that were not refused, where nothing
 * else is said.
 */
async function burst(
  each: readonly TestRelay[],
  count: number,
  enough = (open: number, over: number) => open + over === count,
): Promise<Burst> {
  const answers = Promise.withResolvers<void>();
  let [most, over] = [0, 0];
  upstream.plan(() => {
    most = Math.max(most, upstream.openCount);
    return { beforeHead: answers.promise };
  });
  const one = (index: number): Promise<number> =>
    call(each[index % each.length] as TestRelay).finally(() => (over += 1));
  const all = Promise.all(Array.from({ length: count }, (_, index) => one(index)));
  await until(() => enough(upstream.openCount, over));
  answers.resolve();
  const statuses = await all;
  upstream.plan({});
  return { statuses, answered: statuses.filter((status) => status === 200).length, most };
}

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
    // Answered as soon as one is refused, so that places become free while others ask for them.
    const { statuses, answered, most } = await burst(both, 30, (open, over) => open === 4 && over > 0);
    expect([most, answered >= 4, new Set(statuses)]).toEqual([4, true, new Set([200, 429])]);
    await until(() => both.every(({ metrics }) => metrics.openCalls === 0));
    // A call has ended a moment before its place is free for other processes.
    let mostOpen = 0;
    const answeredOf = async () => {
      const next = await burst(both, 30);
      mostOpen = Math.max(mostOpen, next.most);
      return next.answered;
    };
    await expect.poll(answeredOf).toBe(4);
    expect(mostOpen).toBe(4);
    await until(() => both.every(({ metrics }) => metrics.openCalls === 0));
    expect(await burst([both[0]], 4)).toMatchObject({ answered: 4 });
  });

  test("a channel that is full over all processes is skipped for the next, and 429 where all are", async () => {
    const both = await openShared(redis);
    for (const { world } of both) withOptions(world, { ChannelConcurrencyLimit: 2, RetryTimes: 0 });
    const { answered, statuses } = await burst(both, 10);
    expect([answered, statuses.filter((status) => status === 429).length]).toEqual([4, 6]);
    expect(both.flatMap(channelsOf).toSorted()).toEqual([1, 1, 2, 2]);
    await until(() => both.every(({ metrics }) => metrics.openCalls === 0));
    expect(await call(both[0])).toBe(200);
  });

  test("a stream keeps its slot as long as it runs, beyond a lease", async () => {
    const both = await openShared(redis, { ...PATIENT, leases: { leaseMs: 1_200, renewEveryMs: 120 } });
    for (const { world } of both) withOptions(world, { TokenConcurrencyLimit: 1 });
    const looked = Promise.withResolvers<void>();
    upstream.plan({ beforeFrame: () => looked.promise });
    const stream = call(both[0], { stream: true });
    await until(() => upstream.count === 1);
    for (let look = 0; look < 6; look += 1) {
      expect(await call(both[1])).toBe(429);
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
    looked.resolve();
    expect(await stream).toBe(200);
    upstream.plan({});
    await until(() => both[0].metrics.openCalls === 0);
    expect(await call(both[1])).toBe(200);
  });

  test("lost, each process continues with its part, open calls counted; back again, they share", async () => {
    const both = await openShared(redis, { ...PATIENT, leases: { renewEveryMs: 200 } });
    for (const { world } of both) withOptions(world, { TokenConcurrencyLimit: 4 });
    await call(both[0]);
    await redis.kill();
    await until(() => caches.every((cache) => !cache.isShared));
    expect(await burst(both, 20)).toMatchObject({ most: 4, answered: 4 });
    await until(() => both.every(({ metrics }) => metrics.openCalls === 0));
    expect(await burst([both[0]], 10)).toMatchObject({ answered: 2 });
    await redis.start();
    await until(() => caches.every((cache) => cache.isShared) && both[0].metrics.openCalls === 0);
    expect(await burst([both[0]], 10)).toMatchObject({ answered: 4 });
  });

  test("frozen in the middle of a burst, no process has more open than the limit", async () => {
    const both = await openShared(redis, {});
    for (const { world } of both) withOptions(world, { TokenConcurrencyLimit: 4 });
    redis.freeze();
    const seen = await burst(both, 20);
    redis.thaw();
    expect(seen).toMatchObject({ most: 4, answered: 4 });
  });
});

test("without Redis each process has its part of a limit, of a token's and of a channel's", async () => {
  const both = [await open(createMemoryCache()), await open(createMemoryCache())];
  for (const { world } of both) withOptions(world, { TokenConcurrencyLimit: 6 });
  expect(await burst(both, 30)).toMatchObject({ most: 6, answered: 6 });
  for (const { world } of both) withOptions(world, { TokenConcurrencyLimit: 0, ChannelConcurrencyLimit: 4 });
  await until(() => both.every(({ metrics }) => metrics.openCalls === 0));
  expect(await burst(both, 30)).toMatchObject({ most: 4, answered: 4 });
});

test("a token and a channel without a limit send no command; with one each sends one", async () => {
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
  const answers = Promise.withResolvers<void>();
  upstream.plan({ beforeHead: answers.promise });
  const before = [call(relay), call(relay)];
  await until(() => upstream.count === 2);
  withOptions(relay.world, { ChannelConcurrencyLimit: 4 });
  expect(await call(relay)).toBe(429);
  answers.resolve();
  expect(await Promise.all(before)).toEqual([200, 200]);
});
