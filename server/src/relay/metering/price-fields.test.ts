/** Tests of price fields: a receipt names every part its call was priced by, and no others. */
import { expect, test } from "vitest";
import { DEFAULT_RATIOS, type ModelPrice } from "../../../../contract/src/pricing/pricing.ts";
import { NO_USAGE, type Usage } from "../../../../contract/src/pricing/usage.ts";
import { priceFields } from "./price-fields.ts";

const BY_TOKENS: ModelPrice = {
  kind: "per_token",
  ...DEFAULT_RATIOS,
  ratio: "1.25",
  completionRatio: "8",
  imageRatio: "2",
  imageOutputRatio: "100",
  tiers: [{ aboveInputTokens: 200, ratio: "2.5", completionRatio: "6", cacheRatio: "0.1", cacheCreationRatio: "1.25" }],
};
const fieldsOf = (price: ModelPrice | undefined, counts: Partial<Usage>) =>
  priceFields(
    {
      price,
      group: { ratio: "0.8", userGroup: "default", isOfPair: false },
      quotaPerUnit: "500000",
      priceVersion: 3,
      priceSince: 1_750_000_000,
    },
    { ...NO_USAGE, ...counts },
  );

const COMMON = {
  group_ratio: 0.8,
  quota_per_unit: 500_000,
  price_version: 3,
  price_since: 1_750_000_000,
  cache_tokens: 0,
};

test("a plain call has its ratios and no more", () => {
  expect(fieldsOf(BY_TOKENS, { inputTokens: 200, outputTokens: 5 })).toEqual({
    ...COMMON,
    model_ratio: 1.25,
    model_price: -1,
    completion_ratio: 8,
    cache_ratio: 1,
  });
});

test("above a bound the ratios are the tier's, and each part of the usage brings its own", () => {
  const usage = {
    inputTokens: 201,
    outputTokens: 50,
    cacheReadTokens: 7,
    cacheWriteTokens: 1,
    cacheWriteLongTokens: 2,
    audioInputTokens: 3,
    imageInputTokens: 4,
    audioOutputTokens: 5,
    imageOutputTokens: 6,
    toolCalls: [{ tool: "web_search", calls: 2, usdPerThousand: "27.5" }],
  } as const;
  expect(fieldsOf(BY_TOKENS, usage)).toEqual({
    ...COMMON,
    cache_tokens: 7,
    model_ratio: 2.5,
    model_price: -1,
    completion_ratio: 6,
    cache_ratio: 0.1,
    tier_above: 200,
    cache_creation_tokens: 1,
    cache_creation_ratio: 1.25,
    cache_creation_long_tokens: 2,
    audio: true,
    audio_input: 3,
    audio_output: 5,
    text_input: 198,
    text_output: 45,
    audio_ratio: 20,
    audio_completion_ratio: 2,
    image_ratio: 2,
    image_output_ratio: 100,
    web_search: true,
    web_search_call_count: 2,
    web_search_price: 27.5,
  });
});

test("a fixed price has its dollars and its factor; a call that was not priced says -1", () => {
  const fixed = fieldsOf({ kind: "per_call", price: "0.04" }, { callFactor: "3" });
  expect(fixed).toMatchObject({ model_price: 0.04, model_ratio: 0, call_factor: "3" });
  expect(fieldsOf({ kind: "per_call", price: "0.04" }, {})).not.toHaveProperty("call_factor");
  expect(fieldsOf(undefined, {})).toMatchObject({ model_price: -1, model_ratio: 0 });
});

test("surcharges are named with their ratios beside the model's own, and are nothing to a fixed price", () => {
  const surcharges = [{ surcharge: "inference_geo_us", ratio: "1.1" }] as const;
  const named = [{ premium: "inference_geo_us", ratio: 1.1 }];
  expect(fieldsOf(BY_TOKENS, { inputTokens: 1, surcharges })).toMatchObject({ model_ratio: 1.25, premiums: named });
  expect(fieldsOf({ kind: "per_call", price: "0.04" }, { surcharges })).not.toHaveProperty("premiums");
});

test("several tools have a line each, and no list where the lines say everything", () => {
  const fields = fieldsOf(BY_TOKENS, {
    toolCalls: [
      { tool: "web_search", calls: 2, usdPerThousand: "27.5" },
      { tool: "file_search", calls: 5, usdPerThousand: "2.5" },
      { tool: "file_search", calls: 0, usdPerThousand: "9" },
    ],
  });
  expect(fields).toMatchObject({
    web_search: true,
    web_search_call_count: 2,
    web_search_price: 27.5,
    file_search: true,
    file_search_call_count: 5,
    file_search_price: 2.5,
  });
  expect(fields).not.toHaveProperty("tool_calls");
});

test("one tool at two prices is listed call by call; its line has all calls at their mean price", () => {
  const fields = fieldsOf(BY_TOKENS, {
    toolCalls: [
      { tool: "web_search", calls: 3, usdPerThousand: "10" },
      { tool: "web_search", calls: 1, usdPerThousand: "30" },
      { tool: "file_search", calls: 4, usdPerThousand: "2.5" },
    ],
  });
  expect(fields).toMatchObject({ web_search_call_count: 4, web_search_price: 15, file_search_call_count: 4 });
  expect(fields["tool_calls"]).toEqual([
    { tool: "web_search", count: 3, price: 10 },
    { tool: "web_search", count: 1, price: 30 },
    { tool: "file_search", count: 4, price: 2.5 },
  ]);
});
