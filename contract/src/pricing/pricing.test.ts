/** Charges: the formulas with numbers calculated by hand, faulty usage, the size of holds, and displayed prices. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { explainCharge } from "./charge-receipt.ts";
import {
  completionRatioText,
  ratioColour,
  ratioFromUsdPerMillion,
  ratioOfPrices,
  usdPerMillionText,
} from "./price-display.ts";
import {
  DEFAULT_RATIOS,
  MAX_CHARGE,
  type ModelPrice,
  type PerTokenPrice,
  UNPRICED_PRICE,
  chargeQuota,
  estimateTokens,
  holdAmount,
  holdOutputTokens,
  quotaForTokens,
} from "./pricing.ts";
import { NO_USAGE, type Usage } from "./usage.ts";

const UNIT = "500000";
const perToken = (ratio: string, others: Partial<PerTokenPrice> = {}): PerTokenPrice => ({
  kind: "per_token",
  ratio,
  ...DEFAULT_RATIOS,
  ...others,
});
const used = (counts: Partial<Usage>): Usage => ({ ...NO_USAGE, ...counts });

/** Usage as an upstream may really send it, past any type. */
const reported = (counts: Record<string, unknown>): Usage => ({ ...NO_USAGE, ...counts }) as Usage;

describe("charge", () => {
  test("prompt and completion: (1000 + 500 × 4) × 1.25 × 1", () => {
    const price = perToken("1.25", { completionRatio: "4" });
    expect(chargeQuota(used({ inputTokens: 1000, outputTokens: 500 }), price, "1", UNIT)).toBe(3750);
    expect(chargeQuota(used({ inputTokens: 1000, outputTokens: 500 }), price, "0.8", UNIT)).toBe(3000);
  });

  test("cached tokens are part of the prompt: (1000 - 400 - 100 + 400 × 0.1 + 100 × 1.25) × 1.5", () => {
    const price = perToken("1.5", { cacheRatio: "0.1" });
    expect(
      chargeQuota(used({ inputTokens: 1000, cacheReadTokens: 400, cacheWriteTokens: 100 }), price, "1", UNIT),
    ).toBe(998);
  });

  test("audio and images have ratios of their own: 100 + 10 × 20 + 5 × 2 in, 40 × 4 + 10 × 20 × 2 out", () => {
    const price = perToken("1", { completionRatio: "4", imageRatio: "2" });
    const usage = used({
      inputTokens: 115,
      audioInputTokens: 10,
      imageInputTokens: 5,
      outputTokens: 50,
      audioOutputTokens: 10,
    });
    expect(chargeQuota(usage, price, "1", UNIT)).toBe(870);
  });

  test("a fixed price is its dollars times QuotaPerUnit times the group, whatever was used", () => {
    const price = { kind: "per_call", price: "0.04" } as const;
    expect(chargeQuota(NO_USAGE, price, "1", UNIT)).toBe(20_000);
    expect(chargeQuota(used({ inputTokens: 1e6 }), price, "0.5", "1000")).toBe(20);
  });

  test("an hour in the cache costs 1.6 × five minutes: (1000 - 100 - 200 + 100 × 1.25 + 200 × 2) × 1.5", () => {
    const usage = used({ inputTokens: 1000, cacheWriteTokens: 100, cacheWriteLongTokens: 200 });
    expect(chargeQuota(usage, perToken("1.5"), "1", UNIT)).toBe(1838);
  });

  test("pictures that come out have a ratio of their own where the model has one: 20 × 4 + 10 × 100, else (20 + 10) × 4", () => {
    const usage = used({ outputTokens: 30, imageOutputTokens: 10 });
    expect(chargeQuota(usage, perToken("1", { completionRatio: "4", imageOutputRatio: "100" }), "1", UNIT)).toBe(1080);
    expect(chargeQuota(usage, perToken("1", { completionRatio: "4" }), "1", UNIT)).toBe(120);
  });

  test("tools are charged beside tokens and fixed prices: 3 × 25 / 1000 USD × 0.8, rounded with the rest", () => {
    const toolCalls = [{ tool: "web_search" as const, calls: 3, usdPerThousand: "25" }];
    expect(chargeQuota(used({ inputTokens: 101, toolCalls }), perToken("0.5"), "0.8", UNIT)).toBe(30_040);
    expect(chargeQuota(used({ toolCalls }), { kind: "per_call", price: "0.04" }, "0.8", UNIT)).toBe(46_000);
    expect(chargeQuota(used({ toolCalls }), perToken("0"), "0", UNIT)).toBe(0);
  });

  test("surcharges multiply every token, one after the other, and neither tools nor fixed prices: (101 × 0.5 × 1.1 × 2 + 37500) × 0.8", () => {
    const surcharges = [
      { surcharge: "inference_geo_us", ratio: "1.1" },
      { surcharge: "speed_fast", ratio: "2" },
    ] as const;
    const toolCalls = [{ tool: "web_search" as const, calls: 3, usdPerThousand: "25" }];
    const usage = used({ inputTokens: 101, toolCalls, surcharges });
    expect(chargeQuota(usage, perToken("0.5"), "0.8", UNIT)).toBe(30_089);
    expect(chargeQuota({ ...usage, toolCalls: [] }, perToken("0.5"), "0.8", UNIT)).toBe(89);
    expect(chargeQuota(usage, { kind: "per_call", price: "0.04" }, "0.8", UNIT)).toBe(46_000);
    const free = [{ surcharge: "speed_fast", ratio: "0" }] as const;
    expect(chargeQuota(used({ inputTokens: 101, surcharges: free }), perToken("0.5"), "1", UNIT)).toBe(0);
  });

  test("a factor multiplies a fixed price and not a price by tokens", () => {
    const usage = used({ inputTokens: 100, callFactor: "4.5" });
    expect(chargeQuota(usage, { kind: "per_call", price: "0.04" }, "0.5", UNIT)).toBe(45_000);
    expect(chargeQuota(usage, perToken("1"), "0.5", UNIT)).toBe(50);
    expect(chargeQuota(used({ callFactor: "0" }), { kind: "per_call", price: "0.04" }, "1", UNIT)).toBe(0);
  });

  test("a context above a tier's bound is charged wholly by the highest tier it is above", () => {
    const tier = (aboveInputTokens: number, ratio: string) => ({
      aboveInputTokens,
      ratio,
      completionRatio: "3",
      cacheRatio: "0.1",
      cacheCreationRatio: "1.25",
    });
    const price = perToken("1", { completionRatio: "5", tiers: [tier(200, "2"), tier(500, "3")] });
    const charge = (inputTokens: number) => chargeQuota(used({ inputTokens, outputTokens: 10 }), price, "1", UNIT);
    expect([charge(200), charge(201), charge(500), charge(501)]).toEqual([250, 462, 1060, 1593]);
    expect(explainCharge(used({ inputTokens: 300 }), price, "1", UNIT)).toMatchObject({ quota: 600, tierAbove: 200 });
    const base = { inputTokens: 501, isStream: false, maxTokens: 10, preConsumedQuota: 500 };
    expect(holdAmount(base, price, "1", UNIT)).toBe(1593);
  });

  test("a half is rounded away from zero, once, at the end", () => {
    expect(chargeQuota(used({ inputTokens: 3 }), perToken("0.5"), "1", UNIT)).toBe(2);
    expect(chargeQuota(used({ inputTokens: 1, outputTokens: 1 }), perToken("1.25"), "1", UNIT)).toBe(3);
    expect(chargeQuota(used({ inputTokens: 5 }), perToken("0.1"), "3", UNIT)).toBe(2);
  });

  test("used tokens at a price above 0 cost at least 1, free ones nothing", () => {
    expect(chargeQuota(used({ inputTokens: 1 }), perToken("0.0000001"), "1", UNIT)).toBe(1);
    expect(chargeQuota(used({ inputTokens: 1000 }), perToken("0"), "1", UNIT)).toBe(0);
    expect(chargeQuota(used({ inputTokens: 1000 }), perToken("2"), "0", UNIT)).toBe(0);
    expect(chargeQuota(NO_USAGE, perToken("2"), "1", UNIT)).toBe(0);
  });

  test("an unpriced model, if accepted, has the ratio 37.5", () => {
    expect(chargeQuota(used({ inputTokens: 2 }), UNPRICED_PRICE, "1", UNIT)).toBe(75);
  });

  test("texts that are no ratio are refused", () => {
    expect(() => chargeQuota(NO_USAGE, perToken("-1"), "1", UNIT)).toThrow(RangeError);
    expect(() => chargeQuota(NO_USAGE, perToken("1"), "x", UNIT)).toThrow(RangeError);
  });
});

describe("faulty usage", () => {
  test.each([
    ["negative", { inputTokens: -5, outputTokens: 10 }, 10, ["count_out_of_range"]],
    ["not a number", { inputTokens: Number.NaN, outputTokens: 10 }, 10, ["count_out_of_range"]],
    ["text", { inputTokens: "100", outputTokens: 10 }, 10, ["count_out_of_range"]],
    ["missing", { inputTokens: undefined, outputTokens: 10 }, 10, ["count_out_of_range"]],
    ["fractional", { inputTokens: 2.5, outputTokens: 0 }, 3, ["count_out_of_range"]],
    ["infinite", { inputTokens: Number.POSITIVE_INFINITY }, 1_000_000_000, ["count_out_of_range"]],
    ["parts above the whole", { inputTokens: 10, cacheReadTokens: 50 }, 10, ["parts_exceed_whole"]],
    ["factor that is no number at a price by tokens", { inputTokens: 10, callFactor: "x" }, 10, ["count_out_of_range"]],
    ["hourly cache above the prompt", { inputTokens: 10, cacheWriteLongTokens: 50 }, 20, ["parts_exceed_whole"]],
    ["audio above the answer", { outputTokens: 10, audioOutputTokens: 50 }, 10 * 20 * 2, ["parts_exceed_whole"]],
  ])("%s counts are brought back to sane ones and flagged", (_name, counts, quota, faults) => {
    const charge = explainCharge(reported(counts), perToken("1", { completionRatio: "1" }), "1", UNIT);
    expect(charge).toMatchObject({ quota, faults });
  });

  test("whatever is reported, a charge is a safe whole number from 0 to its cap", () => {
    const count = fc.oneof(
      fc.double(),
      fc.integer(),
      fc.string(),
      fc.constant(undefined),
      fc.bigInt(),
      fc.constant(null),
    );
    const usage = fc.record({
      inputTokens: count,
      outputTokens: count,
      cacheReadTokens: count,
      cacheWriteTokens: count,
      imageInputTokens: count,
      audioInputTokens: count,
      audioOutputTokens: count,
    });
    fc.assert(
      fc.property(usage, fc.constantFrom("0", "0.000001", "1.25", "37.5", "1e25"), (counts, ratio) => {
        const quota = chargeQuota(reported(counts), perToken(ratio), "1", UNIT);
        expect(Number.isSafeInteger(quota) && quota >= 0 && quota <= MAX_CHARGE).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["below 0", { callFactor: "-5" }, 20_000],
    ["no number", { callFactor: "1e999" }, 20_000],
    ["absurd", { callFactor: "1e20" }, 200_000_000],
    ["calls below 0", { toolCalls: [{ tool: "web_search", calls: -3, usdPerThousand: "10" }] }, 20_000],
    ["absurd calls", { toolCalls: [{ tool: "web_search", calls: 1e12, usdPerThousand: "10" }] }, 50_020_000],
  ])("quantities of a fixed price are bounded: %s", (_name, counts, quota) => {
    const charge = explainCharge(reported(counts), { kind: "per_call", price: "0.04" }, "1", UNIT);
    expect(charge).toMatchObject({ quota, faults: ["count_out_of_range"] });
  });

  test("a capped charge is flagged as capped", () => {
    expect(explainCharge(used({ inputTokens: 1e9 }), perToken("1e6"), "1", UNIT)).toMatchObject({
      quota: MAX_CHARGE,
      faults: ["charge_capped"],
    });
  });
});

describe("receipt", () => {
  test("has each part with its ratio, and a formula that can be recalculated", () => {
    const price = perToken("0.075", { completionRatio: "4", cacheRatio: "0.5" });
    expect(
      explainCharge(used({ inputTokens: 1000, cacheReadTokens: 100, outputTokens: 500 }), price, "1", UNIT),
    ).toEqual({
      quota: 221,
      formula: "(900 + 100 × 0.5 + 500 × 4) × 0.075 × 1 = 221",
      faults: [],
      steps: [
        { part: "input", count: 900, ratio: "0.075", quota: "67.5" },
        { part: "cacheRead", count: 100, ratio: "0.0375", quota: "3.75" },
        { part: "output", count: 500, ratio: "0.3", quota: "150" },
      ],
    });
  });

  test("has surcharges in the ratio of each step and in its formula", () => {
    const surcharges = [{ surcharge: "inference_geo_us", ratio: "1.1" }] as const;
    expect(
      explainCharge(used({ inputTokens: 1000, outputTokens: 500, surcharges }), perToken("2"), "0.5", UNIT),
    ).toMatchObject({
      quota: 1650,
      formula: "(1000 + 500 × 1) × 2 × 1.1 × 0.5 = 1650",
      steps: [
        { part: "input", ratio: "1.1", quota: "1100" },
        { part: "output", ratio: "1.1", quota: "550" },
      ],
    });
  });

  test("has tools and the factor of a fixed price in its steps and its formula", () => {
    const toolCalls = [{ tool: "file_search" as const, calls: 2, usdPerThousand: "2.5" }];
    expect(explainCharge(used({ callFactor: "2", toolCalls }), { kind: "per_call", price: "0.04" }, "1", UNIT)).toEqual(
      {
        quota: 42_500,
        formula: "$0.04 × 2 × 500000 × 1 + 2 × $2.5 / 1000 × 500000 × 1 = 42500",
        faults: [],
        tierAbove: undefined,
        steps: [
          { part: "call", count: 1, ratio: "0.04", factor: "2", quota: "40000" },
          { part: "file_search", count: 2, ratio: "2.5", quota: "2500" },
        ],
      },
    );
  });

  test("shows the same number that is charged", () => {
    const counts = fc.nat(10_000_000);
    fc.assert(
      fc.property(
        counts,
        counts,
        counts,
        fc.integer({ min: 0, max: 99_999 }),
        (inputTokens, outputTokens, cacheReadTokens, ratio) => {
          const price: ModelPrice = perToken(`0.${ratio}`, { completionRatio: "4" });
          const usage = used({ inputTokens, outputTokens, cacheReadTokens });
          expect(explainCharge(usage, price, "0.9", UNIT).quota).toBe(chargeQuota(usage, price, "0.9", UNIT));
        },
      ),
    );
  });
});

describe("size of a hold", () => {
  const base = { inputTokens: 100, preConsumedQuota: 500 };

  test("bytes become tokens on the high side", () => {
    expect(estimateTokens(300, 0)).toBe(100);
    expect(estimateTokens(1, 3)).toBe(2);
  });

  test("a stream holds one step of output, or less where it asks for less", () => {
    expect(holdOutputTokens({ ...base, isStream: true })).toBe(500);
    expect(holdOutputTokens({ ...base, isStream: true, maxTokens: 50 })).toBe(50);
  });

  test("an answer in one piece holds the smallest of max_tokens, model cap and 8192, for each choice", () => {
    expect(holdOutputTokens({ ...base, isStream: false })).toBe(8192);
    expect(holdOutputTokens({ ...base, isStream: false, modelCap: 4096 })).toBe(4096);
    expect(holdOutputTokens({ ...base, isStream: false, modelCap: 4096, maxTokens: 100 })).toBe(100);
    expect(holdOutputTokens({ ...base, isStream: false, maxTokens: 100, choices: 3 })).toBe(300);
  });

  test("costs what that usage would, and a fixed price is held whole", () => {
    const price = perToken("1.25", { completionRatio: "4" });
    expect(holdAmount({ ...base, isStream: true }, price, "1", UNIT)).toBe(2625);
    expect(quotaForTokens(100, 500, price, "1", UNIT)).toBe(2625);
    const fixed = { kind: "per_call", price: "0.1" } as const;
    expect(holdAmount({ ...base, isStream: true }, fixed, "1", UNIT)).toBe(50_000);
    expect(holdAmount({ ...base, isStream: false, callFactor: "3" }, fixed, "1", UNIT)).toBe(150_000);
  });

  test("huge quantities asked for never make it negative or unsafe", () => {
    fc.assert(
      fc.property(fc.double(), fc.double(), fc.double(), (maxTokens, choices, inputTokens) => {
        const amount = holdAmount(
          { inputTokens, preConsumedQuota: 500, isStream: false, maxTokens, choices },
          perToken("37.5"),
          "1",
          UNIT,
        );
        expect(Number.isSafeInteger(amount) && amount >= 0).toBe(true);
      }),
    );
  });
});

describe("displayed prices", () => {
  test("USD for 1M tokens is twice the ratio, completions times their ratio, cached times theirs", () => {
    const price = perToken("1.25", { completionRatio: "4", cacheRatio: "0.5" });
    expect(
      ["input", "output", "cacheRead"].map((part) => usdPerMillionText(part as "input", price, "1", UNIT)),
    ).toEqual(["2.5", "10", "1.25"]);
    expect(usdPerMillionText("input", price, "2", UNIT)).toBe("5");
  });

  test("ratio = price for 1M tokens / 2, completion ratio = output / input with 3 decimals", () => {
    expect(ratioFromUsdPerMillion("0.15")).toBe("0.075");
    expect(ratioFromUsdPerMillion("2.5")).toBe("1.25");
    expect(ratioOfPrices("10", "2.5")).toBe("4");
    expect(ratioOfPrices("1", "3")).toBe("0.333333333333");
    expect(ratioOfPrices("1", "0")).toBe("1");
    expect(completionRatioText("1.33333")).toBe("1.333");
  });

  test("a ratio tag is green at 1 or below, blue above 1, orange above 3, red above 5", () => {
    expect(["0", "1", "1.01", "3", "3.01", "5", "5.01"].map(ratioColour)).toEqual([
      "green",
      "green",
      "blue",
      "blue",
      "orange",
      "orange",
      "red",
    ]);
  });
});
