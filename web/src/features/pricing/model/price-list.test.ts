/** Shown prices times a receipt's usage are the charge; order and search are as people expect them. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { PricingEntry } from "../../../../../contract/src/features/pricing.ts";
import { parseDecimal, roundHalfAway } from "../../../../../contract/src/money.ts";
import { decimalTextOf, priceOfEntry } from "../../../../../contract/src/pricing/price-display.ts";
import { chargeQuota, type Part, PARTS } from "../../../../../contract/src/pricing/pricing.ts";
import { NO_USAGE } from "../../../../../contract/src/pricing/usage.ts";
import {
  compareRows,
  countBy,
  filterRows,
  isMatch,
  padDecimals,
  priceRows,
  type PriceView,
  shownPrice,
  tiersOfEntry,
  usdOfPart,
  withoutZeros,
} from "./price-list.ts";

const ENTRY: PricingEntry = {
  model_name: "gpt-5",
  quota_type: 0,
  model_ratio: 0.625,
  model_price: 0,
  completion_ratio: 8,
  cache_ratio: 0.1,
  cache_creation_ratio: 1.25,
  image_ratio: 1,
  audio_ratio: 20,
  audio_completion_ratio: 2,
  owner_by: "",
  create_cache_ratio: 1,
  supported_endpoint_types: [],
  enable_groups: ["default", "vip"],
  has_price: true,
  kind: "chat",
};
const VIEW: PriceView = { group: "vip", groupRatio: 0.8, quotaPerUnit: 500_000, chargesUnpriced: false };
const entry = (model_name: string, change: Partial<PricingEntry> = {}): PricingEntry => ({
  ...ENTRY,
  model_name,
  ...change,
});

test("dollars for 1M tokens are 2 × model ratio × group ratio, and the completion and cache ratios of that", () => {
  expect(shownPrice(ENTRY, VIEW)).toEqual({
    kind: "tokens",
    input: "1.00",
    cacheRead: "0.100",
    cacheWrite: "1.25",
    output: "8.00",
  });
  expect(shownPrice(ENTRY, { ...VIEW, groupRatio: 1 })).toMatchObject({
    input: "1.25",
    cacheRead: "0.125",
    output: "10.00",
  });
  expect(shownPrice(entry("m", { quota_type: 1, model_price: 0.05 }), VIEW)).toEqual({ kind: "call", call: "0.040" });
});

test("a longer context has dollars of its own, and they are what a call of that length is charged", () => {
  const tier = { model_ratio: 1.25, completion_ratio: 6, cache_ratio: 0.1, cache_creation_ratio: 1.25 };
  const model = entry("m", { tiers: [{ above_input_tokens: 200_000, ...tier }] });
  const [long] = tiersOfEntry(model);
  expect(long?.above).toBe(200_000);
  expect(long && shownPrice(long.entry, VIEW)).toMatchObject({ input: "2.00", cacheRead: "0.200", output: "12.00" });
  expect(shownPrice(model, VIEW)).toMatchObject({ input: "1.00", output: "8.00" });
  const usage = { ...NO_USAGE, inputTokens: 300_000, outputTokens: 1000 };
  // 300,000 / 1M × $2.00 + 1,000 / 1M × $12.00 = $0.612
  expect(chargeQuota(usage, priceOfEntry(model), "0.8", "500000")).toBe(306_000);
  expect(tiersOfEntry(ENTRY)).toEqual([]);
});

test("an unpriced model has no price, except where the site charges it all the same", () => {
  const unpriced = entry("m", { has_price: false, model_ratio: 37.5, completion_ratio: 1, cache_ratio: 1 });
  expect(shownPrice(unpriced, VIEW)).toEqual({ kind: "none" });
  expect(shownPrice(unpriced, { ...VIEW, chargesUnpriced: true })).toMatchObject({ kind: "tokens", input: "60.00" });
});

const ratio = fc.integer({ min: 0, max: 50_000 }).map((thousandths) => thousandths / 1000);
const counts = fc.array(fc.integer({ min: 0, max: 300_000 }), { minLength: PARTS.length, maxLength: PARTS.length });
/** Digits enough for the product of five ratios of three decimals. */
const EXACT = 40;

test("price shown × tokens, part by part, is the charge of the receipt", () => {
  fc.assert(
    fc.property(
      ratio,
      ratio,
      ratio,
      ratio,
      ratio,
      ratio,
      counts,
      (model_ratio, completion_ratio, cache_ratio, cache_creation_ratio, image_ratio, groupRatio, tokens) => {
        const model = entry("m", { model_ratio, completion_ratio, cache_ratio, cache_creation_ratio, image_ratio });
        // Prices times tokens over a million dollars, times the quota of a dollar: whole numbers of 10^-40 all the way.
        const scaled = PARTS.reduce((sum, part, index) => {
          const { numerator, denominator } = parseDecimal(
            usdOfPart(model, part, { ...VIEW, groupRatio }, EXACT) ?? "0",
          );
          return sum + (numerator * 10n ** BigInt(EXACT) * BigInt(tokens[index] ?? 0)) / denominator;
        }, 0n);
        const exact = { numerator: scaled * 500_000n, denominator: 10n ** BigInt(EXACT) * 1_000_000n };
        const rounded = Number(roundHalfAway(exact));
        const expected = scaled === 0n ? 0 : Math.max(1, rounded);
        const of = Object.fromEntries(PARTS.map((part, index) => [part, tokens[index] ?? 0])) as Record<Part, number>;
        const usage = {
          ...NO_USAGE,
          inputTokens: of.input + of.cacheRead + of.cacheWrite + of.cacheWriteLong + of.audioInput + of.imageInput,
          outputTokens: of.output + of.audioOutput + of.imageOutput,
          cacheReadTokens: of.cacheRead,
          cacheWriteTokens: of.cacheWrite,
          cacheWriteLongTokens: of.cacheWriteLong,
          audioInputTokens: of.audioInput,
          imageInputTokens: of.imageInput,
          audioOutputTokens: of.audioOutput,
          imageOutputTokens: of.imageOutput,
        };
        expect(chargeQuota(usage, priceOfEntry(model), decimalTextOf(groupRatio), "500000")).toBe(expected);
      },
    ),
    { numRuns: 300 },
  );
});

test("by usage first, then gpt, then the alphabet; what the group cannot use stands last", () => {
  const list = [
    entry("suno", { quota_type: 1 }),
    entry("claude-3"),
    entry("gpt-4", { enable_groups: ["default"] }),
    entry("gpt-10"),
    entry("gpt-9"),
    entry("abc"),
  ];
  const names = (isAvailableFirst: boolean) => priceRows(list, VIEW, isAvailableFirst).map((row) => row.name);
  expect(names(true)).toEqual(["gpt-9", "gpt-10", "abc", "claude-3", "suno", "gpt-4"]);
  expect(names(false)).toEqual(["gpt-4", "gpt-9", "gpt-10", "abc", "claude-3", "suno"]);
  const rows = priceRows(list, VIEW);
  for (const row of rows) expect(compareRows(row, row)).toBe(0);
});

test.each([
  ["gpt-4o-mini", "GPT4O", true],
  ["gpt-4o-mini", "mini gpt", true],
  ["claude-sonnet-4-5", "sonnet45", true],
  ["claude-sonnet-4-5", "claude sonet", true],
  ["claude-sonnet-4-5", "ｃｌａｕｄｅ", true],
  ["meta/llama-3.1-70b", "llama31", true],
  ["gpt-4o-mini", "claude", false],
  ["gpt-4o-mini", "gi", false],
  ["anything", "", true],
])("%s, searched for %s: %s", (name, text, isFound) => {
  expect(isMatch(name, text)).toBe(isFound);
});

test("filters meet: kind of billing, vendor, kind of model and name", () => {
  const rows = priceRows(
    [entry("gpt-5"), entry("gpt-image", { quota_type: 1, kind: "image" }), entry("claude-3")],
    VIEW,
  );
  const vendorOf = ({ model_name }: PricingEntry): string => (model_name.startsWith("gpt") ? "OpenAI" : "Anthropic");
  const left = (change: object) =>
    filterRows(rows, { keyword: "", billing: undefined, vendors: [], kinds: [], ...change }, vendorOf).map(
      ({ name }) => name,
    );
  expect(left({})).toHaveLength(3);
  expect(left({ billing: 1 })).toEqual(["gpt-image"]);
  expect(left({ kinds: ["image", "audio"] })).toEqual(["gpt-image"]);
  expect(left({ vendors: ["OpenAI"], billing: 0 })).toEqual(["gpt-5"]);
  expect(left({ keyword: "claud", vendors: ["OpenAI"] })).toEqual([]);
  const reading = priceRows(
    [entry("eyes", { input_modalities: ["text", "image"] }), entry("text"), entry("away", { enable_groups: [] })],
    VIEW,
  );
  const none = { keyword: "", billing: undefined, vendors: [], kinds: [] };
  const found = (change: object) => filterRows(reading, { ...none, ...change }, vendorOf).map(({ name }) => name);
  expect([found({ takes: ["image", "audio"] }), found({ takes: ["audio"] })]).toEqual([["eyes"], []]);
  expect(found({ isUsableOnly: true })).toEqual(["eyes", "text"]);
});

test("counts come most first; decimals are filled, never cut", () => {
  expect(countBy(["b", "a", "b", "c"])).toEqual([
    { value: "b", count: 2 },
    { value: "a", count: 1 },
    { value: "c", count: 1 },
  ]);
  expect([padDecimals("1", 2), padDecimals("0.0125", 2), padDecimals("0.4", 3)]).toEqual(["1.00", "0.0125", "0.400"]);
});

test("a card shows cents, and further decimals only where they say something", () => {
  expect(["0.500", "2.500", "0.0370", "10.00", "0.075"].map(withoutZeros)).toEqual([
    "0.50",
    "2.50",
    "0.037",
    "10.00",
    "0.075",
  ]);
});
