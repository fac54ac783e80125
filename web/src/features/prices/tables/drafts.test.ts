/** Tests of drafts of tables: they remember their base, and the difference shows the prices that change of themselves. */
import { expect, test } from "vitest";
import type { OptionRow } from "../../../../../contract/src/features/options.ts";
import type { PriceFields } from "../../../../../contract/src/pricing/price-fields.ts";
import { priceChanges } from "./difference.ts";
import { countEntries, isOvertaken, rebased, sentOf, textOf, without, withText } from "./drafts.ts";

const rowsAt = (value: string, revision: number) => {
  const row: OptionRow = { key: "ModelRatio", value, is_set: true, updated_time: 0, updated_by: "root", revision };
  return new Map([["ModelRatio", row]]);
};

test("a text is a draft only while it differs from what is stored, and keeps the revision it began with", () => {
  const rows = rowsAt("{}", 3);
  const begun = withText(rows, {}, "ModelRatio", '{"a": 1}');
  const later = rowsAt('{"b": 1}', 4);
  const typed = withText(later, begun, "ModelRatio", '{"a": 2}');
  expect(sentOf(typed)).toEqual([{ key: "ModelRatio", value: '{"a": 2}', revision: 3 }]);
  expect([isOvertaken(rows, begun, "ModelRatio"), isOvertaken(later, typed, "ModelRatio")]).toEqual([false, true]);
  expect(sentOf(rebased(later, typed, "ModelRatio"))[0]?.revision).toBe(4);
  expect(withText(rows, begun, "ModelRatio", "{}")).toEqual({});
  expect(textOf(later, without(typed, "ModelRatio"), "ModelRatio")).toBe('{"b": 1}');
});

test("entries are counted while the text is a JSON object", () => {
  expect(['{"a": 1, "b": {"c": 2}}', "{}", "[1]", "{", "delivered"].map(countEntries)).toEqual([
    2,
    0,
    undefined,
    undefined,
    undefined,
  ]);
});

const price = (ratio: string, more: object = {}): PriceFields => ({
  kind: "per_token",
  ratio,
  completion_ratio: "4",
  cache_ratio: "0.5",
  cache_creation_ratio: "1.25",
  image_ratio: "1",
  audio_ratio: "1",
  audio_completion_ratio: "1",
  ...more,
});

test("parts that follow the input are listed only where their own ratio changes", () => {
  expect(priceChanges(price("1"), price("2"), 500_000)).toEqual([
    { part: "input", from: "2", to: "4" },
    { part: "output", from: "8", to: "16" },
  ]);
  expect(priceChanges(price("1"), price("1", { cache_ratio: "0.1" }), 500_000)).toEqual([
    { part: "cacheRead", from: "1", to: "0.2" },
  ]);
});

test("a price of a call, no price at all, and prices of long contexts", () => {
  expect(priceChanges(null, { kind: "per_call", price: "0.04" }, 500_000)).toEqual([
    { part: "call", from: undefined, to: "0.04" },
  ]);
  expect(priceChanges(price("1"), null, 500_000).map(({ part }) => part)).toEqual(["input", "output"]);
  const tier = {
    above_input_tokens: 1000,
    ratio: "2",
    completion_ratio: "4",
    cache_ratio: "1",
    cache_creation_ratio: "1",
  };
  expect(priceChanges(price("1"), price("1", { tiers: [tier] }), 500_000)).toEqual([
    { part: "tiers", from: undefined, to: "1" },
  ]);
});
