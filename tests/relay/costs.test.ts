/** Upstream costs of calls through the relay: typed, listed or unknown, with caches, tools, surcharges and fixed prices; they never block a call. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Plan } from "../fake-upstream/plan.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { parseOptions } from "../../contract/src/options/options.ts";
import { DEFAULT_RATIOS, type ModelPrice, type PerTokenPrice } from "../../contract/src/pricing/pricing.ts";
import type { ChannelCosts } from "../../contract/src/pricing/upstream-cost.ts";
import { receiptForUser } from "../../server/src/console/logs/views.ts";
import type { SnapshotChannel } from "../../server/src/snapshot/snapshot.ts";
import {
  type TestRelay,
  newChannel,
  newUser,
  newWorld,
  startTestRelay,
  until,
  withOptions,
} from "../support/relay/harness.ts";

const perToken = (ratio: string, more: Partial<PerTokenPrice> = {}): ModelPrice => ({
  kind: "per_token",
  ...DEFAULT_RATIOS,
  ratio,
  ...more,
});

/** What the site charges: dearer than the list, and in a group with a ratio of its own. */
const CHARGED: readonly [string, ModelPrice][] = [
  ["gpt-4o", perToken("3", { completionRatio: "4", cacheRatio: "0.5" })],
  ["alias", perToken("3", { completionRatio: "4" })],
  ["claude-a", perToken("5", { completionRatio: "5", cacheRatio: "0.1" })],
  ["dall-e-3", { kind: "per_call", price: "0.1" }],
  ["gpt-image-1", { kind: "per_call", price: "0.3" }],
  ["nobody-knows", perToken("1")],
];
const LISTED: readonly [string, ModelPrice][] = [
  ["gpt-4o", perToken("1.25", { completionRatio: "4", cacheRatio: "0.5" })],
  ["claude-a", perToken("1.5", { completionRatio: "5", cacheRatio: "0.1" })],
  ["dall-e-3", { kind: "per_call", price: "0.04" }],
  ["gpt-image-1", perToken("2.5", { completionRatio: "2", imageOutputRatio: "8" })],
];

let upstream: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  upstream = await startFakeUpstream({ validates: false });
  relay = await startTestRelay({
    world: newWorld({
      prices: new Map(CHARGED),
      listPrices: new Map(LISTED),
      groupRatios: new Map([["far", "2"]]),
      users: [newUser({ groupName: "far" })],
    }),
  });
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const messages = [{ role: "user", content: "hello" }];
const USAGE = { prompt_tokens: 1000, completion_tokens: 500, prompt_tokens_details: { cached_tokens: 400 } };
/** The list's price of USAGE in quota: 600 in, 400 from the cache at half, 500 out at four times. */
const LISTED_COST = (600 + 400 * 0.5 + 500 * 4) * 1.25;

interface Sent {
  model?: string;
  costs?: ChannelCosts;
  channel?: Partial<SnapshotChannel>;
  path?: string;
  body?: object;
  plan?: Plan;
}

/** Sends a call through a channel with these costs; gives its settlement. */
async function settled({ model = "gpt-4o", costs = {}, channel = {}, path, body, plan }: Sent = {}) {
  const models = new Set(CHARGED.map(([name]) => name));
  relay.world.channels = [newChannel({ baseUrl: upstream.url, models, groupNames: ["far"], costs, ...channel })];
  upstream.plan(plan ?? { usage: USAGE });
  const answer = await relay.post(path ?? "/v1/chat/completions", { model, messages, ...body });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  const settlement = relay.billing.settlements.at(-1);
  if (settlement?.log === undefined) throw new Error("nothing was charged");
  const receipt = JSON.parse(settlement.log.other) as { admin_info: { cost?: Record<string, unknown> } };
  return {
    charge: settlement.charge,
    cost: settlement.cost,
    told: receipt.admin_info.cost,
    other: settlement.log.other,
  };
}

test("without typed costs it is the list price, independent of site and group prices", async () => {
  const { charge, cost, told } = await settled();
  expect(charge).toBe((600 + 400 * 0.5 + 500 * 4) * 3 * 2);
  expect(cost).toBe(LISTED_COST);
  expect(told).toEqual({ quota: cost, margin: charge - LISTED_COST, origin: "list" });
});

test("the factor of the list multiplies it, streams too, and the receipt names it", async () => {
  const { charge, cost, told } = await settled({ costs: { factor: "0.8" }, body: { stream: true } });
  expect(cost).toBe(LISTED_COST * 0.8);
  expect(told).toEqual({ quota: cost, margin: charge - LISTED_COST * 0.8, origin: "list", factor: "0.8" });
});

test("a typed price holds for the upstream's own name of the model, and may result in a loss", async () => {
  const { charge, cost, told } = await settled({
    model: "alias",
    costs: {
      factor: "0.1",
      models: { "there-2026": { input: "80", output: "20", cache_read: "8" }, alias: { request: "9" } },
    },
    channel: { modelMapping: { alias: "there-2026" } },
  });
  // 40 quota a token at 80 USD for 1M; a tenth from the cache, a quarter for the answer.
  expect(cost).toBe((600 + 400 * 0.1 + 500 * 0.25) * 40);
  expect(told).toMatchObject({ origin: "typed", margin: charge - (cost ?? 0) });
  expect(charge).toBeLessThan(cost ?? 0);
});

test("a typed price by the request costs that, for any usage", async () => {
  const { cost } = await settled({ costs: { models: { "gpt-4o": { request: "0.02" } } } });
  expect(cost).toBe(0.02 * 500_000);
});

test("if unknown, nothing is written, and the call continues", async () => {
  const { charge, cost, told } = await settled({ model: "nobody-knows", costs: { factor: "0.5" } });
  expect([charge > 0, cost, told]).toEqual([true, undefined, undefined]);
});

test("tools cost what their vendor asks for, times the factor, independent of the site's prices", async () => {
  withOptions(relay.world, parseOptions(new Map([["ToolPrices", '{"web_search":{"*":99},"file_search":{"*":0}}']])));
  const usage = { input_tokens: 100, output_tokens: 10, server_tool_use: { web_search_requests: 3 } };
  const { charge, cost } = await settled({
    model: "claude-a",
    costs: { factor: "0.5" },
    channel: { type: 14 },
    path: "/v1/messages",
    body: { max_tokens: 10 },
    plan: { usage },
  });
  expect(charge).toBe((100 + 50) * 5 * 2 + 3 * 99 * 500 * 2);
  // Searches by Claude are 10 USD for 1,000.
  expect(cost).toBe(Math.round(((100 + 50) * 1.5 + 3 * 10 * 500) * 0.5));
});

const PRIORITY_ANSWER = {
  id: "chatcmpl-1",
  object: "chat.completion",
  model: "gpt-4o",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
  usage: { ...USAGE, total_tokens: 1500 },
  service_tier: "priority",
};

test("surcharges cost the vendor's own factor, independent of the site's", async () => {
  withOptions(relay.world, parseOptions(new Map([["PremiumRatios", '{"service_tier_priority":{"*":1}}']])));
  const { charge, cost } = await settled({
    channel: { setting: { allowsServiceTier: true } },
    body: { service_tier: "priority" },
    plan: { rawBody: JSON.stringify(PRIORITY_ANSWER), contentType: "application/json" },
  });
  expect(charge).toBe((600 + 400 * 0.5 + 500 * 4) * 3 * 2);
  // gpt-4o's priority tier is 1.7 times its plain one.
  expect(cost).toBe(Math.round(LISTED_COST * 1.7));
});

test("pictures at a fixed price have its factor, by the upstream's name; pictures that cost tokens are counted by them", async () => {
  const drawn = { path: "/v1/images/generations", body: { prompt: "a cat", size: "1792x1024", quality: "hd", n: 1 } };
  const fixed = await settled({ ...drawn, model: "alias", plan: {}, channel: { modelMapping: { alias: "dall-e-3" } } });
  expect(fixed.cost).toBe(0.04 * 3 * 500_000);
  const usage = {
    input_tokens: 50,
    output_tokens: 4160,
    total_tokens: 4210,
    input_tokens_details: { text_tokens: 50, image_tokens: 0 },
  };
  const byTokens = await settled({ ...drawn, model: "gpt-image-1", plan: { usage } });
  expect(byTokens.cost).toBe((50 + 4160 * 8) * 2.5);
});

test("an answer that is charged for less, because it broke off, costs what the upstream made of it", async () => {
  withOptions(relay.world, { BrokenStreamBilling: "input_only" });
  relay.world.channels = [];
  const models = new Set(["gpt-4o"]);
  relay.world.channels.push(newChannel({ baseUrl: upstream.url, models, groupNames: ["far"] }));
  upstream.plan({
    text: "Some words that came before the end. ".repeat(8),
    chunks: 5,
    cutAtByte: 900,
  });
  const answer = await relay.post("/v1/chat/completions", { model: "gpt-4o", messages, stream: true });
  await answer.text().catch(() => "");
  await expect.poll(() => relay.billing.settlements.length).toBe(1);
  const [settlement] = relay.billing.settlements;
  const { charge = 0, cost = 0, promptTokens = 0, completionTokens = 0 } = settlement ?? {};
  expect([completionTokens, charge]).toEqual([0, promptTokens * 3 * 2]);
  expect(cost).toBeGreaterThan(promptTokens * 1.25);
});

test("a cost that cannot be computed is unknown and logged, and the call is charged as ever", async () => {
  const { charge, cost } = await settled({ costs: { factor: "not a number" } });
  expect([charge, cost]).toEqual([(600 + 400 * 0.5 + 500 * 4) * 3 * 2, undefined]);
});

test("no payer's receipt says anything of it", async () => {
  const { other } = await settled();
  expect(other).toContain('"margin"');
  expect(receiptForUser(other)).not.toMatch(/cost|margin|admin_info/);
});

test("the metrics have what calls cost beside what they were charged", async () => {
  const { charge, cost } = await settled();
  await settled({ model: "nobody-knows" });
  await until(() => relay.metrics.openCalls === 0);
  const text = await relay.metrics.registry.metrics();
  const sumOf = (name: string): number =>
    [...text.matchAll(new RegExp(`^${name}\\{.*\\} (\\S+)$`, "gm"))].reduce((sum, [, value]) => sum + Number(value), 0);
  expect([sumOf("turnpike_costed_quota_total"), sumOf("turnpike_upstream_cost_quota_total")]).toEqual([charge, cost]);
});
