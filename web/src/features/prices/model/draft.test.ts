/** The price editor's texts: dollars and ratios become each other without loss, and what is wrong is said of the right field. */
import { expect, test } from "vitest";
import type { OwnPrice } from "../../../../../contract/src/pricing/own-prices.ts";
import type { ModelPrice, PerTokenPrice } from "../../../../../contract/src/pricing/pricing.ts";
import { draftOf, type DraftSource, droppedTiers, inUnit, keptTiers, type PriceDraft, readDraft } from "./draft.ts";
import { amountOf, exactUsd, usdShown } from "./units.ts";

const BASE: PerTokenPrice = {
  kind: "per_token",
  ratio: "1.25",
  completionRatio: "4",
  cacheRatio: "0.5",
  cacheCreationRatio: "1.25",
  imageRatio: "1",
  audioRatio: "16",
  audioCompletionRatio: "2",
};
const TIER = {
  aboveInputTokens: 200_000,
  ratio: "2.5",
  completionRatio: "3",
  cacheRatio: "0.5",
  cacheCreationRatio: "1.25",
};
const NOTHING: OwnPrice = { ratios: {}, tools: {} };

const source = (
  own: OwnPrice = NOTHING,
  base: ModelPrice | undefined = BASE,
  quotaPerUnit = "500000",
): DraftSource => ({
  own,
  base,
  quotaPerUnit,
});
const typed = (
  from: DraftSource,
  tokens: Partial<PriceDraft["tokens"]>,
  more: Partial<PriceDraft> = {},
): PriceDraft => {
  const draft = draftOf(from, "usd");
  return { ...draft, ...more, tokens: { ...draft.tokens, ...tokens } };
};

test.each([
  ["2.5", "2.5"],
  ["$ 2.50", "2.5"],
  [".075", "0.075"],
  ["3.", "3"],
  ["0", "0"],
  ["", undefined],
  ["-1", undefined],
  ["1,5", undefined],
  ["1e3", undefined],
  ["NaN", undefined],
  ["0x10", undefined],
  ["9".repeat(13), undefined],
])("%j is typed as %j", (text, amount) => {
  expect(amountOf(text)).toBe(amount);
});

test("dollars become half their number as a ratio, and multiples of the input, to the digit", () => {
  const { own, errors } = readDraft(
    typed(source(), { input: "3", output: "15", cacheRead: "0.3", audioInput: "30", audioOutput: "60" }),
    source(),
  );
  expect(errors).toEqual({});
  expect(own.ratios).toEqual({
    ModelRatio: "1.5",
    CompletionRatio: "5",
    CacheRatio: "0.1",
    AudioRatio: "10",
    AudioCompletionRatio: "2",
  });
});

test("an empty field says nothing of its own: what holds without it is a multiple of the new input price", () => {
  const { own, price } = readDraft(typed(source(), { input: "5" }), source());
  expect(own.ratios).toEqual({ ModelRatio: "2.5" });
  expect(price).toMatchObject({ ratio: "2.5", completionRatio: "4", audioRatio: "16" });
});

test("another QuotaPerUnit gives another ratio for the same dollars", () => {
  const { own } = readDraft(typed(source(NOTHING, BASE, "1000000"), { input: "3" }), source(NOTHING, BASE, "1000000"));
  expect(own.ratios).toEqual({ ModelRatio: "3" });
});

test("a price that no ratio can say exactly comes back as it was typed, and the exact charge is known", () => {
  const first = readDraft(typed(source(), { input: "3", output: "1" }), source());
  expect(first.own.ratios.CompletionRatio).toBe("0.333333333333");
  const again = source(first.own);
  expect(draftOf(again, "usd").tokens).toMatchObject({ input: "3", output: "1" });
  expect(exactUsd("0.333333333333", "1.5", "500000")).toBe("0.999999999999");
  expect(readDraft(draftOf(again, "usd"), again).own).toEqual(first.own);
});

test.each(["usd", "ratio"] as const)("what is opened in %s and saved without a change is what was stored", (unit) => {
  const own: OwnPrice = {
    ratios: { ModelRatio: "0.1000000000000000055", CompletionRatio: "3.7", CacheRatio: "0.333", AudioRatio: "7.77" },
    tiers: [{ above: "1000", ratio: "0.7", completion: "3.333333333333", cache: "0.1", cache_creation: "1.25" }],
    tools: { web_search: { low: "1", medium: "2", high: "3" }, google_maps: "9" },
  };
  const from = source(own);
  expect(readDraft(draftOf(from, unit), from)).toMatchObject({ own, errors: {} });
});

test("the other unit and back is where one was, and a wrong price is mended first", () => {
  const from = source();
  const draft = typed(from, { input: "0.3", output: "1", cacheWrite: "0.1" });
  const ratios = inUnit(draft, "ratio", from);
  expect(ratios?.tokens).toMatchObject({ input: "0.15", output: "3.333333333333", cacheWrite: "0.333333333333" });
  expect(ratios && inUnit(ratios, "usd", from)).toEqual(draft);
  expect(inUnit(typed(from, { input: "x" }), "ratio", from)).toBeUndefined();
});

test.each([
  [{ input: "x" }, { input: "number" }],
  [{ input: "0" }, { input: "zero" }],
  [{ input: "2000001" }, { input: "large" }],
  [{ output: "-1" }, { output: "number" }],
  [{ input: "0.000001", output: "999999" }, { output: "large" }],
])("%j is wrong as %j", (tokens, errors) => {
  expect(readDraft(typed(source(), tokens), source()).errors).toEqual(errors);
});

test("prices beside an unpriced or free input price are asked for or refused", () => {
  const none = { ...source(), base: undefined };
  expect(readDraft(typed(none, {}), none).errors).toEqual({ input: "inputMissing" });
  expect(readDraft(typed(none, { output: "3" }), none).errors).toEqual({ input: "inputMissing" });
  const free = source(NOTHING, { ...BASE, ratio: "0" });
  expect(readDraft(typed(free, { output: "3" }), free).errors).toEqual({ output: "inputFree" });
});

test("a fixed price wins, may not be 0, and does not change the token prices", () => {
  const own: OwnPrice = { ratios: { ModelRatio: "2", CompletionRatio: "3" }, tools: {} };
  const from = source(own);
  const read = readDraft(typed(from, { input: "nonsense" }, { kind: "call", call: "0.04" }), from);
  expect(read).toMatchObject({ errors: {}, price: { kind: "per_call", price: "0.04" } });
  expect(read.own.ratios).toEqual({ ModelRatio: "2", CompletionRatio: "3", ModelPrice: "0.04" });
  const back = source(read.own);
  expect(readDraft({ ...draftOf(back, "usd"), kind: "tokens" }, back).own).toEqual(own);
  expect(readDraft({ ...draftOf(from, "usd"), kind: "call", call: "0" }, from).errors).toEqual({ call: "zero" });
  expect(readDraft({ ...draftOf(from, "usd"), kind: "call" }, from).errors).toEqual({ call: "missing" });
});

test("an own input price drops the tiers of the list, which can be kept unchanged", () => {
  const from = source(NOTHING, { ...BASE, tiers: [TIER] });
  expect(droppedTiers(draftOf(from, "usd"), from.base)).toEqual([]);
  const draft = typed(from, { input: "3" });
  expect(droppedTiers(draft, from.base)).toEqual([TIER]);
  expect(readDraft(draft, from).price).not.toHaveProperty("tiers");
  const tiers = keptTiers(draft, from.base, from.quotaPerUnit);
  expect(tiers).toMatchObject([{ above: "200000", input: "5", output: "15", cacheRead: "2.5", cacheWrite: "6.25" }]);
  const kept = { ...draft, tiers };
  expect(droppedTiers(kept, from.base)).toEqual([]);
  expect(readDraft(kept, from).price).toMatchObject({ ratio: "1.5", tiers: [TIER] });
});

test("tiers without a number, a bound, or a bound of their own say so in their row", () => {
  const row = { id: 1000, above: "100", input: "1", output: "2", cacheRead: "1", cacheWrite: "1" };
  const tiers = [row, { ...row, id: 1001 }, { ...row, id: 1002, above: "1.5", input: "", output: "x" }];
  expect(readDraft(typed(source(), {}, { tiers }), source()).errors).toEqual({
    "tiers.1.above": "boundTwice",
    "tiers.2.above": "bound",
    "tiers.2.input": "missing",
    "tiers.2.output": "number",
  });
});

test("a price of searches is one number, and one by size stays until another is typed", () => {
  const own: OwnPrice = { ratios: {}, tools: { web_search: { low: "1", medium: "2", high: "3" } } };
  const from = source(own);
  const draft = draftOf(from, "usd");
  expect(readDraft(draft, from).own).toEqual(own);
  expect(readDraft({ ...draft, tools: { web_search: "8", file_search: "0" } }, from).own.tools).toEqual({
    web_search: "8",
    file_search: "0",
  });
});

test("the shortest dollars that give the same ratio are shown", () => {
  expect(usdShown("0.333333333333", "1.5", "500000")).toBe("1");
  expect(usdShown("0.1234567891", undefined, "500000")).toBe("0.2469135782");
});
