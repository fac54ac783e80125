/** Tests of prices: the operator's override the price list, ratios are exact, unknown models stay unpriced. */
import { describe, expect, test } from "vitest";
import { usdPerMillionText } from "../../../contract/src/pricing/price-display.ts";
import { chargeQuota } from "../../../contract/src/pricing/pricing.ts";
import { NO_USAGE } from "../../../contract/src/pricing/usage.ts";
import { listedPrice } from "./data-set.ts";
import { DEFAULT_CALL_PRICES, DEFAULT_RATIO_ROWS } from "./default-tables.ts";
import { basePrice, parsePriceTables, resolvePrice } from "./prices.ts";
import { shippedList } from "./shipped-list.ts";

const NONE = parsePriceTables({});

describe("default prices", () => {
  test("USD for 1M tokens become ratios exactly", () => {
    expect(resolvePrice("gpt-4o", NONE)).toMatchObject({
      kind: "per_token",
      ratio: "1.25",
      completionRatio: "4",
      cacheRatio: "0.5",
    });
    expect(resolvePrice("gpt-4o-mini", NONE)).toMatchObject({ ratio: "0.075", completionRatio: "4" });
    expect(resolvePrice("text-embedding-3-small", NONE)).toMatchObject({ ratio: "0.01" });
  });

  test("a model with tiers of the context has each: Gemini 2.5 Pro above 200,000 tokens", () => {
    expect(resolvePrice("gemini-2.5-pro", NONE)).toMatchObject({
      ratio: "0.625",
      completionRatio: "8",
      cacheRatio: "0.1",
      tiers: [{ aboveInputTokens: 200_000, ratio: "1.25", completionRatio: "6", cacheRatio: "0.1" }],
    });
    expect(resolvePrice("claude-sonnet-4-5", NONE)).toMatchObject({
      ratio: "1.5",
      tiers: [{ aboveInputTokens: 200_000, ratio: "3", completionRatio: "3.75", cacheCreationRatio: "1.25" }],
    });
    expect(resolvePrice("gpt-4o", NONE)).not.toHaveProperty("tiers");
  });

  test("a call above the bound is charged wholly by the tier: 200,001 in and 1,000 out of Gemini 2.5 Pro", () => {
    const price = resolvePrice("gemini-2.5-pro", NONE);
    const charge = (inputTokens: number) =>
      price && chargeQuota({ ...NO_USAGE, inputTokens, outputTokens: 1000 }, price, "1", "500000");
    // USD 1.25 and 10 for 1M tokens, above 200,000 in 2.50 and 15; a dollar is 500,000.
    expect([charge(200_000), charge(200_001)]).toEqual([130_000, 257_501]);
  });

  test("pictures that come out have the list's price where it has one", () => {
    expect(resolvePrice("gemini-2.5-flash-image", NONE)).toMatchObject({ ratio: "0.15", imageOutputRatio: "100" });
    expect(resolvePrice("gpt-image-1", NONE)).toMatchObject({ ratio: "2.5", completionRatio: "8", imageRatio: "2" });
  });

  test("the tables beside the list name no model that it prices: it is the one that is kept up", () => {
    const named = [...DEFAULT_RATIO_ROWS.keys(), ...DEFAULT_CALL_PRICES.keys()];
    expect(named.filter((model) => listedPrice(shippedList(), model) !== undefined)).toEqual([]);
    expect(resolvePrice("qwen-turbo", NONE)).toMatchObject({ ratio: "0.025", completionRatio: "4" });
    expect(resolvePrice("qwen-plus", NONE)).toMatchObject({ ratio: "0.2", completionRatio: "3" });
  });

  test.each([
    ["whisper-1", "3"],
    ["tts-1", "7.5"],
    ["tts-1-hd", "15"],
    ["text-moderation-latest", "0.1"],
    ["omni-moderation-latest", "0"],
    ["deepseek-coder", "0.135"],
    ["rerank-2.5", "0.025"],
  ])("%s, of which the list has no price by tokens, has the ratio %s", (model, ratio) => {
    expect(resolvePrice(model, NONE)).toMatchObject({ kind: "per_token", ratio, completionRatio: "1" });
  });

  test.each([
    ["gpt-4o-realtime-preview", "8", "2"],
    ["gpt-realtime", "8", "2"],
    ["gpt-4o-mini-realtime-preview", "16.666666666667", "2"],
    ["gpt-4o-audio-preview", "16", "2"],
    ["gpt-4o-mini-audio-preview", "66.667", "2"],
  ])("sound of %s has the ratio %s, spoken %s times that", (model, audioRatio, audioCompletionRatio) => {
    expect(resolvePrice(model, NONE)).toMatchObject({ audioRatio, audioCompletionRatio });
  });

  test("a model whose price changes with the hour has its dearest hour", () => {
    const price = resolvePrice("deepseek-chat", NONE);
    expect(price?.kind === "per_token" && usdPerMillionText("input", price, "1", "500000")).toBe("0.27");
  });

  test("subscription listings without a price do not make a model free", () => {
    const price = resolvePrice("gpt-4.1", NONE);
    expect(price).toMatchObject({ ratio: "1" });
  });

  test("tasks and images have their fixed prices, gizmos share one", () => {
    expect(resolvePrice("mj_imagine", NONE)).toEqual({ kind: "per_call", price: "0.1" });
    expect(resolvePrice("mj_inpaint", NONE)).toEqual({ kind: "per_call", price: "0" });
    expect(resolvePrice("dall-e-3", NONE)).toEqual({ kind: "per_call", price: "0.04" });
    expect(resolvePrice("gpt-4-gizmo-g-123", NONE)).toEqual({ kind: "per_call", price: "0.1" });
  });

  test.each([
    ["gemini-2.5-flash-thinking", "gemini-2.5-flash"],
    ["gemini-2.5-flash-thinking-1024", "gemini-2.5-flash"],
    ["gemini-2.5-flash-nothinking", "gemini-2.5-flash"],
    // The list has these under their whole name too, at the same price.
    ["gemini-2.5-pro-thinking", "gemini-2.5-pro"],
    ["claude-sonnet-4-5-thinking", "claude-sonnet-4-5"],
    ["o3-mini-high", "o3-mini"],
  ])("%s costs what %s costs, as its end is a setting, the operator's price included", (name, model) => {
    expect(resolvePrice(name, NONE)).toEqual(resolvePrice(model, NONE));
    expect(resolvePrice(name, parsePriceTables({ ModelRatio: { [model]: 9 } }))).toMatchObject({ ratio: "9" });
    const fixed = parsePriceTables({ ModelPrice: { [model]: 0.5 } });
    expect(resolvePrice(name, fixed)).toEqual({ kind: "per_call", price: "0.5" });
    const own = parsePriceTables({ ModelRatio: { [name]: 3, [model]: 9 } });
    expect(resolvePrice(name, own)).toMatchObject({ ratio: "3" });
  });

  test("what the operator says of a model with a setting stands over the price of the model itself", () => {
    const own = parsePriceTables({
      ModelRatio: { "o3-mini": 9, "gpt-4-gizmo-one": 2 },
      CompletionRatio: { "o3-mini-high": 5 },
      CacheRatio: { "gemini-2.5-flash-thinking": "0.01" },
    });
    expect(resolvePrice("o3-mini-high", own)).toMatchObject({ ratio: "9", completionRatio: "5", cacheRatio: "0.5" });
    expect(basePrice("o3-mini-high", own)).toMatchObject({ ratio: "9", completionRatio: "4" });
    expect(resolvePrice("gemini-2.5-flash-thinking", own)).toMatchObject({
      ...resolvePrice("gemini-2.5-flash", own),
      cacheRatio: "0.01",
    });
    expect(resolvePrice("gpt-4-gizmo-one", own)).toMatchObject({ kind: "per_token", ratio: "2" });
    expect(resolvePrice("gpt-4-gizmo-two", own)).toEqual({ kind: "per_call", price: "0.1" });
  });

  test("a name of nothing but settings is looked up like any other", () => {
    expect(resolvePrice(`x${"-low".repeat(50_000)}`, NONE)).toBeUndefined();
  });

  test("a model that only ends like a setting keeps its own price", () => {
    const listed = listedPrice(shippedList(), "kimi-k2-thinking");
    expect(listed).not.toEqual(listedPrice(shippedList(), "kimi-k2"));
    expect(resolvePrice("kimi-k2-thinking", parsePriceTables({ ModelRatio: { "kimi-k2": 9 } }))).toEqual(listed);
  });

  test("an unknown model has no price", () => {
    expect(resolvePrice("no-such-model", NONE)).toBeUndefined();
  });
});

describe("the operator's tables", () => {
  const tables = parsePriceTables({
    ModelPrice: '{"gpt-4o":0.01}',
    ModelRatio: '{"gpt-4o":7,"my-model":0.1000000000000000055,"gpt-4o-mini":2}',
    CompletionRatio: '{"gpt-4o-mini":3}',
    CacheRatio: { "text-embedding-3-small": 0.25 },
  });

  test("win over the data set, a fixed price over a ratio", () => {
    expect(resolvePrice("gpt-4o", tables)).toEqual({ kind: "per_call", price: "0.01" });
    expect(resolvePrice("gpt-4o-mini", tables)).toMatchObject({ ratio: "2", completionRatio: "3", cacheRatio: "0.5" });
    expect(resolvePrice("text-embedding-3-small", tables)).toMatchObject({ ratio: "0.01", cacheRatio: "0.25" });
  });

  test("a prompt ratio holds for every length of context, other ratios hold in every tier", () => {
    const own = parsePriceTables({ ModelRatio: '{"gemini-2.5-pro":1}', CompletionRatio: '{"claude-sonnet-4-5":4}' });
    expect(resolvePrice("gemini-2.5-pro", own)).toMatchObject({ ratio: "1", completionRatio: "8" });
    expect(resolvePrice("gemini-2.5-pro", own)).not.toHaveProperty("tiers");
    expect(resolvePrice("claude-sonnet-4-5", own)).toMatchObject({
      completionRatio: "4",
      tiers: [{ ratio: "3", completionRatio: "4", cacheRatio: "0.1" }],
    });
  });

  test("keep every digit that was typed", () => {
    expect(resolvePrice("my-model", tables)).toMatchObject({ ratio: "0.1000000000000000055", completionRatio: "1" });
  });

  test("give the same object again, so that charges find what they compiled", () => {
    expect(resolvePrice("gpt-4o-mini", tables)).toBe(resolvePrice("gpt-4o-mini", tables));
    expect(resolvePrice("gpt-4o-mini", tables)).not.toBe(resolvePrice("gpt-4o-mini", NONE));
  });

  test("refuse values that are no ratio and name the model", () => {
    expect(() => parsePriceTables({ ModelRatio: '{"a":1,"bad":-1}' })).toThrow(/bad/);
    expect(() => parsePriceTables({ ModelRatio: '{"bad":"x"}' })).toThrow(/bad/);
    expect(() => parsePriceTables({ ModelRatio: "[1]" })).toThrow(/object/);
  });

  test("names of Object.prototype are models like any other", () => {
    expect(resolvePrice("constructor", NONE)).toBeUndefined();
    expect(resolvePrice("__proto__", NONE)).toBeUndefined();
  });
});

test("a priced model charges what its page says: 1M prompt tokens of gpt-4o are 2.50 USD", () => {
  const price = resolvePrice("gpt-4o", NONE);
  expect(price && chargeQuota({ ...NO_USAGE, inputTokens: 1_000_000 }, price, "1", "500000")).toBe(1_250_000);
});
