/** Tests of the difference between price lists: applying it to one list gives exactly the other's prices. */
import { expect, test } from "vitest";
import { createLogger } from "../observe/logger.ts";
import { parseOptions } from "../../../contract/src/options/options.ts";
import { listedPrice } from "./data-set.ts";
import { createPrices, factsOf } from "./lookup.ts";
import { listDifferences, rulesOf, withChanges } from "./list-difference.ts";
import type { ListedRule, PriceList } from "./listed-models.ts";
import { NO_TABLES, parsePriceTables, resolvePrice } from "./prices.ts";
import { shippedList } from "./shipped-list.ts";

const rule = (id: string, usd: number, change: Partial<ListedRule> = {}): ListedRule => ({
  id,
  match: { starts_with: id },
  prices: { input_mtok: usd, output_mtok: usd * 4 },
  ...change,
});

const listOf = (providers: Readonly<Record<string, readonly ListedRule[]>>): PriceList => ({
  providers: new Map(Object.entries(providers).map(([id, rules]) => [id, { besides: [], rules }])),
});

const between = (old: PriceList, now: PriceList) => listDifferences(rulesOf(old), rulesOf(now));

test("added, changed and removed rules, and what about a rule is other", () => {
  const old = listOf({ openai: [rule("a", 1), rule("b", 2), rule("c", 3), rule("d", 4), rule("e", 5)] });
  const now = listOf({
    openai: [
      rule("a", 1),
      rule("b", 2.5),
      rule("c", 3, { match: { equals: "c" } }),
      rule("d", 4, { context_window: 8_000 }),
      rule("n", 9),
    ],
  });
  expect(
    between(old, now).map(({ id, change, alters, was, is }) => [id, change, alters, was?.ratio, is?.ratio]),
  ).toEqual([
    ["b", "changed", ["price"], "1", "1.25"],
    ["c", "changed", ["names"], "1.5", "1.5"],
    ["d", "changed", ["context"], "2", "2"],
    ["n", "added", ["price"], undefined, "4.5"],
    ["e", "removed", ["price"], "2.5", undefined],
  ]);
});

test("providers that a list does not have at all, and those not used here, change nothing", () => {
  const old = listOf({ openai: [rule("a", 1)], mistral: [rule("m", 1)] });
  expect(between(old, listOf({ openai: [rule("a", 1)], nobody: [rule("x", 1)] }))).toEqual([]);
});

test("the differences of two lists, accepted, are the other list: names, order and prices", () => {
  const old = listOf({ openai: [rule("gpt-5-mini", 1), rule("gpt-5", 2), rule("old", 3)] });
  const now = listOf({
    openai: [
      rule("gpt-5-mini-x", 4),
      rule("gpt-5-mini", 1.5),
      rule("gpt-5-nano", 5),
      rule("gpt-5-pro", 6),
      rule("gpt-5", 2),
    ],
  });
  const made = withChanges(old, between(old, now));
  expect(made).toEqual(now);
  // The first that fits counts: new names stand before the shorter one that would fit them too.
  expect(listedPrice(made, "gpt-5-nano")?.ratio).toBe("2.5");
  expect(between(made, now)).toEqual([]);
});

test("only some lines accepted: the others stay as they were", () => {
  const old = listOf({ openai: [rule("gpt-5", 2), rule("o3", 1)] });
  const now = listOf({ openai: [rule("gpt-5-mini", 1), rule("gpt-5", 3)] });
  const added = between(old, now).filter(({ change }) => change === "added");
  const made = withChanges(old, added);
  expect(["gpt-5", "gpt-5-mini", "o3"].map((name) => listedPrice(made, name)?.ratio)).toEqual(["1", "0.5", "0.5"]);
});

test("the shipped list does not differ from itself", () => {
  expect(between(shippedList(), shippedList())).toEqual([]);
});

test("what the list knows of a model besides: its maker, the context, and what is priced apart from text", () => {
  const facts = (name: string) => factsOf(shippedList(), name);
  expect(facts("gpt-4o")).toEqual({ vendor: "OpenAI", context_length: 128_000 });
  expect(facts("gpt-image-1")).toMatchObject({ vendor: "OpenAI", input_modalities: ["text", "image"] });
  // Its pictures are priced as plain output: that it answers with text would be wrong.
  expect(facts("gpt-image-1")).not.toHaveProperty("output_modalities");
  expect(facts("gemini-2.5-flash-image")).toMatchObject({ output_modalities: expect.arrayContaining(["image"]) });
  expect(facts("nobody-knows-this")).toEqual({});
});

test("accepted lines are in force, over them the operator's own price, and nothing of the list before is remembered", () => {
  const prices = createPrices("set", createLogger({ level: "silent" }));
  const none = parseOptions(new Map());
  const lines = (usd: number) =>
    JSON.stringify([{ provider: "openai", id: "gpt-4o", before: null, rule: rule("gpt-4o", usd) }]);
  const shipped = prices(none, []);
  expect([shipped.listName, resolvePrice("gpt-4o", NO_TABLES)]).toMatchObject(["set", { ratio: "1.25" }]);
  const accepted = prices(none, [{ id: 3, lines: lines(7) }]);
  expect(accepted.listName).toBe("set, accepted 3");
  expect(accepted.priceOf("gpt-4o")).toMatchObject({ ratio: "3.5" });
  expect(accepted.priceOf("gpt-4o-high")).toMatchObject({ ratio: "3.5" });
  expect(resolvePrice("gpt-4o", NO_TABLES)).toMatchObject({ ratio: "3.5" });
  expect(resolvePrice("gpt-4o", parsePriceTables({}))).toMatchObject({ ratio: "3.5" });
  const own = prices(parseOptions(new Map([["ModelRatio", '{"gpt-4o": 9}']])), [{ id: 3, lines: lines(7) }]);
  expect(own.list).toBe(accepted.list);
  expect([own.priceOf("gpt-4o"), own.listPriceOf("gpt-4o")]).toMatchObject([{ ratio: "9" }, { ratio: "3.5" }]);
  const later = prices(none, [
    { id: 3, lines: lines(7) },
    { id: 5, lines: lines(8) },
  ]);
  expect([later.listName, later.priceOf("gpt-4o")]).toMatchObject(["set, accepted 3+5", { ratio: "4" }]);
  expect(prices(none, [{ id: 5, lines: "broken" }]).priceOf("gpt-4o")).toMatchObject({ ratio: "1.25" });
  expect(prices(none, []).priceOf("gpt-4o")).toMatchObject({ ratio: "1.25" });
  expect(resolvePrice("gpt-4o", NO_TABLES)).toMatchObject({ ratio: "1.25" });
});
