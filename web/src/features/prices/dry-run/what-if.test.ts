/** Rules of operators as drafts of the server: which models they reach, and what their own entries become. */
import { expect, test } from "vitest";
import type { PriceRow } from "../../../../../contract/src/features/prices.ts";
import { draftOf, groupRatiosOf, matching, problemOf, type Rule } from "./what-if.ts";

const tools = { web_search: "7.5" };
const LISTED: PriceRow = {
  model: "gpt-4o",
  is_enabled: true,
  origin: "list",
  price: {
    kind: "per_token",
    ratio: "1.25",
    completion_ratio: "4",
    cache_ratio: "0.5",
    cache_creation_ratio: "1.25",
    image_ratio: "1",
    audio_ratio: "16",
    audio_completion_ratio: "2",
    tiers: [
      { above_input_tokens: 1000, ratio: "2e-1", completion_ratio: "3", cache_ratio: "1", cache_creation_ratio: "1" },
    ],
  },
  list_price: null,
  own: { ratios: {}, tools: {} },
  tools: { web_search: "10", file_search: "0", image_generation: "0", code_interpreter: "0", google_maps: "0" },
  surcharges: {},
  costs: null,
};
const FIXED: PriceRow = {
  ...LISTED,
  model: "dall-e-3",
  origin: "own",
  price: { kind: "per_call", price: "0.04" },
  own: { ratios: { ModelPrice: "0.04" }, tools },
};
const UNPRICED: PriceRow = { ...LISTED, model: "gpt-unknown", origin: "none", price: null };
const PRICES = { rows: [LISTED, FIXED, UNPRICED], groupRatios: { default: "1", vip: "0.50" } };

const rule = (kind: Rule["kind"], target: string, value: string): Rule => ({ id: 1, kind, target, value });

test("a factor scales the prompt's ratio in every tier and writes the rest out, so that nothing of the list is lost", () => {
  expect(draftOf([rule("factor", " GPT-* ", "1.2")], PRICES)).toEqual({
    changes: [
      {
        model: "gpt-4o",
        to: {
          ratios: {
            ModelRatio: "1.5",
            CompletionRatio: "4",
            CacheRatio: "0.5",
            CacheCreationRatio: "1.25",
            ImageRatio: "1",
            AudioRatio: "16",
            AudioCompletionRatio: "2",
          },
          tiers: [{ above: "1000", ratio: "0.24", completion: "3", cache: "1", cache_creation: "1" }],
          tools: {},
        },
      },
    ],
  });
});

test("rules add up in their order, and own prices of tools stay", () => {
  const draft = draftOf(
    [rule("factor", "*", "2"), rule("fixed", "dall-e-3", "0.1"), rule("factor", "dall*", "3")],
    PRICES,
  );
  expect(draft.changes?.find(({ model }) => model === "dall-e-3")?.to).toEqual({
    ratios: { ModelPrice: "0.3" },
    tools,
  });
});

test("a group's ratio replaces its own and no other", () => {
  expect(draftOf([rule("group", "vip", "0.8")], PRICES)).toEqual({
    options: { GroupRatio: '{"default": 1, "vip": 0.8}' },
  });
  expect(draftOf([], PRICES)).toEqual({});
});

test.each([
  [rule("factor", "", "1"), "target_missing"],
  [rule("factor", "claude*", "1"), "nothing_matches"],
  [rule("factor", "gpt-unknown", "1"), "nothing_matches"],
  [rule("group", "odd", "1"), "nothing_matches"],
  [rule("factor", "gpt*", ""), "value_invalid"],
  [rule("factor", "gpt*", "-1"), "value_invalid"],
  [rule("factor", "gpt*", "1e9"), "value_invalid"],
  [rule("factor", "gpt*", "1,5"), "value_invalid"],
  [rule("group", "vip", "0"), undefined],
] as const)("%j has the problem %s", (each, problem) => {
  expect(problemOf(each, PRICES)).toBe(problem);
});

test("patterns name priced models only", () => {
  expect(matching(PRICES.rows, "*").map(({ model }) => model)).toEqual(["gpt-4o", "dall-e-3"]);
});

test("ratios of groups are plain decimals", () => {
  expect(groupRatiosOf('{"a": 1, "b": 0.333, "c": 1e-7}')).toEqual({ a: "1", b: "0.333", c: "0.0000001" });
});
