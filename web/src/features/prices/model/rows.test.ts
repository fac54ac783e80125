/** The table's rows and bulk changes: search, filters, order, patterns, and what multiplying or setting makes of each price. */
import { expect, test } from "vitest";
import type { PriceRow } from "../../../../../contract/src/features/prices.ts";
import { NO_OWN_PRICE } from "../../../../../contract/src/pricing/own-prices.ts";
import type { PriceFields } from "../../../../../contract/src/pricing/price-fields.ts";
import { backToList, type BulkAct, bulkErrors, bulkPlan, rowsOfPattern } from "./bulk.ts";
import { filtered, pageOf, searched, sorted } from "./rows.ts";

const tokens = (ratio: string, more: Partial<Extract<PriceFields, { kind: "per_token" }>> = {}): PriceFields => ({
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
const call = (price: string): PriceFields => ({ kind: "per_call", price });

const row = (model: string, price: PriceFields | null, more: Partial<PriceRow> = {}): PriceRow => ({
  model,
  is_enabled: true,
  origin: price === null ? "none" : "list",
  price,
  list_price: price,
  own: NO_OWN_PRICE,
  tools: { web_search: "10", file_search: "2.5", image_generation: "63", code_interpreter: "30", google_maps: "14" },
  surcharges: {},
  costs: null,
  ...more,
});
const TIER = {
  above_input_tokens: 200_000,
  ratio: "2.5",
  completion_ratio: "3",
  cache_ratio: "0.5",
  cache_creation_ratio: "1.25",
};

const ROWS = [
  row("gpt-4o", tokens("1.25")),
  row("GPT-4o-mini", tokens("0.075"), { origin: "own", own: { ratios: { ModelRatio: "0.075" }, tools: {} } }),
  row("dall-e-3", call("0.04")),
  row("house-model", null),
  row("gone", tokens("3"), {
    is_enabled: false,
    origin: "own",
    list_price: tokens("2"),
    own: { ratios: { ModelRatio: "3" }, tools: {} },
  }),
];
const names = (rows: readonly PriceRow[]) => rows.map(({ model }) => model);

test("a search finds every word, in any order and spelling", () => {
  expect(names(searched(ROWS, "  Mini gpt "))).toEqual(["GPT-4o-mini"]);
  expect(names(searched(ROWS, "ＧＰＴ"))).toEqual(["gpt-4o", "GPT-4o-mini"]);
  expect(searched(ROWS, undefined)).toBe(ROWS);
});

test("filters leave what has all they ask for", () => {
  expect(names(filtered(ROWS, { origin: "own" }))).toEqual(["GPT-4o-mini", "gone"]);
  expect(names(filtered(ROWS, { differs: "yes" }))).toEqual(["gone"]);
  expect(names(filtered(ROWS, { origin: "own", enabled: "yes" }))).toEqual(["GPT-4o-mini"]);
  expect(names(filtered(ROWS, { enabled: "no" }))).toEqual(["gone"]);
  expect(names(filtered(ROWS, { origin: "none" }))).toEqual(["house-model"]);
});

test("rows are ordered by name or price, those without such a price last", () => {
  expect(names(sorted(ROWS, undefined, "500000"))).toEqual([
    "dall-e-3",
    "gone",
    "gpt-4o",
    "GPT-4o-mini",
    "house-model",
  ]);
  const by = (isDescending: boolean) => names(sorted(ROWS, { by: "input", isDescending }, "500000"));
  expect(by(false)).toEqual(["GPT-4o-mini", "gpt-4o", "gone", "dall-e-3", "house-model"]);
  expect(by(true)).toEqual(["gone", "gpt-4o", "GPT-4o-mini", "dall-e-3", "house-model"]);
  expect(pageOf(ROWS, 2, 2)).toEqual(ROWS.slice(2, 4));
});

test("a pattern names models whatever their letters, several patterns name all of theirs", () => {
  expect(names(rowsOfPattern(ROWS, "gpt-4o*"))).toEqual(["gpt-4o", "GPT-4o-mini"]);
  expect(names(rowsOfPattern(ROWS, "gpt-4o, *-model"))).toEqual(["gpt-4o", "house-model"]);
  expect(rowsOfPattern(ROWS, "  ")).toEqual([]);
});

test("multiplying keeps the shape of each price: multiples stay, tiers grow with it, fixed prices too", () => {
  const tiered = row("tiered", tokens("1.25", { tiers: [TIER] }));
  const plan = bulkPlan([...ROWS, tiered], { kind: "multiply", factor: "1.2" }, "500000");
  expect(plan.unpriced).toEqual(["house-model"]);
  expect(plan.lines.map(({ change }) => [change.model, change.to])).toEqual([
    ["gpt-4o", { ratios: { ModelRatio: "1.5" }, tools: {} }],
    ["GPT-4o-mini", { ratios: { ModelRatio: "0.09" }, tools: {} }],
    ["dall-e-3", { ratios: { ModelPrice: "0.048" }, tools: {} }],
    ["gone", { ratios: { ModelRatio: "3.6" }, tools: {} }],
    [
      "tiered",
      {
        ratios: { ModelRatio: "1.5" },
        tiers: [{ above: "200000", ratio: "3", completion: "3", cache: "0.5", cache_creation: "1.25" }],
        tools: {},
      },
    ],
  ]);
  expect(plan.lines.at(-1)?.after).toMatchObject({ ratio: "1.5", tiers: [{ ratio: "3", completionRatio: "3" }] });
});

test("setting writes the same price for all, and what has it already stays", () => {
  const plan = bulkPlan(ROWS, { kind: "tokens", input: "0.15", output: "0.6" }, "500000");
  expect(plan.lines.map(({ change }) => change.to.ratios)).toEqual(
    ROWS.map(() => ({ ModelRatio: "0.075", CompletionRatio: "4" })),
  );
  const same = bulkPlan(ROWS.slice(1, 2), { kind: "tokens", input: "0.15", output: "" }, "500000");
  expect(same).toMatchObject({ lines: [], unchanged: 1 });
  const fixed = bulkPlan(ROWS.slice(0, 1), { kind: "call", call: "0.5" }, "500000");
  expect(fixed.lines[0]).toMatchObject({ after: { kind: "per_call", price: "0.5" } });
});

test.each<[BulkAct, object]>([
  [{ kind: "multiply", factor: "" }, { factor: "missing" }],
  [{ kind: "multiply", factor: "0" }, { factor: "zero" }],
  [{ kind: "multiply", factor: "x1.2" }, { factor: "number" }],
  [
    { kind: "tokens", input: "0", output: "abc" },
    { input: "zero", output: "number" },
  ],
  [{ kind: "tokens", input: "1", output: "" }, {}],
  [{ kind: "call", call: "0.00" }, { call: "zero" }],
])("%j is wrong as %j", (act, errors) => {
  expect(bulkErrors(act)).toEqual(errors);
});

test("back to the list takes away what is the operator's own, and nothing else", () => {
  expect(backToList(ROWS)).toEqual([
    { model: "GPT-4o-mini", from: { ratios: { ModelRatio: "0.075" }, tools: {} }, to: NO_OWN_PRICE },
    { model: "gone", from: { ratios: { ModelRatio: "3" }, tools: {} }, to: NO_OWN_PRICE },
  ]);
});
