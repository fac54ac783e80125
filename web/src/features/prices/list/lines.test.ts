/** Dollars, percents, search and filters of the lines of a price list. */
import { expect, test } from "vitest";
import type { PriceFields } from "../../../../../contract/src/pricing/price-fields.ts";
import { countsOf, findLines, firstChosen, type Line, partChanges, percentOf } from "./lines.ts";

const price = (ratio: string, change: object = {}): PriceFields => ({
  kind: "per_token",
  ratio,
  completion_ratio: "4",
  cache_ratio: "0.5",
  cache_creation_ratio: "1",
  image_ratio: "1",
  audio_ratio: "1",
  audio_completion_ratio: "1",
  ...change,
});

const line = (id: string, change: Partial<Line> = {}): Line => ({
  provider: "openai",
  id,
  change: "changed",
  alters: ["price"],
  before: price("1"),
  after: price("1"),
  models: [],
  own: [],
  ...change,
});

const shown = (before: PriceFields | null, after: PriceFields | null) =>
  partChanges({ before, after }, "500000").map(({ part, above, before: was, after: is }) => [part, above, was, is]);

test("only parts whose dollars change are named, and a new price by input and output", () => {
  expect(shown(price("1.25"), price("1.25", { completion_ratio: "5" }))).toEqual([
    ["output", undefined, "10.00", "12.50"],
  ]);
  expect(shown(null, price("0.0375"))).toEqual([
    ["input", undefined, undefined, "0.075"],
    ["output", undefined, undefined, "0.30"],
  ]);
  expect(shown(price("1"), null).map(([part, , was, is]) => [part, was, is])).toEqual([
    ["input", "2.00", undefined],
    ["output", "8.00", undefined],
  ]);
  expect(shown(price("1"), price("1"))).toEqual([]);
});

test("another QuotaPerUnit is another dollar", () => {
  expect(partChanges({ before: null, after: price("1") }, "1000000")[0]?.after).toBe("1.00");
});

test("long contexts are compared bound by bound, with the price that held there before", () => {
  const tier = {
    above_input_tokens: 200_000,
    ratio: "2",
    completion_ratio: "3",
    cache_ratio: "0.5",
    cache_creation_ratio: "1",
  };
  expect(shown(price("1"), price("1", { tiers: [tier] }))).toEqual([
    ["input", 200_000, "2.00", "4.00"],
    ["output", 200_000, "8.00", "12.00"],
    ["cacheRead", 200_000, "1.00", "2.00"],
  ]);
});

test("percents", () => {
  const of = (before: string | undefined, after: string | undefined) => percentOf({ part: "input", before, after });
  expect([
    of("2.00", "2.40"),
    of("2.00", "1.00"),
    of("0.00", "1.00"),
    of(undefined, "1.00"),
    of("1.00", "1.00"),
  ]).toEqual(["+20%", "−50%", undefined, undefined, undefined]);
});

test("search, filters and counts; what is enabled here comes first, and what takes a price away is not ticked", () => {
  const lines = [
    line("a-new", { change: "added" }),
    line("gpt-4.1", { models: ["my-model"] }),
    line("gone", { change: "removed", models: ["gone"] }),
  ];
  const ids = (filter: Parameters<typeof findLines>[1], keyword = "") =>
    findLines(lines, filter, keyword).map(({ id }) => id);
  expect(ids("all")).toEqual(["gpt-4.1", "gone", "a-new"]);
  expect(ids("enabled")).toEqual(["gpt-4.1", "gone"]);
  expect(ids("all", "GPT 41")).toEqual(["gpt-4.1"]);
  expect(ids("all", "mymodel")).toEqual(["gpt-4.1"]);
  expect(ids("removed", "new")).toEqual([]);
  expect(countsOf(lines)).toEqual({ all: 3, enabled: 2, added: 1, changed: 1, removed: 1 });
  expect([...firstChosen(lines)]).toEqual(["openai/a-new", "openai/gpt-4.1"]);
});
