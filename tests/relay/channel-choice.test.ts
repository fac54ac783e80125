/** The choice among many channels: strict priorities, exact weights, and latency, cost and prompt caches by option. */
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { CHANNEL_CHOICES } from "../../contract/src/channels/choices.ts";
import { createMemoryCache } from "../../server/src/cache/memory.ts";
import { ChannelLatencies } from "../../server/src/channels/latencies.ts";
import type { Cache } from "../../server/src/cache/cache.ts";
import { RouteIndex } from "../../server/src/snapshot/routes.ts";
import type { Snapshot } from "../../server/src/snapshot/snapshot.ts";
import { route } from "../../server/src/relay/routing/route.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import {
  type TestRelay,
  memorySnapshot,
  newChannel,
  newToken,
  newUser,
  newWorld,
  startTestRelay,
  until,
  withOptions,
} from "../support/relay/harness.ts";
import { type TestRouting, routedCall, routingOver, seededRandom } from "../support/relay/routed-call.ts";

describe("500 channels x 200 models", () => {
  const MODELS = Array.from({ length: 200 }, (_, place) => `model-${place}`);
  const CHOICES = 100_000;
  /** Three priorities; weights from 0 to 90 in each. */
  const channels = Array.from({ length: 500 }, (_, place) =>
    newChannel({ id: place + 1, priority: place % 3, weight: (place % 10) * 10, models: new Set(MODELS) }),
  );
  let routing: TestRouting;

  beforeAll(async () => {
    const index = new RouteIndex();
    for (const channel of channels) index.replace(undefined, channel);
    const snapshot: Snapshot = {
      ...memorySnapshot(newWorld({ channels })),
      tiersFor: (group, model) => index.tiersFor(group, model),
    };
    routing = await routingOver(snapshot);
  });

  const top = channels.filter(({ priority }) => priority === 2);
  const total = top.reduce((sum, { weight }) => sum + weight + 10, 0);

  test.each([0, 99, 199])("the first choices of model-%i have each channel's share within 2 %%", (model) => {
    const counts = new Map<number, number>();
    for (let choice = 0; choice < CHOICES; choice += 1) {
      // Every part of what chance may say once: what is left of a difference is the choice's own.
      const [first] = route(routedCall(routing, { model: MODELS[model] ?? "" }), () => (choice + 0.5) / CHOICES);
      counts.set(first?.id ?? 0, (counts.get(first?.id ?? 0) ?? 0) + 1);
    }
    expect([...counts.keys()].toSorted((a, b) => a - b)).toEqual(top.map(({ id }) => id));
    for (const { id, weight } of top) {
      const expected = (CHOICES * (weight + 10)) / total;
      expect(Math.abs((counts.get(id) ?? 0) - expected) / expected).toBeLessThan(0.02);
    }
  });

  test("by chance each weight has its share within four standard deviations, and no lower priority has a call", () => {
    const random = seededRandom(7);
    const byWeight = new Map<number, number>();
    for (let choice = 0; choice < CHOICES; choice += 1) {
      const [first] = route(routedCall(routing, { model: "model-5" }), random);
      expect(first?.priority).toBe(2);
      byWeight.set(first?.weight ?? -1, (byWeight.get(first?.weight ?? -1) ?? 0) + 1);
    }
    for (const [weight, count] of byWeight) {
      const alike = top.filter((each) => each.weight === weight).length;
      const expected = (CHOICES * alike * (weight + 10)) / total;
      expect(Math.abs(count - expected)).toBeLessThan(4 * Math.sqrt(expected));
    }
  });

  test("each operation goes by its own times, also where both were measured equally often", () => {
    const world = newWorld({ channels: channels.slice(0, 2).map((each) => ({ ...each, priority: 0 })) });
    withOptions(world, { ChannelChoice: "latency" });
    const index = new RouteIndex();
    for (const channel of world.channels) index.replace(undefined, channel);
    const snapshot = { ...memorySnapshot(world), tiersFor: index.tiersFor.bind(index) };
    const context = { ...routing, snapshot, channelLatencies: new ChannelLatencies() };
    const note = (operation: string, channelId: number, ms: number) =>
      context.channelLatencies.note({ operation, model: "model-1", isStream: true }, channelId, ms, 0);
    note("chat", 1, 10);
    note("chat", 2, 500);
    note("completions", 1, 500);
    note("completions", 2, 10);
    const chat = routedCall(context, { model: "model-1" });
    const completions = { ...chat, call: { ...chat.call, operation: "completions" as const } };
    const firstOf = (routed: typeof chat) => [...route(routed, () => 0.5)][0]?.id;
    expect([firstOf(chat), firstOf(completions), firstOf(chat)]).toEqual([1, 2, 1]);
  });

  test.each(CHANNEL_CHOICES)("by %s every channel is tried once, the higher priorities first", (ChannelChoice) => {
    const world = newWorld({ channels });
    withOptions(world, { ChannelChoice, RetryTimes: 600 });
    const snapshot = { ...routing.snapshot, options: world.options };
    const tried = [...route(routedCall({ ...routing, snapshot }, { model: "model-1" }), seededRandom(3))];
    expect(tried.map(({ priority }) => priority)).toEqual(
      channels.map(({ priority }) => priority).toSorted((a, b) => b - a),
    );
    expect(new Set(tried).size).toBe(500);
  });
});

describe("through real upstreams", () => {
  let upstreams: FakeUpstream[];
  let relay: TestRelay;

  beforeEach(async () => {
    upstreams = await Promise.all(["one", "two", "three"].map((text) => startFakeUpstream({ plan: { text } })));
    relay = await startTestRelay();
    relay.world.channels = upstreams.map(({ url }, place) =>
      newChannel({ id: place + 1, name: `channel ${place + 1}`, baseUrl: url }),
    );
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await relay.close();
    await Promise.all(upstreams.map((each) => each.close()));
  });

  const change = (id: number, changes: Parameters<typeof newChannel>[0]): void => {
    relay.world.channels = relay.world.channels.map((each) => (each.id === id ? { ...each, ...changes } : each));
  };
  const counts = () => upstreams.map(({ count }) => count);
  const chance = (value: number) => vi.spyOn(Math, "random").mockReturnValue(value);
  const chat = (text: string, more: object = {}) => ({
    model: "gpt-4o",
    messages: [{ role: "user", content: text }],
    ...more,
  });
  const call = async (body: object, headers?: Record<string, string>): Promise<string> => {
    const answer = await relay.post("/v1/chat/completions", body, headers);
    return answer.text();
  };

  describe("least latency", () => {
    beforeEach(() => {
      withOptions(relay.world, { ChannelChoice: "latency" });
      upstreams[0]?.plan({ headerDelayMs: 200 });
      upstreams[1]?.plan({ headerDelayMs: 80 });
    });
    /** Calls one after the other, so that each knows what those before it found. */
    const calls = async (count: number): Promise<void> => {
      for (let made = 0; made < count; made += 1) await call(chat("hello", { stream: true }));
    };

    test("each is measured once, then the soonest has the calls", async () => {
      chance(0.5);
      await calls(3);
      expect(counts()).toEqual([1, 1, 1]);
      await calls(5);
      expect(counts()).toEqual([1, 1, 6]);
    });

    test("a slow past is forgotten: calls that go by weight measure anew", async () => {
      chance(0.5);
      await calls(3);
      upstreams[0]?.plan({});
      upstreams[2]?.plan({ headerDelayMs: 200 });
      // What explores is drawn by weight, and this chance leads to the first.
      chance(0.01);
      await calls(12);
      expect(counts()).toEqual([13, 1, 1]);
      chance(0.5);
      // The third is found to be slow by those who trusted its past; then the first is the soonest.
      await calls(14);
      const [before] = counts();
      await calls(3);
      expect((counts()[0] ?? 0) - (before ?? 0)).toBe(3);
    });

    test("a channel that fails at once counts as slow, not as fast", async () => {
      chance(0.5);
      withOptions(relay.world, { ChannelChoice: "latency", RetryTimes: 3 });
      upstreams[2]?.plan({ status: 500, error: { message: "no" } });
      await calls(3);
      const [, , failures] = counts();
      await calls(3);
      expect(counts()[2]).toBe(failures);
      expect(counts()[1]).toBeGreaterThanOrEqual(4);
    });

    test("priorities stay above it", async () => {
      chance(0.5);
      change(1, { priority: 1 });
      await calls(4);
      expect(counts()).toEqual([4, 0, 0]);
    });
  });

  describe("lowest cost", () => {
    beforeEach(() => withOptions(relay.world, { ChannelChoice: "cost", RetryTimes: 5 }));

    test("the channel whose upstream asks least is first, and one of unknown price the last", async () => {
      change(1, { modelMapping: { "gpt-4o": "nobody-knows" } });
      change(2, { costs: { factor: "0.9" } });
      change(3, { costs: { models: { "gpt-4o": { input: "1", output: "2" } } } });
      chance(0);
      expect(await call(chat("hello"))).toContain("three");
      upstreams[2]?.plan({ status: 500, error: { message: "no" } });
      expect(await call(chat("hello"))).toContain("two");
      upstreams[1]?.plan({ status: 500, error: { message: "no" } });
      expect(await call(chat("hello"))).toContain("one");
    });

    test("a changed price is followed by the next call, and equal prices are shared by weight", async () => {
      change(2, { costs: { factor: "0.5" } });
      change(3, { costs: { factor: "0.5" } });
      chance(0.01);
      expect(await call(chat("hello"))).toContain("two");
      chance(0.99);
      expect(await call(chat("hello"))).toContain("three");
      change(1, { costs: { factor: "0.4" } });
      expect(await call(chat("hello"))).toContain("one");
    });
  });

  describe("prompt caches", () => {
    beforeEach(() => withOptions(relay.world, { PromptCacheAffinityEnabled: true }));
    const turns = (...texts: string[]) => ({
      model: "gpt-4o",
      messages: [
        { role: "system", content: "be brief" },
        ...texts.map((content, place) => ({ role: place % 2 === 0 ? "user" : "assistant", content })),
      ],
    });
    const [TO_ONE, TO_TWO, TO_THREE] = [0.01, 0.5, 0.99];

    test("a conversation stays on its channel, and another is drawn anew", async () => {
      chance(TO_THREE);
      expect(await call(turns("tell me of ships"))).toContain("three");
      chance(TO_ONE);
      expect(await call(turns("tell me of ships", "they float", "why?"))).toContain("three");
      expect(await call(turns("tell me of ships", "they float", "why?", "air", "oh"))).toContain("three");
      expect(await call(turns("tell me of trains"))).toContain("one");
    });

    test("not while the option is off", async () => {
      withOptions(relay.world, { PromptCacheAffinityEnabled: false });
      chance(TO_THREE);
      await call(turns("tell me of ships"));
      chance(TO_ONE);
      expect(await call(turns("tell me of ships", "they float", "why?"))).toContain("one");
    });

    test("prompt_cache_key identifies the conversation, for any messages; a user's key is not shared with others", async () => {
      chance(TO_TWO);
      expect(await call(chat("a", { prompt_cache_key: "k" }))).toContain("two");
      chance(TO_ONE);
      expect(await call(chat("b", { prompt_cache_key: "k" }))).toContain("two");
      relay.world.users.push(newUser({ id: 2, username: "bob" }));
      relay.world.tokens.set("b".repeat(48), newToken({ id: 2, userId: 2 }));
      expect(
        await call(chat("c", { prompt_cache_key: "k" }), { authorization: `Bearer sk-${"b".repeat(48)}` }),
      ).toContain("one");
    });

    test.each([
      ["/v1/messages", (text: string) => ({ model: "gpt-4o", max_tokens: 9, system: "be brief", messages: text })],
      ["/v1/responses", (text: string) => ({ model: "gpt-4o", instructions: "be brief", input: text })],
      ["/v1beta/models/gpt-4o:generateContent", (text: string) => ({ contents: text })],
    ] as const)("%s has its own place for what a conversation begins with", async (path, bodyOf) => {
      const entry = (role: string, text: string) =>
        path.includes("v1beta") ? { role, parts: [{ text }] } : { role, content: text };
      const ask = async (...entries: object[]) => {
        const body = bodyOf("");
        const name = "contents" in body ? "contents" : "input" in body ? "input" : "messages";
        return (await relay.post(path, { ...body, [name]: entries })).text();
      };
      const answer = path.includes("v1beta") ? "model" : "assistant";
      chance(TO_THREE);
      expect(await ask(entry("user", "of ships"))).toContain("three");
      chance(TO_ONE);
      expect(await ask(entry("user", "of ships"), entry(answer, "they float"), entry("user", "why?"))).toContain(
        "three",
      );
      expect(await ask(entry("user", "of trains"))).toContain("one");
    });

    test.each([
      [
        "a block",
        (line: string) => [
          { type: "text", text: line },
          { type: "text", text: "You are an agent." },
        ],
      ],
      ["a line", (line: string) => `${line}\nYou are an agent.`],
    ])("what Claude Code says of itself in %s, other in each call, is no part of it", async (_name, systemOf) => {
      const ask = async (hash: string): Promise<string> => {
        const system = systemOf(
          `x-anthropic-billing-header: cc_version=2.1.119.${hash}; cc_entrypoint=cli; cch=${hash};`,
        );
        const messages = [{ role: "user", content: `of ships, by ${systemOf.length}` }];
        return (await relay.post("/v1/messages", { model: "gpt-4o", max_tokens: 9, system, messages })).text();
      };
      chance(TO_THREE);
      expect(await ask("a7754")).toContain("three");
      chance(TO_ONE);
      expect(await ask("0aaa9f")).toContain("three");
    });

    test.each([false, true])(
      "a stored answer is gone on from where it is stored, at any priority; stream: %j",
      async (stream) => {
        const ask = async (body: object): Promise<string> =>
          (await relay.post("/v1/responses", { model: "gpt-4o", stream, ...body })).text();
        const idOf = (text: string): string => /"id"\s*:\s*"([\w-]+)"/.exec(text)?.[1] ?? "";
        chance(TO_THREE);
        const first = await ask({ input: "of ships" });
        expect(first).toContain("three");
        chance(TO_ONE);
        change(1, { priority: 5 });
        const second = await ask({ input: "why?", previous_response_id: idOf(first) });
        expect(second).toContain("three");
        expect(await ask({ input: "and then?", previous_response_id: idOf(second) })).toContain("three");
        expect(await ask({ input: "why?", previous_response_id: "resp_unknown" })).toContain("one");
      },
    );

    test("one with clearly more open calls than its share is left, until it has room again", async () => {
      chance(TO_THREE);
      await call(turns("tell me of ships"));
      const end = Promise.withResolvers<void>();
      upstreams[2]?.plan({ text: "three", beforeHead: end.promise });
      const running = Array.from({ length: 4 }, (_, place) => call(turns("tell me of ships", "yes", `${place}`)));
      await until(() => upstreams[2]?.count === 5);
      upstreams[2]?.plan({ text: "three" });
      chance(TO_ONE);
      expect(await call(turns("tell me of ships", "yes", "and now?"))).toContain("one");
      end.resolve();
      await Promise.all(running);
      // The last answer of the conversation is where its cache is newest.
      expect(await call(turns("tell me of ships", "yes", "and then?"))).toContain("three");
    });

    test("a channel that fails passes the conversation on, and priorities stay above it", async () => {
      withOptions(relay.world, { PromptCacheAffinityEnabled: true, RetryTimes: 2 });
      chance(TO_THREE);
      await call(turns("tell me of ships"));
      upstreams[2]?.next({ status: 500, error: { message: "no" } });
      chance(TO_TWO);
      expect(await call(turns("tell me of ships", "a", "b"))).toContain("two");
      chance(TO_ONE);
      expect(await call(turns("tell me of ships", "a", "b", "c", "d"))).toContain("two");
      change(1, { priority: 5 });
      expect(await call(turns("tell me of ships", "a", "b", "c", "e"))).toContain("one");
    });

    test("another process finds the channel through the cache they share", async () => {
      const texts = new Map<string, string>();
      const shared: Cache = {
        ...createMemoryCache(),
        isShared: true,
        lease: async (key) => ({ key, id: "", state: "unknown" }),
        share: async (key, text) => void texts.set(key, text),
        shared: async (key) => texts.get(key),
      };
      const { world } = relay;
      const [here, there] = await Promise.all([1, 2].map(() => startTestRelay({ world, cache: shared })));
      if (here === undefined || there === undefined) throw new Error("both were started");
      const ask = async (at: TestRelay, ...texts: string[]) =>
        (await at.post("/v1/chat/completions", turns(...texts))).text();
      try {
        chance(TO_THREE);
        expect(await ask(here, "tell me of ships")).toContain("three");
        chance(TO_ONE);
        expect(await ask(there, "tell me of ships", "yes", "why?")).toContain("three");
        expect([...texts.keys()].join(" ")).not.toMatch(/ships|brief/);
      } finally {
        await Promise.all([here.close(), there.close()]);
      }
    });
  });
});
