/** The route explainer equals the real route: the same channels in the same steps with the same chances, and a reason for each skipped one. */
import fc from "fast-check";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { CHANNEL_CHOICES } from "../../contract/src/channels/choices.ts";
import { ChannelHealth } from "../../server/src/channels/health.ts";
import { type AskedCall, explainRoute } from "../../server/src/relay/routing/explain.ts";
import { route } from "../../server/src/relay/routing/route.ts";
import type { SnapshotChannel } from "../../server/src/snapshot/snapshot.ts";
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

const ASKED: AskedCall = {
  model: "gpt-4o",
  operation: "chat",
  inputTokens: 100,
  isStream: true,
  user: undefined,
  token: undefined,
  groupName: "",
};

/** What differs from channel to channel; ids follow from their places. */
const channelFacts = fc.record({
  status: fc.constantFrom(1, 1, 1, 1, 2, 3),
  type: fc.constantFrom(1, 1, 14, 24, 999),
  priority: fc.constantFrom(0, 0, 5),
  weight: fc.constantFrom(0, 10, 90),
  groupNames: fc.constantFrom(["default"], ["default", "vip"], ["vip"]),
  models: fc.constantFrom(new Set(["gpt-4o"]), new Set(["gpt-4o", "other"]), new Set(["other"])),
  maxInputTokens: fc.constantFrom(0, 0, 99, 100),
  isBusy: fc.constantFrom(false, false, false, true),
  isResting: fc.constantFrom(false, false, true),
  latencyMs: fc.constantFrom(undefined, 100, 105, 800),
  factor: fc.constantFrom("1", "0.5"),
});
type ChannelFacts = typeof channelFacts extends fc.Arbitrary<infer Facts> ? Facts : never;

interface Scene {
  context: TestRouting;
  channels: SnapshotChannel[];
}

/** A process in which channels are busy, cool down and were measured as the facts say. */
async function sceneOf(
  facts: readonly ChannelFacts[],
  ChannelChoice: (typeof CHANNEL_CHOICES)[number],
): Promise<Scene> {
  const world = newWorld();
  withOptions(world, { ChannelChoice, RetryTimes: 100 });
  const health = new ChannelHealth({ failures: 1, openMs: 60_000 });
  const context = await routingOver(memorySnapshot(world), health);
  for (const [place, { isBusy, isResting, latencyMs, factor, ...fields }] of facts.entries()) {
    const id = place + 1;
    world.channels.push(newChannel({ ...fields, id, costs: { factor }, setting: isBusy ? { maxConcurrency: 1 } : {} }));
    if (isBusy) void context.channelCalls.begin(id, 0);
    if (isResting) health.failed(id, { nowMs: performance.now() });
    const kind = { operation: "chat", model: "gpt-4o", isStream: true };
    if (latencyMs !== undefined) context.channelLatencies.note(kind, id, latencyMs, 0);
  }
  return { context, channels: world.channels };
}

const sorted = (ids: readonly number[]) => ids.toSorted((left, right) => left - right);

describe.each(CHANNEL_CHOICES)("by %s", (choice) => {
  test("steps and reasons are those of the calls, for any channels", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(channelFacts, { maxLength: 40 }), fc.integer(), async (facts, seed) => {
        const { context, channels } = await sceneOf(facts, choice);
        const explained = explainRoute(context, ASKED);
        const random = seededRandom(seed);
        // Exploring is reported as a share of the calls, beside the steps.
        const tried = [...route(routedCall(context), () => Math.max(0.051, random()))].map(({ id }) => id);
        let begin = 0;
        for (const step of explained.steps) {
          const ids = step.channels.map(({ id }) => id);
          expect(sorted(tried.slice(begin, begin + ids.length))).toEqual(sorted(ids));
          expect(step.channels.reduce((sum, { chance }) => sum + chance, 0)).toBeCloseTo(1);
          begin += ids.length;
        }
        expect(tried).toHaveLength(begin);
        // Each channel is in one place.
        expect(sorted([...tried, ...explained.out.map(({ id }) => id)])).toEqual(channels.map(({ id }) => id));
        expect([explained.out_total, explained.refusal === null]).toEqual([explained.out.length, tried.length > 0]);
      }),
      { numRuns: 60 },
    );
  });
});

test("a chance is how often a call begins there", async () => {
  const weights = [0, 10, 40, 90, 0, 300];
  const { context } = await sceneOf([], "weight");
  const world = newWorld({ channels: weights.map((weight, place) => newChannel({ id: place + 1, weight })) });
  const routing = { ...context, snapshot: memorySnapshot(world) };
  const random = seededRandom(11);
  const counts = new Map<number, number>();
  for (let call = 0; call < 20_000; call += 1) {
    const [first] = route(routedCall(routing), random);
    counts.set(first?.id ?? 0, (counts.get(first?.id ?? 0) ?? 0) + 1);
  }
  for (const { id, chance } of explainRoute(routing, ASKED).steps[0]?.channels ?? [])
    expect(Math.abs((counts.get(id) ?? 0) - 20_000 * chance)).toBeLessThan(4 * Math.sqrt(20_000 * chance));
});

describe("beside real calls", () => {
  let upstream: FakeUpstream;
  let relay: TestRelay;

  beforeEach(async () => {
    upstream = await startFakeUpstream({ plan: { status: 500, error: { message: "no" } } });
    relay = await startTestRelay({ health: new ChannelHealth({ failures: 1_000 }) });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await relay.close();
    await upstream.close();
  });
  const chat = { model: "gpt-4o", messages: [{ role: "user", content: "hello" }] };
  const post = async (path = "/v1/chat/completions", body: object = chat) => (await relay.post(path, body)).text();

  test("the order in which a call fails at one after the other is that of the steps", async () => {
    withOptions(relay.world, { RetryTimes: 10 });
    relay.world.channels = [5, 5, 5, 0, 0, -1].map((priority, place) =>
      newChannel({ id: place + 1, priority, weight: place * 10, baseUrl: upstream.url }),
    );
    vi.spyOn(Math, "random").mockImplementation(seededRandom(5));
    await post();
    const { admin_info: info } = JSON.parse(relay.billing.rows.at(-1)?.other ?? "{}") as {
      admin_info: { tried: { id: number }[] };
    };
    const tried = info.tried.map(({ id }) => id);
    expect(tried).toHaveLength(6);
    let begin = 0;
    for (const { channels } of relay.explain({}).steps) {
      expect(sorted(tried.slice(begin, begin + channels.length))).toEqual(sorted(channels.map(({ id }) => id)));
      begin += channels.length;
    }
    expect(relay.explain({})).toMatchObject({ max_tries: 11, choice: "weight", explored_share: 0, refusal: null });
  });

  test("each reason is named with its values, and a cooldown with its end", async () => {
    upstream.plan({ text: "hello" });
    const end = Promise.withResolvers<void>();
    upstream.plan({ beforeHead: end.promise });
    relay.world.channels = [newChannel({ id: 1, name: "busy", baseUrl: upstream.url, setting: { maxConcurrency: 1 } })];
    const running = post();
    await until(() => upstream.count === 1);
    relay.world.channels.push(
      newChannel({ id: 2, name: "short", maxInputTokens: 5 }),
      newChannel({ id: 3, name: "later", type: 999 }),
      newChannel({ id: 4, name: "vip", groupNames: ["vip", "svip"] }),
      newChannel({ id: 5, name: "other", models: new Set(["other"]) }),
      newChannel({ id: 6, name: "off", status: 3 }),
      newChannel({ id: 7, name: "resting", priority: 9 }),
      newChannel({ id: 8, name: "good" }),
    );
    relay.health.failed(7, { nowMs: performance.now(), requestedOpenMs: 60_000 });
    const explained = relay.explain({ inputTokens: 6 });
    expect(Object.fromEntries(explained.out.map(({ id, reason }) => [id, reason]))).toEqual({
      1: { code: "busy" },
      2: { code: "input_limit", values: { limit: "5", tokens: "6" } },
      3: { code: "unknown_channel_type" },
      4: { code: "group", values: { groups: "vip, svip" } },
      5: { code: "model" },
      6: { code: "disabled" },
    });
    expect(explained.steps.map(({ priority, channels }) => [priority, channels.map(({ id }) => id)])).toEqual([
      [0, [8]],
      [9, [7]],
    ]);
    const [resting] = explained.steps[1]?.channels ?? [];
    expect(resting?.resting).toEqual({ code: "resting_as_asked" });
    expect(Math.abs((resting?.resting_until_ms ?? 0) - Date.now() - 60_000)).toBeLessThan(10_000);
    end.resolve();
    await running;
    expect(relay.explain({ inputTokens: 6 }).out.map(({ id }) => id)).not.toContain(1);
  });

  test("an operation that a type does not serve is a reason, and the refusal that the caller would read", async () => {
    relay.world.channels = [newChannel({ id: 1, type: 14, baseUrl: upstream.url })];
    const explained = relay.explain({ operation: "images" });
    expect(explained.out).toMatchObject([
      { id: 1, reason: { code: "unsupported_operation", values: { operation: "images" } } },
    ]);
    expect(await post("/v1/images/generations", { model: "gpt-4o", prompt: "a ship" })).toContain(
      explained.refusal?.message,
    );
  });

  test("a refusal before routing is reported, with the call's channels", () => {
    relay.world.channels = [newChannel({ id: 1, models: new Set(["gpt-4o", "unpriced"]) })];
    const user = newUser();
    expect(relay.explain({ model: "unpriced" })).toMatchObject({
      refusal: { code: "model_price_error", status: 400 },
      steps: [{ channels: [{ id: 1 }] }],
    });
    expect(relay.explain({ user, groupName: "svip" }).refusal).toMatchObject({
      code: "group_not_allowed",
      status: 403,
    });
    const token = newToken({ modelLimits: new Set(["other"]) });
    expect(relay.explain({ user, token })).toMatchObject({
      group: "default",
      token: { id: token.id },
      refusal: { code: "model_not_allowed" },
    });
    expect(relay.explain({ groupName: "vip" })).toMatchObject({
      group: "vip",
      refusal: { code: "model_not_found", status: 404 },
    });
    relay.world.channels.push(newChannel({ id: 2, groupNames: ["vip"], status: 3 }));
    expect(relay.explain({ groupName: "vip" }).refusal).toMatchObject({ code: "no_available_channel", status: 503 });
    expect(relay.explain({ user, model: "unpriced" }).refusal?.code).toBe("model_price_error");
    expect(relay.explain({ user: newUser({ acceptsUnpricedModels: true }), model: "unpriced" }).refusal).toBeNull();
  });

  test("asking changes nothing: no half-open breaker is taken, no call counted, no channel asked", async () => {
    relay.world.channels = [newChannel({ id: 1, baseUrl: upstream.url })];
    const before = relay.explain({});
    for (let time = 0; time < 5; time += 1) expect(relay.explain({})).toEqual(before);
    expect([upstream.count, relay.billing.rows.length, relay.metrics.openCalls]).toEqual([0, 0, 0]);
  });

  test("a call for which no channel was left keeps in its row who has the model, and why they could not be asked", async () => {
    relay.world.channels = [
      newChannel({ id: 1, name: "vip", groupNames: ["vip"] }),
      newChannel({ id: 2, name: "off", status: 2 }),
      newChannel({ id: 3, name: "other", models: new Set(["other"]) }),
    ];
    await post();
    expect(JSON.parse(relay.billing.rows.at(-1)?.other ?? "{}")).toMatchObject({
      error_code: "no_available_channel",
      admin_info: {
        skipped: [
          { id: 1, name: "vip", code: "group", values: { groups: "vip" } },
          { id: 2, name: "off", code: "disabled" },
        ],
      },
    });
  });

  test("of hundreds that were skipped the row names the first and counts all", async () => {
    relay.world.channels = Array.from({ length: 150 }, (_, place) => newChannel({ id: place + 1, maxInputTokens: 1 }));
    await post();
    const { admin_info: info } = JSON.parse(relay.billing.rows.at(-1)?.other ?? "{}") as {
      admin_info: { skipped: object[]; skipped_total: number };
    };
    expect([info.skipped.length, info.skipped_total]).toEqual([100, 150]);
  });
});

describe("at size", () => {
  let context: TestRouting;
  beforeAll(async () => {
    const channels = Array.from({ length: 500 }, (_, place) =>
      newChannel({ id: place + 1, models: new Set([place < 100 ? "gpt-4o" : "other"]), status: place === 499 ? 2 : 1 }),
    );
    ({ context } = await sceneOf([], "weight"));
    context = { ...context, snapshot: memorySnapshot(newWorld({ channels })) };
  });

  test("200 of those that are out are named, those nearest to the call first, and all are counted", () => {
    const { steps, out, out_total: total } = explainRoute(context, ASKED);
    expect([steps[0]?.channels.length, out.length, total]).toEqual([100, 200, 400]);
    expect(explainRoute(context, { ...ASKED, model: "other" }).out[0]).toMatchObject({
      id: 500,
      reason: { code: "disabled" },
    });
  });
});
