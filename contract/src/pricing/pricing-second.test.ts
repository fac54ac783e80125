/**
 * A second implementation of the charge, in dollars and fixed-point integers, written from the printed formulas alone: both agree for every wire
 * format.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { usdPerCallText, usdPerMillionText } from "./price-display.ts";
import { explainCharge } from "./charge-receipt.ts";
import { type ModelPrice, type PerTokenPrice, chargeQuota, priceFor } from "./pricing.ts";
import { DIALECTS, NOTHING, type Tokens, inputOf, reasoned } from "./testing-ways-of-counting.ts";
import {
  CHARGED_TOOLS,
  type ChargedTool,
  NO_USAGE,
  SURCHARGES,
  type ToolCalls,
  type Usage,
  type UsedSurcharge,
} from "./usage.ts";
import { runs } from "../../../tests/support/soak/short-or-long.ts";

// ---- The second implementation: nothing below this line, up to the next one, knows pricing.ts or money.ts. ----

const PLACES = 80n;
const UNIT = 10n ** PLACES;

/** Decimal text as a whole number of 10^-80. */
function fixed(text: string): bigint {
  const [whole = "0", decimals = ""] = text.split(".");
  return BigInt(whole) * UNIT + BigInt(decimals.padEnd(Number(PLACES), "0"));
}

/** The product; throws where a digit would be lost, so that a cut can never look like agreement. */
function mul(...factors: bigint[]): bigint {
  return factors.reduce((product, factor) => {
    const wide = product * factor;
    if (wide % UNIT !== 0n) throw new Error("digits lost");
    return wide / UNIT;
  });
}

const tokens = (count: number): bigint => BigInt(count) * UNIT;
const PER_MILLION = fixed("0.000001");

interface Rates {
  mr: string;
  cr: string;
  kr: string;
  kcr: string;
}

/** A longer context has rates of its own for the whole call: the highest bound that the input is above. */
function ratesOf(price: PerTokenPrice, inputTokens: number): Rates {
  let rates: Rates = {
    mr: price.ratio,
    cr: price.completionRatio,
    kr: price.cacheRatio,
    kcr: price.cacheCreationRatio,
  };
  let reached = -1;
  for (const tier of price.tiers ?? []) {
    if (inputTokens <= tier.aboveInputTokens || tier.aboveInputTokens <= reached) continue;
    reached = tier.aboveInputTokens;
    rates = { mr: tier.ratio, cr: tier.completionRatio, kr: tier.cacheRatio, kcr: tier.cacheCreationRatio };
  }
  return rates;
}

/** Dollars of the tokens at the default QuotaPerUnit: 1M prompt tokens are 2 x ratio USD, every part times its own ratios. */
function tokenDollars(of: Tokens, price: PerTokenPrice): bigint {
  const { mr, cr, kr, kcr } = ratesOf(price, inputOf(of));
  const million = mul(fixed("2"), fixed(mr));
  const [audio, audioOut] = [fixed(price.audioRatio), fixed(price.audioCompletionRatio)];
  const weighted =
    tokens(of.plain) +
    mul(tokens(of.cached), fixed(kr)) +
    mul(tokens(of.written), fixed(kcr)) +
    mul(tokens(of.writtenLong), fixed(kcr), fixed("1.6")) +
    mul(tokens(of.heard), audio) +
    mul(tokens(of.seen), fixed(price.imageRatio)) +
    mul(tokens(of.answered + of.thought), fixed(cr)) +
    mul(tokens(of.spoken), audio, audioOut) +
    mul(tokens(of.drawn), fixed(price.imageOutputRatio ?? cr));
  return mul(weighted, PER_MILLION, million);
}

/** What every surcharge makes of one: a call that is dearer in two ways is dearer in both. */
const timesSurcharges = (dollars: bigint, surcharges: readonly UsedSurcharge[]): bigint =>
  mul(dollars, ...surcharges.map(({ ratio }) => fixed(ratio)));

/**
 * Quota of a call: tokens, with their surcharges, at 500,000 a dollar whatever QuotaPerUnit is (a ratio is quota a token), fixed prices
 * and tools at QuotaPerUnit.
 */
function secondCharge(call: Call): number {
  const { price, groupRatio, quotaPerUnit } = call;
  const unit = fixed(quotaPerUnit);
  const own =
    price.kind === "per_call"
      ? mul(fixed(price.price), fixed(call.factor), unit)
      : mul(timesSurcharges(tokenDollars(call.tokens, price), call.surcharges), fixed("500000"));
  const tools = call.tools.map(({ calls, usdPerThousand }) =>
    mul(fixed(usdPerThousand), fixed("0.001"), tokens(calls), unit),
  );
  const exact = mul(
    tools.reduce((sum, tool) => sum + tool, own),
    fixed(groupRatio),
  );
  if (exact === 0n) return 0;
  const [whole, rest] = [exact / UNIT, exact % UNIT];
  const nearest = whole + (rest * 2n >= UNIT ? 1n : 0n);
  if (nearest > 1_000_000_000_000n) return 1_000_000_000_000;
  return nearest === 0n ? 1 : Number(nearest);
}

// ---- End of the second implementation. ----

interface Call {
  tokens: Tokens;
  factor: string;
  tools: readonly ToolCalls[];
  surcharges: readonly UsedSurcharge[];
  price: ModelPrice;
  groupRatio: string;
  quotaPerUnit: string;
}

const wholeUsage = (call: Call, counts: Partial<Usage>): Usage => ({
  ...NO_USAGE,
  ...reasoned(call.tokens),
  ...counts,
  callFactor: call.factor,
  toolCalls: call.tools,
  surcharges: call.surcharges,
});

const plain: PerTokenPrice = {
  kind: "per_token",
  ratio: "1.25",
  completionRatio: "4",
  cacheRatio: "0.5",
  cacheCreationRatio: "1.25",
  imageRatio: "2",
  audioRatio: "16",
  audioCompletionRatio: "2",
};

const PRICES: readonly ModelPrice[] = [
  plain,
  { ...plain, ratio: "0.0715", cacheRatio: "0.1", audioRatio: "66.667", imageOutputRatio: "100" },
  {
    ...plain,
    ratio: "1.5",
    completionRatio: "5",
    cacheRatio: "0.1",
    tiers: [
      { aboveInputTokens: 200_000, ratio: "3", completionRatio: "3.75", cacheRatio: "0.1", cacheCreationRatio: "1.25" },
      { aboveInputTokens: 500_000, ratio: "4.5", completionRatio: "3", cacheRatio: "0.2", cacheCreationRatio: "1.5" },
    ],
  },
  { ...plain, ratio: "0.000001", cacheCreationRatio: "0" },
  { kind: "per_call", price: "0.04" },
];

const SEARCH: ToolCalls = { tool: "web_search", calls: 3, usdPerThousand: "27.5" };
const FILES: ToolCalls = { tool: "file_search", calls: 7, usdPerThousand: "2.5" };
const CONTAINER: ToolCalls = { tool: "code_interpreter", calls: 1, usdPerThousand: "4.1667" };
const IN_USA: UsedSurcharge = { surcharge: "inference_geo_us", ratio: "1.1" };
const FAST: UsedSurcharge = { surcharge: "speed_fast", ratio: "6" };
const FLEX: UsedSurcharge = { surcharge: "service_tier_flex", ratio: "0.5" };

/** Sizes, group, unit, factor, tools and surcharges of five calls; a count is the size with a digit of its own for each part. */
const SETTINGS = [
  { size: 0, groupRatio: "1", quotaPerUnit: "500000", factor: "1", tools: [], surcharges: [] },
  { size: 1, groupRatio: "0.8", quotaPerUnit: "500000", factor: "1", tools: [SEARCH], surcharges: [IN_USA] },
  { size: 1_003, groupRatio: "1.5", quotaPerUnit: "1000", factor: "0.45", tools: [], surcharges: [FAST] },
  {
    size: 66_667,
    groupRatio: "0.333",
    quotaPerUnit: "500000",
    factor: "3",
    tools: [SEARCH, FILES],
    surcharges: [FLEX],
  },
  {
    size: 250_000,
    groupRatio: "2",
    quotaPerUnit: "123.5",
    factor: "40",
    tools: [FILES, CONTAINER],
    surcharges: [IN_USA, FAST],
  },
] as const;

function tokensOf(parts: readonly (keyof Tokens)[], size: number): Tokens {
  const entries = parts.map((part, index) => [part, size === 0 ? 0 : size + index * 7] as const);
  return { ...NOTHING, ...Object.fromEntries(entries) };
}

const SHAPES = Object.entries(DIALECTS).flatMap(([dialect, { parts, read }], order) =>
  SETTINGS.flatMap(({ size, ...setting }) =>
    PRICES.map((price, index) => {
      const call: Call = { ...setting, price, tokens: tokensOf(parts, size === 0 ? 0 : size + order * 13) };
      return { name: `${dialect}; size ${size}, price ${index}`, call, usage: wholeUsage(call, read(call.tokens)) };
    }),
  ),
);

/** Sum of decimal texts in fixed point. */
const sumOf = (texts: readonly string[]): bigint => texts.map(fixed).reduce((sum, value) => sum + value, 0n);

function roundedQuota(exact: bigint): number {
  if (exact === 0n) return 0;
  const nearest = (exact * 2n + UNIT) / (UNIT * 2n);
  const capped = nearest > 1_000_000_000_000n ? 1_000_000_000_000n : nearest;
  return capped === 0n ? 1 : Number(capped);
}

const isTool = (part: string): part is ChargedTool => CHARGED_TOOLS.some((tool) => tool === part);

/** The charge worked out from the price page alone: dollars for 1M tokens of each part, for a call and for 1,000 tool calls. */
function pageCharge({ price, groupRatio, quotaPerUnit, tools, surcharges, factor }: Call, usage: Usage): number {
  const { steps } = explainCharge(usage, price, groupRatio, quotaPerUnit);
  const digits = 40;
  const shown = priceFor(price, usage);
  const own = steps.map(({ part, count }) => {
    if (isTool(part)) return 0n;
    if (shown.kind === "per_call") return mul(fixed(usdPerCallText(shown.price, groupRatio, digits)), fixed(factor));
    if (part === "call") throw new Error("a step of a fixed price at a price by tokens");
    const listed = fixed(usdPerMillionText(part, shown, groupRatio, "500000", digits));
    return timesSurcharges(mul(listed, tokens(count), PER_MILLION), surcharges);
  });
  const unit = fixed(price.kind === "per_call" ? quotaPerUnit : "500000");
  const searched = tools.map(({ calls, usdPerThousand }) =>
    mul(fixed(usdPerThousand), fixed("0.001"), tokens(calls), fixed(groupRatio), fixed(quotaPerUnit)),
  );
  return roundedQuota(
    mul(
      own.reduce((sum, part) => sum + part, 0n),
      unit,
    ) + searched.reduce((sum, part) => sum + part, 0n),
  );
}

function expectAgreement(call: Call, usage: Usage): void {
  const { price, groupRatio, quotaPerUnit } = call;
  const second = secondCharge(call);
  const explained = explainCharge(usage, price, groupRatio, quotaPerUnit);
  expect(chargeQuota(usage, price, groupRatio, quotaPerUnit)).toBe(second);
  expect(explained.quota).toBe(second);
  expect(roundedQuota(sumOf(explained.steps.map(({ quota }) => quota)))).toBe(second);
  expect(pageCharge(call, usage)).toBe(second);
}

describe("a second implementation gives the same charge, its receipt adds up to it, and so does the price page", () => {
  test("for two hundred ways of counting", () => {
    expect(SHAPES).toHaveLength(200);
    expect(new Set(SHAPES.map(({ call }) => secondCharge(call))).size).toBeGreaterThan(100);
  });

  test.each(SHAPES)("$name", ({ call, usage }) => {
    expectAgreement(call, usage);
  });

  const count = fc.oneof(fc.constantFrom(0, 1, 2), fc.nat(5_000), fc.nat(900_000));
  const ratio = fc.oneof(
    fc.constantFrom("0", "1", "0.5", "1.25", "0.0715", "37.5", "66.667", "0.333333333333"),
    fc.tuple(fc.nat(99), fc.nat(999_999)).map(([whole, decimals]) => `${whole}.${decimals}`),
  );
  const few = fc.constantFrom("1", "0.8", "1.5", "0.05", "0", "2.345");
  const tier = fc.record({
    aboveInputTokens: fc.nat(1_000_000),
    ratio,
    completionRatio: ratio,
    cacheRatio: ratio,
    cacheCreationRatio: ratio,
  });
  const tiers = fc
    .uniqueArray(tier, { maxLength: 3, selector: ({ aboveInputTokens }) => aboveInputTokens })
    .map((list) => list.toSorted((a, b) => a.aboveInputTokens - b.aboveInputTokens));
  const perToken = fc.record(
    {
      kind: fc.constant("per_token" as const),
      ratio,
      completionRatio: ratio,
      cacheRatio: ratio,
      cacheCreationRatio: ratio,
      imageRatio: ratio,
      audioRatio: few,
      audioCompletionRatio: few,
      imageOutputRatio: ratio,
      tiers,
    },
    {
      requiredKeys: [
        "kind",
        "ratio",
        "completionRatio",
        "cacheRatio",
        "cacheCreationRatio",
        "imageRatio",
        "audioRatio",
        "audioCompletionRatio",
      ],
    },
  );
  const tool: fc.Arbitrary<ToolCalls> = fc.record({
    tool: fc.constantFrom(...CHARGED_TOOLS),
    calls: fc.nat(200),
    usdPerThousand: fc.constantFrom("0", "2.5", "10", "27.5", "0.333333"),
  });
  const surcharge: fc.Arbitrary<UsedSurcharge> = fc.record({
    surcharge: fc.constantFrom(...SURCHARGES),
    ratio: fc.constantFrom("0", "0.5", "1", "1.1", "1.818182", "2", "6", "0.333333"),
  });
  const call: fc.Arbitrary<Call> = fc.record({
    tokens: fc.record({
      plain: count,
      cached: count,
      written: count,
      writtenLong: count,
      heard: count,
      seen: count,
      answered: count,
      thought: count,
      spoken: count,
      drawn: count,
    }),
    factor: fc.constantFrom("1", "1", "2", "0.4", "0.45", "30", "0"),
    tools: fc.oneof(fc.constant([]), fc.array(tool, { maxLength: 3 })),
    surcharges: fc.oneof(fc.constant([]), fc.array(surcharge, { maxLength: 2 })),
    price: fc.oneof(
      { weight: 4, arbitrary: perToken },
      fc.record({ kind: fc.constant("per_call" as const), price: ratio }),
    ),
    groupRatio: few,
    quotaPerUnit: fc.constantFrom("500000", "1", "1000.5"),
  });

  test("for thousands of random calls", () => {
    fc.assert(
      fc.property(call, (random) => {
        const output = random.tokens.answered + random.tokens.thought + random.tokens.spoken + random.tokens.drawn;
        expectAgreement(random, wholeUsage(random, { inputTokens: inputOf(random.tokens), outputTokens: output }));
      }),
      { numRuns: runs(2_000) },
    );
  }, 60_000);
});
