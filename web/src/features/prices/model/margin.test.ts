/** Tests of the margin beside a selling price: of the cheapest and the dearest channel, a loss, and nothing for unknown costs. */
import { expect, test } from "vitest";
import type { PriceRow } from "../../../../../contract/src/features/prices.ts";
import { DEFAULT_RATIOS } from "../../../../../contract/src/pricing/pricing.ts";
import { toPriceFields } from "../../../../../contract/src/pricing/price-fields.ts";
import { marginOf } from "./margin.ts";

const tokens = (ratio: string) => toPriceFields({ kind: "per_token", ...DEFAULT_RATIOS, completionRatio: "4", ratio });
const cost = (channel: number, price: PriceRow["price"]) => ({
  channel,
  channel_name: `lane ${channel}`,
  price: price ?? tokens("1"),
});
const row = (price: PriceRow["price"], costs: PriceRow["costs"]): PriceRow => ({
  model: "m",
  is_enabled: true,
  origin: "own",
  price,
  list_price: null,
  own: { ratios: {}, tools: {} },
  tools: { web_search: "0", file_search: "0", image_generation: "0", code_interpreter: "0", google_maps: "0" },
  surcharges: {},
  costs,
});

test("goes from the dearest channel's to the cheapest one's", () => {
  const costs = { min: cost(1, tokens("1")), max: cost(2, tokens("2.5")), known: 2, channels: 3 };
  expect(marginOf(row(tokens("2"), costs), "500000")).toEqual({
    worst: -25,
    best: 50,
    costs: [
      { channel: "lane 1", input: "2", output: "8" },
      { channel: "lane 2", input: "5", output: "20" },
    ],
  });
});

test("of one channel it is one, at fixed prices too", () => {
  const only = cost(1, { kind: "per_call", price: "0.03" });
  const priced = row({ kind: "per_call", price: "0.04" }, { min: only, max: only, known: 1, channels: 1 });
  expect(marginOf(priced, "500000")).toEqual({ worst: 25, best: 25, costs: [{ channel: "lane 1", request: "0.03" }] });
});

test("is unknown without a price, a cost, or anything that is charged", () => {
  const only = cost(1, tokens("1"));
  const costs = { min: only, max: only, known: 1, channels: 1 };
  for (const each of [row(null, costs), row(tokens("1"), null), row(tokens("0"), costs)])
    expect(marginOf(each, "500000")).toBeUndefined();
});
