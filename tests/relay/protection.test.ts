/** Limits of a user and of a token, and loops between gateways: refusals are in the client's format and cost nothing. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { canStart, startRedis } from "../support/databases/own-engines.ts";
import type { Cache } from "../../server/src/cache/cache.ts";
import { createMemoryCache } from "../../server/src/cache/memory.ts";
import { createRedisCache } from "../../server/src/cache/redis.ts";
import { TEST_KEY, type TestRelay, newChannel, startTestRelay, until, withOptions } from "../support/relay/harness.ts";

let upstream: FakeUpstream;
const relays: TestRelay[] = [];

async function open(options: Parameters<typeof startTestRelay>[0] = {}): Promise<TestRelay> {
  const relay = await startTestRelay(options);
  relay.world.channels.push(newChannel({ baseUrl: upstream.url }));
  relays.push(relay);
  return relay;
}

beforeEach(async () => {
  upstream = await startFakeUpstream();
});

afterEach(async () => {
  await Promise.all(relays.splice(0).map((relay) => relay.close()));
  await upstream.close();
});

const chat = { model: "gpt-4o", messages: [{ role: "user", content: "hello" }] };
const call = async (relay: TestRelay, headers?: Record<string, string>): Promise<number> => {
  const answer = await relay.post("/v1/chat/completions", chat, headers);
  await answer.text();
  return answer.status;
};
const many = (count: number, make: (index: number) => Promise<number>): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const answered = (statuses: readonly number[]): number => statuses.filter((status) => status === 200).length;

const limits = (total: number, success: number) => ({
  ModelRequestRateLimitEnabled: true,
  ModelRequestRateLimitCount: total,
  ModelRequestRateLimitSuccessCount: success,
});

describe("model request limits", () => {
  test("calls side by side never pass the limit together", async () => {
    const relay = await open();
    withOptions(relay.world, limits(0, 7));
    expect(answered(await many(30, () => call(relay)))).toBe(7);
    withOptions(relay.world, limits(5, 100));
    expect(answered(await many(30, () => call(relay)))).toBe(5);
  });

  test("failed calls give their place among the successes back, and count in all calls", async () => {
    const relay = await open();
    withOptions(relay.world, limits(0, 1));
    upstream.next({ status: 400, error: { message: "bad" } }, { status: 500 });
    expect([await call(relay), await call(relay), await call(relay), await call(relay)]).toEqual([400, 500, 200, 429]);
    withOptions(relay.world, { ...limits(2, 100) });
    upstream.next({ status: 400, error: { message: "bad" } });
    expect([await call(relay), await call(relay), await call(relay)]).toEqual([400, 200, 429]);
  });

  test("a stream that its client has read from counts among the successes, also if the client disconnects before its end", async () => {
    const relay = await open();
    withOptions(relay.world, limits(0, 1));
    upstream.plan({ text: "some words", chunks: 2, chunkDelayMs: 100 });
    const leaving = new AbortController();
    const answer = await fetch(`${relay.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${TEST_KEY}` },
      body: JSON.stringify({ ...chat, stream: true }),
      signal: leaving.signal,
    });
    const reader = answer.body?.getReader();
    for (let text = ""; !/"content":"\w/.test(text);) {
      const { value = new Uint8Array(), done } = (await reader?.read()) ?? { done: true };
      text += done ? '"content":"end' : Buffer.from(value).toString();
    }
    leaving.abort();
    await until(() => relay.metrics.openCalls === 0);
    expect([relay.billing.settlements.length, await call(relay)]).toEqual([1, 429]);
  });

  test("a refusal is in the client's envelope with Retry-After, and costs nothing", async () => {
    const relay = await open();
    withOptions(relay.world, limits(1, 1));
    await call(relay);
    const refused = await relay.post("/v1/chat/completions", chat);
    expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
    expect(await refused.json()).toMatchObject({ error: { code: "rate_limit_exceeded", type: "rate_limit_error" } });
    expect([upstream.count, relay.billing.held, relay.billing.settlements.length]).toEqual([1, 0, 1]);
  });

  test("two processes without Redis have their parts of the limit", async () => {
    const processCount = 2;
    const caches = [0, 1].map(() => createMemoryCache({ processCount: () => processCount }));
    const [one, two] = [
      await open({ cache: caches[0] as Cache, processCount }),
      await open({ cache: caches[1] as Cache, processCount }),
    ];
    for (const relay of [one, two]) withOptions(relay.world, limits(0, 10));
    const statuses = await many(40, (index) => call(index % 2 === 0 ? one : two));
    expect(answered(statuses)).toBe(10);
  });

  test.skipIf(!canStart("redis-server"))(
    "two processes share the limit over Redis, and continue without it",
    async () => {
      const redis = await startRedis();
      const caches = [0, 1].map(() =>
        createRedisCache({ url: redis.url, processCount: () => 2, commandTimeoutMs: 10_000 }),
      );
      try {
        await until(() => caches.every((cache) => cache.isShared));
        const [one, two] = [await open({ cache: caches[0] as Cache }), await open({ cache: caches[1] as Cache })];
        for (const relay of [one, two]) withOptions(relay.world, limits(0, 10));
        expect(answered(await many(30, (index) => call(index % 3 === 0 ? one : two)))).toBe(10);
        await redis.kill();
        await until(() => caches.every((cache) => !cache.isShared));
        for (const relay of [one, two]) withOptions(relay.world, limits(0, 40));
        expect(answered(await many(100, (index) => call(index % 2 === 0 ? one : two)))).toBe(30);
      } finally {
        await Promise.all(caches.map((cache) => cache.close()));
        await redis.remove();
      }
    },
  );
});

describe("open calls of a token", () => {
  test("over the option the call is 429 with Retry-After, and streams count until their end", async () => {
    const relay = await open();
    withOptions(relay.world, { TokenConcurrencyLimit: 2 });
    const isRefused = Promise.withResolvers<void>();
    upstream.plan({ chunks: 4, beforeFrame: () => isRefused.promise });
    const streams = [0, 1].map(() => relay.post("/v1/chat/completions", { ...chat, stream: true }));
    const texts = Promise.all(streams.map(async (each) => (await each).text()));
    await until(() => upstream.count === 2);
    const refused = await relay.post("/v1/chat/completions", chat);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await refused.json()).toMatchObject({ error: { code: "concurrency_exceeded" } });
    isRefused.resolve();
    await texts;
    await until(() => relay.metrics.openCalls === 0);
    upstream.plan({});
    expect(await call(relay)).toBe(200);
  });

  test("a burst never has more open than the option says", async () => {
    const relay = await open();
    withOptions(relay.world, { TokenConcurrencyLimit: 3 });
    let [most, over] = [0, 0];
    const answers = Promise.withResolvers<void>();
    upstream.plan(() => {
      most = Math.max(most, upstream.openCount);
      return { beforeHead: answers.promise };
    });
    const all = many(20, () => call(relay).finally(() => (over += 1)));
    // Answered as soon as one is refused, so that places become free while others ask for them.
    await until(() => upstream.openCount === 3 && over > 0);
    answers.resolve();
    const statuses = await all;
    expect([most, answered(statuses) >= 3, new Set(statuses)]).toEqual([3, true, new Set([200, 429])]);
  });
});

describe("loops", () => {
  const hops = (...marks: string[]) => ({ "turnpike-hops": marks.join(", ") });

  test("each gateway appends its id to those in the header", async () => {
    const relay = await open({ siteId: "mine" });
    await call(relay);
    await call(relay, hops("other", "mine"));
    expect(upstream.requests.map(({ headers }) => headers["turnpike-hops"])).toEqual(["mine", "other, mine, mine"]);
  });

  test.each([
    ["passed four others", ["a", "b", "c", "d"], 200],
    ["passed five others", ["a", "b", "c", "d", "e"], 508],
    ["passed here once", ["mine", "a"], 200],
    ["passed here twice", ["mine", "a", "mine"], 508],
    ["has nonsense in its header", ["<script>", "ä?", ""], 200],
  ])("a call that %s is %s %i", async (_, marks, status) => {
    const relay = await open({ siteId: "mine" });
    const sent = marks.map((mark) => encodeURIComponent(mark));
    const answer = await relay.post("/v1/chat/completions", chat, hops(...sent));
    expect(answer.status).toBe(status);
    if (status === 508) expect(await answer.json()).toMatchObject({ error: { code: "loop_detected" } });
  });

  test("a channel that leads back to its own gateway ends after two rounds instead of never", async () => {
    const relay = await open({ siteId: "mine" });
    relay.world.channels = [newChannel({ baseUrl: relay.url, key: "a".repeat(48) })];
    const answer = await relay.post("/v1/chat/completions", chat);
    expect([answer.status, await answer.text()]).toEqual([508, expect.stringContaining("loop_detected")]);
    expect([relay.billing.held, relay.billing.settlements.length]).toEqual([0, 0]);
  });
});
