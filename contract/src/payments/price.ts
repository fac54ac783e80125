/** What a top-up costs and what it credits, in whole minor units and whole quota. */
import { divide, fractionOf, multiply, parseRatio, roundHalfAway, toSafeNumber } from "../money.ts";
import { CURRENCIES, type Currency } from "./currencies.ts";

/** Above this a provider would refuse: eight digits of minor units. */
const MOST_MINOR_UNITS = 99_999_999;
/** Largest quota of one top-up; far from where numbers stop being exact. */
const MOST_QUOTA = 1_000_000_000_000_000;

/** How amounts are asked for. */
export interface AmountTerms {
  /** Amounts are whole units (dollars of quota) where the site shows money, else whole quota. */
  isInUnits: boolean;
  /** Quota of one unit; above 0. */
  quotaPerUnit: number;
}

export interface PriceTerms extends AmountTerms {
  currency: Currency;
  /** Money for one unit, as decimal text. */
  price: string;
  /** What the person's group pays of it, as decimal text. */
  groupRatio: string;
  /** By units as whole number, the share of the price that is paid for just so many, as decimal text. */
  discounts: Readonly<Record<string, string>>;
  /** Least units, of the site and of the method. */
  minimumUnits: number;
}

/** What is bought, and what it costs in minor units of the currency. */
export interface Offer {
  quota: number;
  moneyMinor: number;
  /** What it would cost without the discount. */
  fullMinor: number;
  /** The share of the price that is paid, as decimal text; "1" where there is no discount. */
  discount: string;
}

/** Quota that an amount buys; undefined where it is more than one top-up may buy. */
function quotaOf(amount: number, { isInUnits, quotaPerUnit }: AmountTerms): number | undefined {
  const quota = isInUnits ? BigInt(amount) * BigInt(quotaPerUnit) : BigInt(amount);
  return quota <= BigInt(MOST_QUOTA) ? Number(quota) : undefined;
}

/** The share of the price that is paid for a quota: that of its units where they are whole and the table has them; 0 there is no discount. */
function discountOf(
  quota: number,
  { quotaPerUnit, discounts }: Pick<PriceTerms, "quotaPerUnit" | "discounts">,
): string {
  const units = String(quota / quotaPerUnit);
  const share = quota % quotaPerUnit === 0 && Object.hasOwn(discounts, units) ? discounts[units] : undefined;
  return share === undefined || Number(share) === 0 ? "1" : share;
}

/** Units times price times group ratio times discount, exactly, rounded once half away from zero to what the currency takes. */
function moneyOf(quota: number, { quotaPerUnit, currency, price, groupRatio }: PriceTerms, discount: string): bigint {
  const { decimals, step } = CURRENCIES[currency];
  const units = divide(fractionOf(quota), fractionOf(quotaPerUnit));
  const money = [price, groupRatio, discount].map(parseRatio).reduce(multiply, units);
  const steps = multiply(money, { numerator: 10n ** BigInt(decimals), denominator: BigInt(step) });
  return roundHalfAway(steps) * BigInt(step);
}

/** Why there is no offer. */
export type NoOffer = "below_minimum" | "too_small" | "too_large";

/**
 * The offer for an amount: what the wallet shows, the provider is asked for, and the order says. One below the least amount is none, nor one
 * that would cost nothing, or more than a provider takes.
 */
export function offerFor(amount: number, terms: PriceTerms): Offer | NoOffer {
  if (amount < smallestAmount(terms.minimumUnits, terms)) return "below_minimum";
  const quota = quotaOf(amount, terms);
  if (quota === undefined) return "too_large";
  const discount = discountOf(quota, terms);
  const money = moneyOf(quota, terms, discount);
  if (money < 1n) return "too_small";
  const full = moneyOf(quota, terms, "1");
  if (full > BigInt(MOST_MINOR_UNITS)) return "too_large";
  return { quota, moneyMinor: toSafeNumber(money), fullMinor: toSafeNumber(full), discount };
}

/** Smallest amount that may be asked for. `minimumUnits` is the option MinTopUp. */
export const smallestAmount = (minimumUnits: number, { isInUnits, quotaPerUnit }: AmountTerms): number =>
  isInUnits ? minimumUnits : minimumUnits * quotaPerUnit;

/** What a person's group pays: a group that the map does not name, or names with 0, pays the price itself. */
export function groupRatioOf(ratios: Readonly<Record<string, string>>, group: string): string {
  const ratio = Object.hasOwn(ratios, group) ? ratios[group] : undefined;
  return ratio === undefined || Number(ratio) === 0 ? "1" : ratio;
}
/** The part of a credited quota that stands for `minor` of the money paid, rounded half away from zero. */
export const quotaShare = (quota: number, minor: number, paidMinor: number): number =>
  toSafeNumber(roundHalfAway({ numerator: BigInt(quota) * BigInt(minor), denominator: BigInt(paidMinor) }));
