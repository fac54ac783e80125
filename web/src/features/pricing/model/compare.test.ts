/** Tests of comparing: models sorted by a number, those without it last; at most four names, each once, and a mark at the lowest number only where the numbers differ. */
import { expect, test } from "vitest";
import { comparedNames, comparedText, lowestOf, sortRows } from "./compare.ts";
import { priceRows } from "./price-list.ts";

test("at most four names of the address are compared, each once", () => {
  expect(comparedNames("a,b,a,,meta/llama,d,e")).toEqual(["a", "b", "meta/llama", "d"]);
  expect([comparedNames(undefined), comparedNames(",")]).toEqual([[], []]);
  expect([comparedText(["a", "b"]), comparedText([])]).toEqual(["a,b", undefined]);
});

test.each([
  [[2, 1, 3], [1]],
  [
    [2, undefined, 2, 5],
    [0, 2],
  ],
  [[2, 2], []],
  [[2, undefined], []],
  [[], []],
])("of %j the lowest are at %j", (values, places) => {
  expect([...lowestOf(values)]).toEqual(places);
});

const entry = (model_name: string, model_ratio: number, context_length?: number) => ({
  model_name,
  quota_type: model_ratio === 0 ? 1 : 0,
  model_ratio,
  model_price: 1,
  completion_ratio: 4,
  cache_ratio: 1,
  cache_creation_ratio: 1,
  create_cache_ratio: 1,
  owner_by: "",
  supported_endpoint_types: [],
  enable_groups: ["default"],
  has_price: true,
  kind: "chat" as const,
  ...(context_length === undefined ? {} : { context_length }),
});
const VIEW = { group: "default", groupRatio: 1, quotaPerUnit: 500_000, chargesUnpriced: false };
const ROWS = priceRows(
  [entry("a", 10, 8_000), entry("b", 9.5), entry("c", 100, 200_000), entry("call", 0, 9_000)],
  VIEW,
  true,
  {
    b: 900,
    c: 1_000,
  },
);

test.each([
  ["input", false, ["b", "a", "c", "call"]],
  ["output", true, ["c", "a", "b", "call"]],
  ["context", true, ["c", "call", "a", "b"]],
  ["firstToken", false, ["b", "c", "a", "call"]],
  ["firstToken", true, ["c", "b", "a", "call"]],
  ["toString", true, ["a", "b", "c", "call"]],
])("by %s, descending %s: models without the number last", (by, isDescending, names) => {
  expect(sortRows(ROWS, by, isDescending).map(({ name }) => name)).toEqual(names);
});
