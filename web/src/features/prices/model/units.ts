/** Typed amounts of the price editor: what is a number, and how ratios and USD per 1M tokens become each other without loss. Pure. */
import { parseRatio, toDecimalText, toExactText } from "../../../../../contract/src/money.ts";
import {
  completionRatioText,
  ratioFromUsdPerMillion,
  ratioOfPrices,
  usdPerMillionOfRatio,
} from "../../../../../contract/src/pricing/price-display.ts";
import { productOf } from "../../../../../contract/src/pricing/pricing.ts";

/** Decimals that a typed amount may have: half of it still fits into a table. */
const MAX_DECIMALS = 15;
const AMOUNT = new RegExp(String.raw`^\d{0,12}(?:\.\d{0,${MAX_DECIMALS}})?$`);

/** The largest ratio or price that the server stores. */
export const MAX_AMOUNT = 1_000_000;

/** A typed amount as plain decimal text: "$ 2.50" is "2.5"; undefined where it is no number of at least 0. */
export function amountOf(text: string): string | undefined {
  const bare = text.trim().replace(/^\$\s*/, "");
  return AMOUNT.test(bare) && /\d/.test(bare) ? toExactText(parseRatio(`0${bare}`.replace(/\.$/, ""))) : undefined;
}

export const isZero = (decimal: string): boolean => parseRatio(decimal).numerator === 0n;

/** Whether two decimal texts are one number. */
export function isSameNumber(a: string, b: string): boolean {
  const [left, right] = [parseRatio(a), parseRatio(b)];
  return left.numerator * right.denominator === right.numerator * left.denominator;
}

/** The exact product of decimal texts, as text. */
export const times = (...texts: readonly string[]): string => toExactText(productOf(texts));

/** Decimals of a stored ratio. */
const STORED_DECIMALS = 20;

/** A stored amount times a typed factor, with no more decimals than a table takes. */
export const scaled = (decimal: string, factor: string): string =>
  toDecimalText(productOf([decimal, factor]), STORED_DECIMALS);

/** Decimals that a price is shown with where they say it without loss. */
const SHORT_DIGITS = [6, 12, 20] as const;

/**
 * USD per 1M tokens of a part, in the shortest form that gives the same ratio when it is typed: a third of USD 3 is "1", not
 * "0.999999999999".
 * @param ratio of the part to `base`
 * @param base ratio of what it is a multiple of; undefined for the input itself
 */
export function usdShown(ratio: string, base: string | undefined, quotaPerUnit: string): string {
  const whole = base === undefined ? ratio : times(base, ratio);
  const texts = SHORT_DIGITS.map((digits) => usdPerMillionOfRatio(whole, quotaPerUnit, digits));
  const isBack = (usd: string) => isSameNumber(ratioOfUsd(usd, base, quotaPerUnit), ratio);
  return texts.find(isBack) ?? texts[1] ?? "0";
}

/** The ratio of a typed price: exact for the input, with at most 12 decimals for a multiple of something else. */
export const ratioOfUsd = (usd: string, base: string | undefined, quotaPerUnit: string): string => {
  const ratio = ratioFromUsdPerMillion(usd, quotaPerUnit);
  return base === undefined ? ratio : ratioOfPrices(ratio, base);
};

/** USD per 1M tokens that a ratio really charges, to the last digit where it has one. */
export const exactUsd = (ratio: string, base: string | undefined, quotaPerUnit: string): string =>
  usdPerMillionOfRatio(base === undefined ? ratio : times(base, ratio), quotaPerUnit);

/** Dollars with at least two decimals: "2.5" is "$2.50", "0.075" stays. */
export function dollars(usd: string): string {
  const [whole = "0", decimals = ""] = usd.split(".");
  return `$${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${decimals.padEnd(2, "0")}`;
}

/** A completion ratio with three decimals at most: zeros at their end say nothing, and no other ratio has them. */
export const completionShown = (ratio: string): string => completionRatioText(ratio).replace(/\.?0+$/, "");
