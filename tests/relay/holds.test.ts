/** Holds cover what a request can multiply or make its vendor do beside text, so that no call exceeds the balance. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { DEFAULT_RATIOS, type ModelPrice } from "../../contract/src/pricing/pricing.ts";
import { createMemoryCache } from "../../server/src/cache/memory.ts";
import { type TestRelay, newChannel, newWorld, startTestRelay, withOptions } from "../support/relay/harness.ts";

const perToken = (ratio: string): ModelPrice => ({ kind: "per_token", ratio, ...DEFAULT_RATIOS });
const PRICES: ReadonlyMap<string, ModelPrice> = new Map([
  ["gpt-4o", perToken("1")],
  ["free", perToken("0")],
  ["claude", perToken("1")],
  ["gemini", perToken("1")],
  ["gpt-3.5-turbo-instruct", perToken("1")],
  ["rerank", { kind: "per_call", price: "0.002" }],
]);

let upstream: FakeUpstream;
let relay: TestRelay;

const start = async (options: Parameters<typeof startTestRelay>[0] = {}): Promise<void> => {
  relay = await startTestRelay({ world: newWorld({ prices: new Map(PRICES) }), ...options });
  const types = { claude: 14, gemini: 24 };
  for (const [id, model] of [...PRICES.keys()].entries()) {
    const type = types[model as keyof typeof types] ?? 1;
    relay.world.channels.push(newChannel({ id: id + 1, type, baseUrl: upstream.url, models: new Set([model]) }));
  }
};

beforeEach(async () => {
  upstream = await startFakeUpstream({ validates: false });
  await start();
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const messages = [{ role: "user", content: "hello" }];
const CHAT = "/v1/chat/completions";
const GENERATE = "/v1beta/models/gemini:generateContent";
const contents = [{ role: "user", parts: [{ text: "hello" }] }];

/** Each is admitted only with a balance for one call of the tool; the text costs less than 100. */
const OFFERS: readonly (readonly [name: string, path: string, body: object])[] = [
  ["a search of Responses", "/v1/responses", { model: "gpt-4o", tools: [{ type: "web_search_preview_2025_03_11" }] }],
  ["a search in files", "/v1/responses", { model: "gpt-4o", tools: [{ type: "file_search" }] }],
  ["a picture", "/v1/responses", { model: "gpt-4o", tools: [{ type: "image_generation" }] }],
  ["a container", "/v1/responses", { model: "gpt-4o", tools: [{ type: "function" }, { type: "code_interpreter" }] }],
  ["a search of chat", CHAT, { model: "gpt-4o", messages, web_search_options: {} }],
  ["a search of OpenRouter", CHAT, { model: "gpt-4o", messages, plugins: [{ id: "web" }] }],
  ["a search by OpenRouter's tool", CHAT, { model: "gpt-4o", messages, tools: [{ type: "openrouter:web_search" }] }],
  ["a search of Anthropic", "/v1/messages", { model: "claude", messages, tools: [{ type: "web_search_20260209" }] }],
  ["a search of Gemini", GENERATE, { contents, tools: [{ google_search: {} }] }],
  ["places of Gemini", GENERATE, { contents, tools: [{ googleMaps: {} }] }],
  ["a search of a model that costs nothing itself", CHAT, { model: "free", messages, web_search_options: {} }],
];

describe("tools of the vendor", () => {
  test.each(OFFERS)("%s is held for", async (_name, path, body) => {
    const bounds = { max_tokens: 8, max_output_tokens: 8, generationConfig: { maxOutputTokens: 8 }, input: "hello" };
    relay.billing.balance = 1_000;
    const refused = await relay.post(path, { ...bounds, ...body });
    expect([refused.status, upstream.count, relay.billing.held]).toEqual([403, 0, 0]);
    relay.billing.balance = 10_000_000;
    expect((await relay.post(path, { ...bounds, ...body })).status).toBe(200);
    expect(relay.billing.held).toBe(0);
  });

  test("a tool is held for however its name is escaped", async () => {
    relay.billing.balance = 1_000;
    const body = JSON.stringify({
      model: "gpt-4o",
      input: "hello",
      max_output_tokens: 8,
      tools: [{ type: "web_search" }],
    });
    for (const spelled of ["web\\u005fsearch", "\\u0077eb_search"])
      expect((await relay.post("/v1/responses", body.replace("web_search", spelled))).status).toBe(403);
  });

  test.each([
    [1, [{ type: "image_generation", quality: "low" }], 8_000],
    [
      2,
      [
        { type: "image_generation", quality: "low" },
        { type: "image_generation", quality: "high" },
      ],
      250_000,
    ],
    [3, Array.from({ length: 3 }, () => ({ type: "file_search" })), 4_000],
    [1, [{ type: "file_search" }], 1_300],
  ])(
    "a tool that is offered %d times is held for as often, at the dearest of what is asked",
    async (_count, tools, quota) => {
      const body = { model: "gpt-4o", input: "hello", max_output_tokens: 8, tools };
      withOptions(relay.world, { SafeHoldsEnabled: false });
      relay.billing.balance = quota - 1_000;
      expect((await relay.post("/v1/responses", body)).status).toBe(403);
      relay.billing.balance = quota + 1_000;
      expect((await relay.post("/v1/responses", body)).status).toBe(200);
    },
  );

  test("what is offered at several prices is charged at the dearest, whichever stands first", async () => {
    const search = { type: "web_search_preview" };
    const charges: (number | undefined)[] = [];
    relay.world.prices.set("gpt-4o", perToken("0"));
    for (const tools of [
      [{ type: "web_search" }, search],
      [search, { type: "web_search" }],
    ]) {
      const output = [{ type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } }];
      const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
      upstream.plan({ rawBody: JSON.stringify({ id: "r", object: "response", status: "completed", output, usage }) });
      await (await relay.post("/v1/responses", { model: "gpt-4o", input: "hello", tools })).text();
      charges.push(relay.billing.settlements.at(-1)?.charge);
    }
    expect(charges).toEqual([12_500, 12_500]);
  });

  test("tools of the client cost nothing, and text with `null` in place of tools is admitted as before", async () => {
    relay.billing.balance = 1_000;
    const tools = [{ type: "function", function: { name: "web_search", parameters: {} } }];
    const bodies = [{ tools }, { tools: null, web_search_options: null }, { tools: "web_search" }];
    for (const more of bodies)
      expect((await relay.post(CHAT, { model: "gpt-4o", messages, max_tokens: 8, ...more })).status).toBe(200);
  });

  test("a stream extends its hold by its text although a tool is held for", async () => {
    withOptions(relay.world, { PreConsumedQuota: 10 });
    relay.billing.balance = 20_000;
    upstream.plan({ text: "word ".repeat(40_000), chunks: 400 });
    const answer = await relay.post(CHAT, { model: "gpt-4o", messages, web_search_options: {}, stream: true });
    expect(await answer.text()).toContain("quota_reached");
  });
});

describe("answers that are more than text", () => {
  const speaking = { model: "gpt-4o", messages, max_tokens: 100, audio: { voice: "alloy", format: "wav" } };
  const drawing = (responseModalities?: string[]) => ({
    contents,
    generationConfig: { maxOutputTokens: 100, ...(responseModalities === undefined ? {} : { responseModalities }) },
  });

  test.each([
    ["spoken ones", CHAT, { ...speaking, modalities: ["text", "audio"] }, 403],
    ["spoken ones of Gemini", GENERATE, drawing(["AUDIO"]), 403],
    ["pictures that are asked for", GENERATE, drawing(["TEXT", "IMAGE"]), 403],
    ["words alone", CHAT, { ...speaking, modalities: ["text"] }, 200],
    ["words alone of Gemini", GENERATE, drawing(["TEXT"]), 200],
    ["what nobody asks for", GENERATE, drawing(), 200],
  ])("%s are held for", async (_name, path, body, status) => {
    relay.billing.balance = 1_000;
    expect((await relay.post(path, body)).status).toBe(status);
  });

  test("a model whose pictures have a price of their own is held for one, unless only text is asked for", async () => {
    relay.world.prices.set("gemini", { kind: "per_token", ratio: "1", ...DEFAULT_RATIOS, imageOutputRatio: "96" });
    relay.billing.balance = 100_000;
    expect((await relay.post(GENERATE, drawing())).status).toBe(403);
    expect((await relay.post(GENERATE, drawing(["TEXT"]))).status).toBe(200);
  });
});

test.each([{ partial_images: -1e9 }, { partial_images: 0.5 }, { quality: "constructor" }])(
  "a picture is held for, with any settings: %j",
  async (wish) => {
    relay.billing.balance = 1_000;
    const body = { model: "gpt-4o", prompt: "x", stream: true, ...wish };
    expect((await relay.post("/v1/images/generations", body)).status).toBe(403);
    relay.billing.balance = 10_000;
    expect((await relay.post("/v1/images/generations", body)).status).toBe(200);
  },
);

describe("surcharges that a request asks for", () => {
  const chat = { path: CHAT, body: { model: "gpt-4o", messages, max_tokens: 400 } };
  const claude = { path: "/v1/messages", body: { model: "claude", messages, max_tokens: 400 } };
  const gemini = { path: GENERATE, body: { contents, generationConfig: { maxOutputTokens: 400 } } };

  // 400 tokens, fewer than one step, and the request's few cost less than 450.
  test.each([
    ["a fast tier", chat, { service_tier: "priority" }, 403, 200],
    ["Google's fast tier", gemini, { serviceTier: "SERVICE_TIER_PRIORITY" }, 403, 200],
    ["a fast answer of Anthropic", claude, { speed: "fast" }, 403, 200],
    ["a place that has its price", claude, { inference_geo: "us" }, 403, 403],
    ["a cheaper tier, which the upstream may not give", chat, { service_tier: "flex" }, 200, 200],
    ["what is no tier", chat, { service_tier: 7, speed: "fast", inference_geo: null }, 403, 200],
  ])("%s is held for, a tier only where a channel allows it", async (_name, { path, body }, wish, allowed, not) => {
    relay.billing.balance = 450;
    expect((await relay.post(path, { ...body, ...wish })).status).toBe(not);
    for (const channel of relay.world.channels) channel.setting = { allowsServiceTier: true };
    relay.billing.balance = 450;
    expect((await relay.post(path, { ...body, ...wish })).status).toBe(allowed);
    relay.billing.balance = 100_000;
    expect((await relay.post(path, { ...body, ...wish })).status).toBe(200);
    expect(relay.billing.held).toBe(0);
  });

  test("a stream ends where its balance does at the tier's own price", async () => {
    withOptions(relay.world, { PreConsumedQuota: 10 });
    for (const channel of relay.world.channels) channel.setting = { allowsServiceTier: true };
    relay.billing.balance = 20_000;
    upstream.plan({ text: "word ".repeat(8_000), chunks: 400 });
    const asked = { model: "gpt-4o", messages, stream: true };
    expect(await (await relay.post(CHAT, asked)).text()).toContain("[DONE]");
    relay.billing.balance = 20_000;
    expect(await (await relay.post(CHAT, { ...asked, service_tier: "ultrafast" })).text()).toContain("quota_reached");
  });
});

describe("completions", () => {
  const body = (prompt: unknown) => ({ model: "gpt-3.5-turbo-instruct", prompt, max_tokens: 100 });
  const many = Array.from({ length: 50 }, () => "a");

  test.each([
    ["each of many prompts", many, 403],
    ["each of many encoded prompts", many.map(() => [1, 2]), 403],
    ["one encoded prompt", many.map((_, index) => index), 200],
    ["one prompt", "a", 200],
    ["no prompt at all", [], 200],
  ])("%s is held for", async (_name, prompt, status) => {
    relay.billing.balance = 1_000;
    expect((await relay.post("/v1/completions", body(prompt))).status).toBe(status);
  });
});

test("a rerank at a fixed price is held for as often as its documents make search units", async () => {
  const call = async (documents: unknown[]): Promise<number> =>
    (await relay.post("/v1/rerank", { model: "rerank", query: "x", documents })).status;
  relay.billing.balance = 1_500;
  expect([await call(Array.from({ length: 101 }, () => "a")), await call(["a"])]).toEqual([403, 200]);
  relay.billing.balance = 1_500;
  expect(await call(["long ".repeat(50_000)])).toBe(403);
});

test("ratio and price version of a call are of one moment, also where the limits were waited for", async () => {
  await relay.close();
  const cache = createMemoryCache();
  const slow: typeof cache = {
    ...cache,
    take: async (...asked) => {
      relay.world.groupRatios.set("default", "7");
      relay.world.priceVersion += 1;
      return cache.take(...asked);
    },
  };
  await start({ cache: slow });
  withOptions(relay.world, { ModelRequestRateLimitEnabled: true });
  await relay.post(CHAT, { model: "gpt-4o", messages });
  const receipt = JSON.parse(relay.billing.rows[0]?.other ?? "{}") as Record<string, unknown>;
  expect(receipt).toMatchObject({ group_ratio: 1, price_version: 7 });
});
