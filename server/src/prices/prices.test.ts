/** Prices: the operator's word over the data set, exact ratios, unknown models stay unpriced. */
import { describe, expect, test } from "vitest";
import { usdPerMillionText } from "../../../contract/src/price-display.ts";
import { chargeQuota } from "../../../contract/src/pricing.ts";
import { NO_USAGE } from "../../../contract/src/usage.ts";
import { parsePriceTables, resolvePrice } from "./prices.ts";

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

  test("a model with tiers has its base tier", () => {
    expect(resolvePrice("gemini-2.5-pro", NONE)).toMatchObject({
      ratio: "0.625",
      completionRatio: "8",
      cacheRatio: "0.1",
    });
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

  test("a model nobody knows has no price", () => {
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
