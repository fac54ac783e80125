/** Surcharges: request fields that raise an upstream's price are dropped with a warning; surcharges in an answer are charged. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { parseOptions } from "../../contract/src/options/options.ts";
import { DEFAULT_RATIOS } from "../../contract/src/pricing/pricing.ts";
import { type TestRelay, newChannel, newWorld, startTestRelay, until, withOptions } from "../support/relay/harness.ts";

const parsedRatios = (text: string) => parseOptions(new Map([["PremiumRatios", text]])).PremiumRatios;

let upstream: FakeUpstream;
let relay: TestRelay;

const MODELS = ["gpt-4o", "claude-sonnet-4-6", "gemini-2.5-flash", "openai/gpt-5"] as const;

beforeEach(async () => {
  upstream = await startFakeUpstream({ validates: false });
  const world = newWorld();
  for (const [index, type] of [1, 14, 24, 20].entries()) {
    const models = new Set([MODELS[index] ?? ""]);
    world.channels.push(newChannel({ id: type, type, baseUrl: upstream.url, models }));
  }
  for (const model of MODELS) world.prices.set(model, { kind: "per_call", price: "0.01" });
  relay = await startTestRelay({ world });
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const messages = [{ role: "user", content: "hi" }];
const claude = { model: "claude-sonnet-4-6", max_tokens: 10, messages };
const GEMINI = "/v1beta/models/gemini-2.5-flash:generateContent";
const contents = [{ role: "user", parts: [{ text: "hi" }] }];

/** Path, body without what is dear, and what is. */
const CASES = [
  ["/v1/chat/completions", { model: "gpt-4o", messages }, { service_tier: "priority" }],
  ["/v1/chat/completions", { model: "gpt-4o", messages }, { service_tier: "fast" }],
  ["/v1/responses", { model: "gpt-4o", input: "hi" }, { service_tier: "ultrafast" }],
  ["/v1/messages", claude, { speed: "fast" }],
  ["/v1/messages", claude, { fallbacks: [{ model: "claude-opus-5" }] }],
  ["/v1/messages", claude, { fallbacks: "default" }],
  [GEMINI, { contents }, { serviceTier: "PRIORITY" }],
  [GEMINI, { contents }, { service_tier: "SERVICE_TIER_PRIORITY" }],
  // OpenRouter answers with other models than the one that is priced, in each of its formats.
  ["/v1/chat/completions", { model: "openai/gpt-5", messages }, { models: ["anthropic/claude-opus-5"] }],
  ["/v1/chat/completions", { model: "openai/gpt-5", messages }, { route: "fallback" }],
  ["/v1/chat/completions", { model: "openai/gpt-5", messages }, { plugins: [{ id: "web" }, { id: "fusion" }] }],
  ["/v1/messages", { ...claude, model: "openai/gpt-5" }, { fallbacks: [{ model: "anthropic/claude-opus-5" }] }],
  ["/v1/messages", { ...claude, model: "openai/gpt-5" }, { models: ["anthropic/claude-opus-5"] }],
  ["/v1/messages", { ...claude, model: "openai/gpt-5" }, { service_tier: "priority" }],
  ["/v1/responses", { model: "openai/gpt-5", input: "hi" }, { plugins: [{ id: "auto-router" }] }],
] as const;

describe.each(CASES)("%s", (path, plain, dear) => {
  const [field = ""] = Object.keys(dear);

  test(`${field} stays behind`, async () => {
    const answer = await relay.post(path, { ...dear, ...plain });
    expect(answer.status).toBe(200);
    expect(upstream.requests[0]?.json).toEqual(plain);
    expect(answer.headers.get("turnpike-warnings")).toContain(`${field}: costs more`);
  });

  test(`${field} is passed on if the channel allows it`, async () => {
    relay.world.channels = relay.world.channels.map((channel) => ({
      ...channel,
      setting: { allowsServiceTier: true },
    }));
    const answer = await relay.post(path, { ...plain, ...dear });
    expect(upstream.requests[0]?.json).toEqual({ ...plain, ...dear });
    expect(answer.headers.get("turnpike-warnings")).toBeNull();
  });
});

test.each([
  ["/v1/chat/completions", { model: "openai/gpt-5", messages }],
  ["/v1/messages", { ...claude, model: "openai/gpt-5" }],
  ["/v1/responses", { model: "openai/gpt-5", input: "hi" }],
] as const)("%s: who serves a model at OpenRouter, and plugins that keep to it, are passed on", async (path, plain) => {
  const asked = { ...plain, provider: { order: ["azure"], data_collection: "deny" }, plugins: [{ id: "web" }] };
  const answer = await relay.post(path, asked);
  expect([answer.status, answer.headers.get("turnpike-warnings")]).toEqual([200, null]);
  expect(upstream.requests[0]).toMatchObject({ path, json: asked });
});

test("fields of OpenRouter's are other vendors' own: there they are passed on", async () => {
  const asked = { model: "gpt-4o", messages, models: ["gpt-5"], route: "fallback" };
  await relay.post("/v1/chat/completions", asked);
  expect(upstream.requests[0]?.json).toEqual(asked);
});

test.each(["auto", "default", "flex", "scale"])("the tier %s, which is no dearer, is passed on", async (tier) => {
  await relay.post("/v1/chat/completions", { model: "gpt-4o", messages, service_tier: tier });
  expect(upstream.requests[0]?.json).toMatchObject({ service_tier: tier });
});

test("a tier that the channel itself sets is passed on, for any request", async () => {
  const [first] = relay.world.channels;
  relay.world.channels = [newChannel({ ...first, paramOverride: { service_tier: "priority" } })];
  await relay.post("/v1/chat/completions", { model: "gpt-4o", messages, service_tier: "fast" });
  expect(upstream.requests[0]?.json).toMatchObject({ service_tier: "priority" });
});

test("a request to be answered in the USA alone is never dropped: it is passed on without a warning", async () => {
  const asked = { ...claude, inference_geo: "us" };
  const answer = await relay.post("/v1/messages", asked);
  expect(upstream.requests[0]?.json).toEqual(asked);
  expect(answer.headers.get("turnpike-warnings")).toBeNull();
});

describe("surcharges that the answer's usage names", () => {
  const perToken = { kind: "per_token" as const, ...DEFAULT_RATIOS, ratio: "1" };
  const usage = { input_tokens: 100, output_tokens: 50 };

  beforeEach(() => relay.world.prices.set("claude-sonnet-4-6", perToken));

  test.each([
    [{}, 150],
    [{ inference_geo: "us" }, 165],
    [{ inference_geo: "global" }, 150],
    [{ inference_geo: "not_available", speed: "standard" }, 150],
    [{ speed: "fast" }, 300],
    [{ inference_geo: "us", speed: "fast" }, 330],
  ])("%j: 150 tokens cost %s", async (said, quota) => {
    upstream.plan({ usage: { ...usage, ...said } });
    await relay.post("/v1/messages", claude);
    expect(relay.billing.settlements[0]?.charge).toBe(quota);
  });

  test("are charged by the ratios of the moment the call was let in", async () => {
    const set = (ratio: string) =>
      withOptions(relay.world, { PremiumRatios: parsedRatios(`{"inference_geo_us":{"*":${ratio}}}`) });
    set("3");
    upstream.plan({ usage: { ...usage, inference_geo: "us" }, headerDelayMs: 50 });
    const call = relay.post("/v1/messages", claude);
    await until(() => upstream.count > 0);
    set("7");
    await call;
    expect(relay.billing.settlements[0]?.charge).toBe(450);
  });
});

test("a tier stays behind on its way into another format too", async () => {
  const answer = await relay.post(GEMINI.replace("gemini-2.5-flash", "gpt-4o"), { contents, serviceTier: "priority" });
  expect(answer.status).toBe(200);
  expect(upstream.requests[0]?.json).not.toHaveProperty("service_tier");
  expect(answer.headers.get("turnpike-warnings")).toContain("serviceTier: costs more");
});
