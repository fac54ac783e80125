/** Converts ratios to dollars per 1M tokens and back, and formats both. */
import {
  type Fraction,
  divide,
  fractionOf,
  multiply,
  parseDecimal,
  parseRatio,
  toDecimalText,
  toExactText,
  toFixedText,
} from "../money.ts";
import type { PricingEntry, PricingTier } from "../features/pricing.ts";
import {
  type ModelPrice,
  PARTS,
  type Part,
  type PerTokenPrice,
  type PriceTier,
  partRatios,
  productOf,
} from "./pricing.ts";

/** USD per 1M tokens of a part: 2 × ratio at the default QuotaPerUnit. Exact. Throws a RangeError for invalid text. */
function usdPerMillion(part: Part, price: PerTokenPrice, groupRatio: string, quotaPerUnit: string): Fraction {
  const ratio = productOf([price.ratio, groupRatio, ...(partRatios(price)[PARTS.indexOf(part)] ?? [])]);
  return divide(multiply(ratio, fractionOf(1_000_000)), parseRatio(quotaPerUnit));
}

/** The same as text with at most `digits` decimals: "2.5", "0.075". */
export const usdPerMillionText = (
  part: Part,
  price: PerTokenPrice,
  groupRatio: string,
  quotaPerUnit: string,
  digits = 6,
): string => toDecimalText(usdPerMillion(part, price, groupRatio, quotaPerUnit), digits);

/** Prompt ratio from USD per 1M tokens, as exact decimal text: half the price at the default QuotaPerUnit. */
export const ratioFromUsdPerMillion = (usd: string, quotaPerUnit = "500000"): string =>
  toExactText(productOf([usd, quotaPerUnit, "0.000001"]));

/** USD per 1M tokens from a prompt ratio, as text with at most `digits` decimals. Throws a RangeError for invalid text. */
export const usdPerMillionOfRatio = (ratio: string, quotaPerUnit = "500000", digits = 20): string =>
  toDecimalText(divide(productOf([ratio, "1000000"]), parseRatio(quotaPerUnit)), digits);

/** Decimals of a derived ratio that is periodic, such as a third. */
const RATIO_DIGITS = 12;

/** Ratio of one price to another (output to input) with at most 12 decimals; "1" where the base is free. */
export function ratioOfPrices(usd: string, baseUsd: string): string {
  const base = parseRatio(baseUsd);
  return base.numerator === 0n ? "1" : toDecimalText(divide(parseRatio(usd), base), RATIO_DIGITS);
}

/** Completion ratios are shown with 3 decimals. */
export const completionRatioText = (ratio: string): string => toFixedText(parseRatio(ratio), 3);

export type RatioColour = "green" | "blue" | "orange" | "red";

/** Colour of a ratio tag: green up to 1, blue above, orange above 3, red above 5. */
export function ratioColour(ratio: string): RatioColour {
  const { numerator, denominator } = parseDecimal(ratio);
  if (numerator > 5n * denominator) return "red";
  if (numerator > 3n * denominator) return "orange";
  return numerator > denominator ? "blue" : "green";
}

/** A number as decimal text without an exponent and without loss. */
export const decimalTextOf = (value: number): string =>
  value.toLocaleString("en-US", { useGrouping: false, maximumFractionDigits: 20 });

const tierOfEntry = (tier: PricingTier): PriceTier => ({
  aboveInputTokens: tier.above_input_tokens,
  ratio: decimalTextOf(tier.model_ratio),
  completionRatio: decimalTextOf(tier.completion_ratio),
  cacheRatio: decimalTextOf(tier.cache_ratio),
  cacheCreationRatio: decimalTextOf(tier.cache_creation_ratio),
});

/** The price by which calls are charged, from an entry of the price list. */
export function priceOfEntry(entry: PricingEntry): ModelPrice {
  if (entry.quota_type === 1) return { kind: "per_call", price: decimalTextOf(entry.model_price) };
  return {
    kind: "per_token",
    ratio: decimalTextOf(entry.model_ratio),
    completionRatio: decimalTextOf(entry.completion_ratio),
    cacheRatio: decimalTextOf(entry.cache_ratio),
    cacheCreationRatio: decimalTextOf(entry.cache_creation_ratio),
    imageRatio: decimalTextOf(entry.image_ratio ?? 1),
    audioRatio: decimalTextOf(entry.audio_ratio ?? 1),
    audioCompletionRatio: decimalTextOf(entry.audio_completion_ratio ?? 1),
    ...(entry.image_output_ratio === undefined ? {} : { imageOutputRatio: decimalTextOf(entry.image_output_ratio) }),
    ...(entry.tiers === undefined ? {} : { tiers: entry.tiers.map(tierOfEntry) }),
  };
}

/** USD of one call at a fixed price in a group, with at most `digits` decimals. */
export const usdPerCallText = (price: string, groupRatio: string, digits = 6): string =>
  toDecimalText(productOf([price, groupRatio]), digits);
