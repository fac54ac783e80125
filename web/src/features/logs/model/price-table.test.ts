/** The receipt's printed numbers add up to the printed charge, whatever the ratios and counts. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chargeQuota } from "../../../../../contract/src/pricing/pricing.ts";
import { CHARGED_TOOLS, NO_USAGE } from "../../../../../contract/src/pricing/usage.ts";
import type { LogRow } from "./log-row.ts";
import { priceOf, priceTable, type PriceTable } from "./price-table.ts";
import { receiptOf } from "./receipt.ts";

const QUOTA_PER_UNIT = "500000";

const rowOf = (other: object, more: Partial<LogRow> = {}): LogRow => ({
  id: 1,
  request_id: "r",
  user_id: 1,
  created_at: 0,
  type: 2,
  content: "",
  username: "u",
  token_id: 1,
  token_name: "t",
  model_name: "m",
  group: "vip",
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  use_time: 1,
  use_time_ms: 1000,
  first_token_ms: 0,
  is_stream: false,
  ip: "",
  other: JSON.stringify(other),
  ...more,
});

function tableOf(row: LogRow): PriceTable {
  const table = priceTable(row, receiptOf(row), QUOTA_PER_UNIT);
  if (table === undefined) throw new Error("the receipt has no price");
  return table;
}

/** Printed dollars as whole millionths, read back from the text alone. */
const micros = (text: string): bigint => BigInt(text.replace(".", ""));

function timesRatio(amount: bigint, ratio: string): bigint {
  const [whole = "0", decimals = ""] = ratio.split(".");
  const scale = 10n ** BigInt(decimals.length);
  const product = amount * BigInt(whole + decimals);
  return (2n * product + scale) / (2n * scale);
}

describe("a per-token receipt", () => {
  test("shows each part in $ per 1M tokens and comes to the charge", () => {
    const other = {
      model_ratio: 1.5,
      completion_ratio: 5,
      cache_ratio: 0.1,
      group_ratio: 0.8,
      model_price: -1,
      usage: { inputTokens: 20616, outputTokens: 1236, cacheReadTokens: 18432 },
    };
    expect(tableOf(rowOf(other, { quota: 12249 }))).toMatchObject({
      lines: [
        { part: "input", count: 2184, price: "3", cost: "0.006552" },
        { part: "cacheRead", count: 18432, price: "0.3", cost: "0.005530" },
        { part: "output", count: 1236, price: "15", cost: "0.018540" },
      ],
      subtotal: "0.030622",
      groupRatio: "0.8",
      remainder: undefined,
      charged: "0.024498",
      ratios: [
        { name: "ratio", ratio: "1.5" },
        { name: "completionRatio", ratio: "5" },
        { name: "cacheRatio", ratio: "0.1" },
      ],
    });
  });

  test("lines sum to the subtotal, and subtotal × group ratio ± the rounding line is the charge", () => {
    const ratio = fc.integer({ min: 1, max: 400_000 }).map((units) => units / 10_000);
    const count = fc.integer({ min: 0, max: 3_000_000 });
    fc.assert(
      fc.property(
        ratio,
        ratio,
        ratio,
        fc.integer({ min: 1, max: 500 }).map((units) => units / 100),
        count,
        count,
        count,
        (model, completion, cache, group, input, output, cached) => {
          const other = {
            model_ratio: model,
            completion_ratio: completion,
            cache_ratio: cache,
            group_ratio: group,
            model_price: -1,
            usage: { inputTokens: input + cached, outputTokens: output, cacheReadTokens: cached },
          };
          const empty = rowOf(other);
          const price = priceOf(receiptOf(empty));
          if (price === undefined) throw new Error("the receipt has no price");
          const quota = chargeQuota({ ...NO_USAGE, ...other.usage }, price, String(group), QUOTA_PER_UNIT);
          const table = tableOf({ ...empty, quota });
          const sum = table.lines.reduce((total, line) => total + micros(line.cost), 0n);
          expect(sum).toBe(micros(table.subtotal));
          expect(timesRatio(sum, table.groupRatio) + micros(table.remainder ?? "0")).toBe(micros(table.charged));
          expect(table.remainderKind).toBe("rounded");
        },
      ),
      { numRuns: 500 },
    );
  });

  test("a call that costs less than one unit says that it was rounded up", () => {
    const other = {
      model_ratio: 0.0375,
      completion_ratio: 4,
      cache_ratio: 1,
      group_ratio: 0.8,
      model_price: -1,
      usage: { inputTokens: 10, outputTokens: 4 },
    };
    expect(tableOf(rowOf(other, { quota: 1 }))).toMatchObject({
      subtotal: "0.000002",
      remainderKind: "rounded",
      charged: "0.000002",
    });
  });

  test("a charge that its ratios do not explain is never explained away", () => {
    const other = {
      model_ratio: 1,
      completion_ratio: 1,
      group_ratio: 1,
      model_price: -1,
      usage: { inputTokens: 100, outputTokens: 10 },
    };
    expect(tableOf(rowOf(other, { quota: 500 }))).toMatchObject({
      subtotal: "0.000220",
      remainder: "0.000780",
      remainderKind: "other",
      charged: "0.001000",
    });
  });

  test("rows without counts are read from their columns", () => {
    const other = {
      model_ratio: 1,
      completion_ratio: 2,
      cache_ratio: 0.5,
      cache_tokens: 40,
      group_ratio: 1,
      model_price: -1,
    };
    const { lines } = tableOf(rowOf(other, { prompt_tokens: 100, completion_tokens: 10, quota: 100 }));
    expect(lines.map(({ part, count }) => [part, count])).toEqual([
      ["input", 60],
      ["cacheRead", 40],
      ["output", 10],
    ]);
  });
});

test("a fixed price is one line whatever was used", () => {
  const other = { model_price: 0.01, model_ratio: 0, group_ratio: 0.8, usage: { inputTokens: 5, outputTokens: 7 } };
  expect(tableOf(rowOf(other, { quota: 4000 }))).toMatchObject({
    lines: [{ part: "call", count: 1, price: "0.01", cost: "0.010000" }],
    groupRatio: "0.8",
    remainder: undefined,
    charged: "0.008000",
    ratios: undefined,
  });
});

test("tools, the factor, the tier and the site's QuotaPerUnit of then are in the lines", () => {
  const other = {
    model_price: 0.04,
    model_ratio: 0,
    group_ratio: 0.5,
    call_factor: "2",
    quota_per_unit: 1000,
    web_search: true,
    web_search_call_count: 3,
    web_search_price: 27.5,
  };
  expect(tableOf(rowOf(other, { quota: 81 }))).toMatchObject({
    lines: [
      { part: "call", count: 1, price: "0.04", factor: "2", pricedBy: "call", cost: "0.080000" },
      { part: "web_search", count: 3, price: "27.5", pricedBy: "thousandCalls", cost: "0.082500" },
    ],
    subtotal: "0.162500",
    remainder: "-0.000250",
    remainderKind: "rounded",
    charged: "0.081000",
  });
});

test("surcharges are in the price of every token, and those of a later version show as a part not listed", () => {
  const other = {
    model_price: -1,
    model_ratio: 1.5,
    completion_ratio: 5,
    group_ratio: 1,
    usage: { inputTokens: 1000, outputTokens: 100 },
    premiums: [{ premium: "inference_geo_us", ratio: 1.1 }],
  };
  const table = tableOf(rowOf(other, { quota: 2475 }));
  expect(table).toMatchObject({
    lines: [
      { part: "input", price: "3.3", cost: "0.003300" },
      { part: "output", price: "16.5", cost: "0.001650" },
    ],
    surcharges: [{ surcharge: "inference_geo_us", ratio: "1.1" }],
    subtotal: "0.004950",
    remainder: undefined,
    ratios: [{ name: "ratio", ratio: "1.5" }, { name: "completionRatio" }],
  });
  const later = { ...other, premiums: [...other.premiums, { premium: "later", ratio: 2 }, { premium: 3 }] };
  expect(tableOf(rowOf(later, { quota: 4950 }))).toMatchObject({ remainder: "0.004950", remainderKind: "other" });
});

test("a tier that is cheaper halves the price of every token", () => {
  const other = {
    model_price: -1,
    model_ratio: 1.5,
    completion_ratio: 5,
    group_ratio: 1,
    usage: { inputTokens: 1000, outputTokens: 100 },
    premiums: [{ premium: "service_tier_flex", ratio: 0.5 }],
  };
  expect(tableOf(rowOf(other, { quota: 1125 }))).toMatchObject({
    lines: [
      { part: "input", price: "1.5", cost: "0.001500" },
      { part: "output", price: "7.5", cost: "0.000750" },
    ],
    surcharges: [{ surcharge: "service_tier_flex", ratio: "0.5" }],
    remainder: undefined,
  });
});

test("one tool at two prices and another tool have a line each, and come to the charge", () => {
  const other = {
    model_price: -1,
    model_ratio: 0,
    group_ratio: 0.8,
    web_search: true,
    web_search_call_count: 4,
    web_search_price: 15,
    file_search: true,
    file_search_call_count: 2,
    file_search_price: 2.5,
    tool_calls: [
      { tool: "web_search", count: 3, price: 10 },
      { tool: "web_search", count: 1, price: 30 },
      { tool: "file_search", count: 2, price: 2.5 },
      { tool: "a tool of a later version", count: 9, price: 9 },
      { tool: "web_search", count: "many", price: 9 },
    ],
  };
  const table = tableOf(rowOf(other, { quota: 26_000 }));
  expect(table.lines.map(({ part, count, price, cost }) => [part, count, price, cost])).toEqual([
    ["web_search", 3, "10", "0.030000"],
    ["web_search", 1, "30", "0.030000"],
    ["file_search", 2, "2.5", "0.005000"],
  ]);
  expect(table).toMatchObject({ subtotal: "0.065000", charged: "0.052000", remainder: undefined });
});

test.each(CHARGED_TOOLS)("%s has a line", (tool) => {
  const other = {
    model_price: -1,
    model_ratio: 0,
    group_ratio: 1,
    [tool]: true,
    [`${tool}_call_count`]: 2,
    [`${tool}_price`]: 30,
  };
  const table = tableOf(rowOf(other, { quota: 30_000 }));
  expect(table.lines.map(({ part, count, cost }) => [part, count, cost])).toEqual([[tool, 2, "0.060000"]]);
});

test("every part a call was priced by has a line, and its ratio stands below the table", () => {
  const other = {
    model_ratio: 1.25,
    completion_ratio: 6,
    cache_ratio: 0.1,
    cache_creation_ratio: 1.25,
    image_ratio: 2,
    audio_ratio: 16,
    audio_completion_ratio: 2,
    image_output_ratio: 100,
    group_ratio: 1,
    model_price: -1,
    tier_above: 200_000,
    usage: {
      inputTokens: 600,
      outputTokens: 300,
      cacheReadTokens: 100,
      cacheWriteTokens: 100,
      cacheWriteLongTokens: 100,
      imageInputTokens: 100,
      audioInputTokens: 100,
      audioOutputTokens: 100,
      imageOutputTokens: 100,
    },
  };
  const quota = Math.round((100 + 10 + 125 + 200 + 200 + 1600 + 600 + 3200 + 10_000) * 1.25);
  const table = tableOf(rowOf(other, { quota }));
  expect(table.lines.map(({ part, price }) => [part, price])).toEqual([
    ["input", "2.5"],
    ["cacheRead", "0.25"],
    ["cacheWrite", "3.125"],
    ["cacheWriteLong", "5"],
    ["audioInput", "40"],
    ["imageInput", "5"],
    ["output", "15"],
    ["audioOutput", "80"],
    ["imageOutput", "250"],
  ]);
  expect(table).toMatchObject({ remainderKind: "rounded", tierAbove: 200_000 });
  expect(table.ratios?.map(({ ratio }) => ratio)).toEqual(["1.25", "6", "0.1", "1.25", "2", "16", "2", "100"]);
});

test("a receipt without a price, or with one that is no number, has no table", () => {
  for (const other of [{}, { model_ratio: "a lot" }, { model_ratio: -1 }]) {
    const row = rowOf(other, { quota: 5, prompt_tokens: 1 });
    expect(priceTable(row, receiptOf(row), QUOTA_PER_UNIT)).toBeUndefined();
  }
});
