/** Tests of parsing a third-party price list: accepted in genai-prices' format, and refused with the exact position where it is hostile or broken. */
import { describe, expect, test } from "vitest";
import { firstFitting } from "./listed-models.ts";
import { isSafePattern, PriceListFault, readPriceList } from "./read-list.ts";
import { listOfText, readListFile } from "./shipped-list.ts";
import { rulesOf } from "./list-difference.ts";

/** As of github.com/pydantic/genai-prices, prices/new_data/v3/data.schema.json and data.json. */
const PUBLISHED = {
  units: { input_tokens: { per: 1_000_000, price_key: "input_mtok" } },
  providers: [
    {
      id: "openai",
      name: "OpenAI",
      api_pattern: "https://api\\.openai\\.com",
      extractors: [
        { api_flavor: "default", root: "usage", mappings: [{ path: ["a", "b"], dest: "c", required: true }] },
      ],
      models: [
        {
          id: "gpt-9",
          name: "GPT 9",
          match: { or: [{ equals: "gpt-9" }, { regex: "^gpt-9-\\d{4}-\\d{2}-\\d{2}$" }] },
          context_window: 400_000,
          prices: {
            input_mtok: 1.25,
            output_mtok: { base: 10, tiers: [{ start: 200_000, price: 15 }] },
            web_searches_kcount: 10,
          },
        },
        {
          id: "gpt-8",
          match: { starts_with: "gpt-8" },
          prices: [
            { prices: { input_mtok: 2 } },
            { constraint: { type: "start_date", start_date: "2026-01-01" }, prices: { input_mtok: 1 } },
            { constraint: { type: "price_context", service_tier: "flex" }, prices: { input_mtok: 0.5 } },
          ],
        },
      ],
    },
  ],
};

const faultOf = (list: unknown): PriceListFault => {
  try {
    readPriceList(typeof list === "string" ? list : JSON.stringify(list));
  } catch (error) {
    if (error instanceof PriceListFault) return error;
    throw error;
  }
  throw new Error("the list was read");
};

const withModel = (change: object): unknown => ({
  providers: [{ id: "openai", models: [{ id: "m", match: { equals: "m" }, prices: { input_mtok: 1 }, ...change }] }],
});

test("the published form is read, wrapped or as an array; what is not read here is left out", () => {
  const read = readPriceList(JSON.stringify(PUBLISHED));
  expect(readPriceList(JSON.stringify(PUBLISHED.providers))).toEqual(read);
  const [first, second] = read.get("openai") ?? [];
  expect(first).toEqual({
    id: "gpt-9",
    match: { or: [{ equals: "gpt-9" }, { regex: "^gpt-9-\\d{4}-\\d{2}-\\d{2}$" }] },
    context_window: 400_000,
    prices: {
      input_mtok: 1.25,
      output_mtok: { base: 10, tiers: [{ start: 200_000, price: 15 }] },
      web_searches_kcount: 10,
    },
  });
  // A price of one tier of service only is not that of every call.
  expect(second?.prices).toEqual([
    { prices: { input_mtok: 2 } },
    { constraint: { type: "start_date" }, prices: { input_mtok: 1 } },
  ]);
});

test("the product's own list is such a list, every rule of it", () => {
  const { text } = readListFile();
  const own = rulesOf(listOfText(text));
  const read = readPriceList(text);
  expect([...read.keys()]).toEqual([...own.keys()]);
  const shape = (rules: ReadonlyMap<string, readonly { id: string; match: unknown }[]>) =>
    [...rules].flatMap(([provider, each]) => each.map(({ id, match }) => [provider, id, match]));
  expect(shape(read)).toEqual(shape(own));
});

describe("refused, with the place", () => {
  const PRICES = "providers[0].models[0].prices";
  test.each([
    [{ prices: { input_mtok: -1 } }, `${PRICES}.input_mtok`, "price"],
    [{ prices: { input_mtok: 1e308 } }, `${PRICES}.input_mtok`, "price"],
    [{ prices: { input_mtok: 1e-9 } }, `${PRICES}.input_mtok`, "price"],
    [{ prices: { input_mtok: "1" } }, `${PRICES}.input_mtok`, "price"],
    [{ prices: { input_mtok: null } }, `${PRICES}.input_mtok`, "object"],
    [
      { prices: { output_mtok: { base: 1, tiers: [{ start: 1.5, price: 1 }] } } },
      `${PRICES}.output_mtok.tiers[0].start`,
      "whole_number",
    ],
    [{ prices: [] }, PRICES, "no_prices"],
    [{ prices: [{ constraint: { type: "price_context" }, prices: {} }] }, PRICES, "no_prices"],
    [{ prices: undefined }, PRICES, "object"],
    [{ id: "" }, "providers[0].models[0].id", "text"],
    [{ id: "x".repeat(201) }, "providers[0].models[0].id", "text"],
    [{ match: { like: "x" } }, "providers[0].models[0].match", "match"],
    [{ match: { equals: "a", contains: "b" } }, "providers[0].models[0].match", "match"],
    [{ match: { or: [{ equals: "a" }, { regex: "(a+)+$" }] } }, "providers[0].models[0].match.or[1].regex", "pattern"],
    [
      { match: { or: Array.from({ length: 501 }, () => ({ equals: "a" })) } },
      "providers[0].models[0].match.or",
      "too_many",
    ],
    [{ context_window: -5 }, "providers[0].models[0].context_window", "whole_number"],
  ])("a model, case %#", (change, place, problem) => {
    expect(faultOf(withModel(change))).toMatchObject({ place, problem });
  });

  test.each([
    ["", "JSON", "json"],
    ["<html>", "JSON", "json"],
    ["42", "JSON", "object"],
    ["{}", "providers", "list"],
    ["[]", "JSON", "nothing"],
    [`${"[".repeat(100_000)}`, "JSON", "too_deep"],
    [`[{"id":"openai","models":[],"x":${'{"a":'.repeat(40)}1${"}".repeat(40)}}]`, "JSON", "too_deep"],
    ['{"provider":"openai"}\n{"id":"a","match":{"equals":"a"},"prices":{"input_mtok":NaN}}', "line 2", "json"],
    [
      '{"provider":"openai"}\n{"id":"a","match":{"equals":"a"},"prices":{"input_mtok":-2}}',
      "line 2.prices.input_mtok",
      "price",
    ],
  ])("a text, case %#", (text, place, problem) => {
    expect(faultOf(text)).toMatchObject({ place, problem });
  });

  test("one id twice: no line of such a list would be one line", () => {
    const model = { id: "m", match: { equals: "m" }, prices: { input_mtok: 1 } };
    expect(faultOf([{ id: "openai", models: [model, model] }])).toMatchObject({
      place: "[0].models[1].id",
      problem: "twice",
    });
    expect(
      faultOf([
        { id: "x", models: [] },
        { id: "x", models: [] },
      ]),
    ).toMatchObject({ place: "[1].id", problem: "twice" });
  });
});

describe("patterns", () => {
  test.each([
    "^gpt-5\\.6-\\d{4}-\\d{2}-\\d{2}$",
    "^(?!.*-[tT][tT][sS](?:$|-))",
    "^o[134]",
    "x-ai/grok-4\\.3-\\d{8}$",
    "a|b",
  ])("%s is tried", (pattern) => expect(isSafePattern(pattern)).toBe(true));
  test.each([
    "(a+)+$",
    "(a|a)*b",
    "a*a*a*b",
    "a?a?a?aaa",
    "(a{5}){5}",
    "(a)\\1",
    "(?<=a)b",
    "(",
    "",
    "[",
    "a{99}",
    "a|".repeat(9),
    "x".repeat(129),
    "(?<n>a)",
    "\\u0041",
  ])("%s is not", (pattern) => expect(isSafePattern(pattern)).toBe(false));
  test("a name longer than any model's is no match, whatever the pattern", () => {
    const rule = { id: "a", match: { regex: "^a" }, prices: {} };
    expect(firstFitting([rule], "a".repeat(256))).toBe(rule);
    expect(firstFitting([rule], "a".repeat(257))).toBeUndefined();
  });
  test("of several rules that match a name the first of the list counts, in every notation", () => {
    const rules = [
      { id: "both", match: { and: [{ starts_with: "gpt" }, { ends_with: "mini" }] }, prices: {} },
      { id: "name", match: { or: [{ equals: "GPT-5" }, { or: [{ equals: "o3" }] }] }, prices: {} },
      { id: "inside", match: { contains: "-5" }, prices: {} },
      { id: "longer", match: { starts_with: "gpt-4o" }, prices: {} },
      { id: "shorter", match: { starts_with: "GPT-4" }, prices: {} },
      { id: "again", match: { or: [{ equals: "o3" }, { regex: "^o[0-9]$" }] }, prices: {} },
    ];
    const found = ["gpt-4o-mini", "gpt-5", "o3", "x-5", "gpt-4o-5", "gpt-4o", "gpt-4", "o4", "o44", ""].map(
      (name) => firstFitting(rules, name)?.id,
    );
    expect(found).toEqual([
      "both",
      "name",
      "name",
      "inside",
      "inside",
      "longer",
      "shorter",
      "again",
      undefined,
      undefined,
    ]);
  });
});
