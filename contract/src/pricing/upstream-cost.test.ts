/** Upstream costs: typed figures, the list price times a factor, and unknown ones. */
import { expect, test } from "vitest";
import { readChannelCosts } from "../channels/costs.ts";
import { chargeQuota, DEFAULT_RATIOS, type ModelPrice } from "./pricing.ts";
import { type ChannelCosts, upstreamPrice } from "./upstream-cost.ts";
import { NO_USAGE, type Usage } from "./usage.ts";

const LISTED: ModelPrice = {
  kind: "per_token",
  ratio: "1.25",
  completionRatio: "8",
  cacheRatio: "0.1",
  cacheCreationRatio: "1.25",
  imageRatio: "1",
  audioRatio: "16",
  audioCompletionRatio: "2",
  tiers: [
    { aboveInputTokens: 200_000, ratio: "2.5", completionRatio: "6", cacheRatio: "0.1", cacheCreationRatio: "1.25" },
  ],
};
const USAGE: Usage = {
  ...NO_USAGE,
  inputTokens: 1_000_000,
  outputTokens: 100_000,
  cacheReadTokens: 400_000,
  toolCalls: [{ tool: "web_search", calls: 3, usdPerThousand: "10" }],
};
const QUOTA_PER_UNIT = "500000";

/** Dollars of the usage, as the cost of one channel and model. */
function usdOf(costs: ChannelCosts, listed: ModelPrice | undefined, usage: Usage = USAGE): number | undefined {
  const asked = upstreamPrice(costs, "m", listed);
  return asked && chargeQuota(usage, asked.price, asked.factor, QUOTA_PER_UNIT) / Number(QUOTA_PER_UNIT);
}

test("nothing typed is the price list, tiers and tools included; its factor multiplies all of it", () => {
  // Above 200,000 tokens of input: 5 USD in, 0.5 from the cache, 30 out; three searches at 10 USD for 1,000.
  const listed = 0.6 * 5 + 0.4 * 0.5 + 0.1 * 30 + 0.03;
  expect(usdOf({}, LISTED)).toBeCloseTo(listed, 6);
  expect(usdOf({ factor: "0.8" }, LISTED)).toBeCloseTo(listed * 0.8, 6);
  expect(usdOf({ factor: "0" }, LISTED)).toBe(0);
});

test("a typed price holds for every length, keeps the list's proportions for what is not typed, and takes no factor", () => {
  const typed = { factor: "0.5", models: { m: { input: "2", output: "7" } } };
  // The cache costs a tenth of the input, as the list has it.
  expect(usdOf(typed, LISTED)).toBeCloseTo(0.6 * 2 + 0.4 * 0.2 + 0.1 * 7 + 0.03, 6);
  const whole = { models: { m: { input: "3", output: "1", cache_read: "0.7", cache_write: "9" } } };
  const written = { ...USAGE, cacheWriteTokens: 100_000, toolCalls: [] };
  expect(usdOf(whole, LISTED, written)).toBeCloseTo(0.5 * 3 + 0.4 * 0.7 + 0.1 * 9 + 0.1 * 1, 5);
  // Without a list the proportions are those of a model with only a prompt ratio.
  expect(upstreamPrice(typed, "m", undefined)?.price).toMatchObject({
    ratio: "1",
    cacheRatio: DEFAULT_RATIOS.cacheRatio,
  });
});

test("a price by the request takes the factor of its pictures, and no tokens", () => {
  const typed = { models: { m: { request: "0.04" } } };
  expect(usdOf(typed, LISTED, { ...USAGE, toolCalls: [], callFactor: "2" })).toBeCloseTo(0.08, 6);
});

test("what is neither typed nor listed is unknown, not free", () => {
  expect(upstreamPrice({ factor: "0.8" }, "m", undefined)).toBeUndefined();
  expect(upstreamPrice({ models: { m: { request: "1" } } }, "constructor", undefined)).toBeUndefined();
});

test("the same figures give the same price object, until the list has another", () => {
  const costs = { models: { m: { input: "2", output: "7" } } };
  const first = upstreamPrice(costs, "m", LISTED)?.price;
  expect(upstreamPrice(costs, "m", LISTED)?.price).toBe(first);
  expect(upstreamPrice(costs, "m", { ...LISTED, cacheRatio: "0.5" })?.price).toMatchObject({ cacheRatio: "0.5" });
});

test("the column is read with every digit as it was written", () => {
  expect(readChannelCosts('{"factor":0.80,"models":{"m":{"input":0.1,"output":12.00000000000000001}}}')).toEqual({
    factor: "0.8",
    models: { m: { input: "0.1", output: "12.00000000000000001" } },
  });
});

test.each([
  ["{", "json", ""],
  ["[]", "map", ""],
  ['{"factor":-1}', "smallest", "factor"],
  ['{"factor":1e308}', "number_size", "factor"],
  ['{"factor":9007199254740993}', "largest", "factor"],
  ['{"factor":"0.5"}', "number", "factor"],
  ['{"factor":1,"factor":2}', "duplicate", "factor"],
  ['{"share":1}', "unknown_name", "share"],
  ['{"models":{"m":{"input":-2,"output":1}}}', "smallest", "models › m › input"],
  ['{"models":{"m":{"input":NaN,"output":1}}}', "json", ""],
  ['{"models":{"m":{"input":2}}}', "number", "models › m › output"],
  ['{"models":{"m":{"input":0,"output":1}}}', "free_input", "models › m"],
  ['{"models":{"m":{"request":-1}}}', "smallest", "models › m › request"],
  ['{"models":{"m":{"input":1,"output":1,"audio":2}}}', "unknown_name", "models › m › audio"],
  ['{"models":{"":{"request":1}}}', "value", "models › "],
])("%s is refused with its reason and place", (text, reason, path) => {
  const refusal = (): unknown => {
    try {
      return readChannelCosts(text);
    } catch (error) {
      return error;
    }
  };
  expect(refusal()).toMatchObject({
    code: "channel_costs_invalid",
    field: "costs",
    values: { reason, path, line: 1, column: expect.any(Number) as number },
  });
});
