/** The dashboard's numbers as text: amounts that add up, short ticks, changes, and how long a balance lasts. */
import type { MarginSums, UsageSums } from "../../../../../contract/src/features/dashboard.ts";
import {
  amountDecimals,
  formatAmount,
  formatDecimals,
  formatNumber,
  formatQuota,
  formatShort,
  quotaToAmount,
  siteQuotaDisplay,
} from "../../../lib/format.ts";
import { isCostKnown, marginOf } from "../../../ui/charts/margin.ts";
import { status } from "../../../lib/status.ts";
import { decimalsOf, roundTogether } from "../../../ui/charts/scale.ts";
import type { Measure } from "./view.ts";

/** The order of the margin table: by which column, and what is compared. Pure. */
export const MARGIN_COLUMNS = ["charged", "cost", "margin", "share", "known"] as const;
export type MarginColumn = (typeof MARGIN_COLUMNS)[number];

export interface MarginOrder {
  by: MarginColumn;
  isDescending: boolean;
}

/** What a row has in each column; undefined where it is not known. */
const VALUES: Readonly<Record<MarginColumn, (sums: MarginSums) => number | undefined>> = {
  charged: ({ quota }) => quota,
  cost: (sums) => (isCostKnown(sums) ? sums.cost : undefined),
  margin: (sums) => (isCostKnown(sums) ? marginOf(sums) : undefined),
  share: (sums) => (sums.costed_quota === 0 ? undefined : marginOf(sums) / sums.costed_quota),
  known: ({ quota, costed_quota: costed }) => (quota === 0 ? undefined : costed / quota),
};

/** The rows in order; those without a value stand last in either order. */
export function inOrder<Row extends MarginSums>(rows: readonly Row[], order: MarginOrder | undefined): readonly Row[] {
  if (order === undefined) return rows;
  const valueOf = VALUES[order.by];
  const sign = order.isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [left, right] = [valueOf(a), valueOf(b)];
    if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
    return sign * (left - right);
  });
}

/** The largest first, then the smallest, then as they came. */
export function nextOrder(order: MarginOrder | undefined, by: MarginColumn): MarginOrder | undefined {
  if (order?.by !== by) return { by, isDescending: true };
  return order.isDescending ? { by, isDescending: false } : undefined;
}

const isMoneyShown = (): boolean => status().display_in_currency;
const currencySign = (): string => siteQuotaDisplay().currency?.sign ?? "";

const isMoney = (measure: Measure): boolean => measure === "spend" && isMoneyShown();

export const tokensOf = (sums: UsageSums): number => sums.prompt_tokens + sums.completion_tokens;

export const valueOf = (sums: UsageSums, measure: Measure): number =>
  ({ spend: sums.quota, requests: sums.requests, tokens: tokensOf(sums) })[measure];

/** Decimals of an amount of quota in the currency shown: cents, and more for less than a dollar. */
export const decimalsFor = (quota: number): number => amountDecimals(quotaToAmount(quota));

/**
 * Texts of parts and of their sum; amounts of money are rounded together, so that they add up as they are read.
 * @param decimals of money; what the sum needs where absent
 */
export function readTogether(
  values: readonly number[],
  measure: Measure,
  decimals = decimalsFor(values.reduce((all, value) => all + value, 0)),
): { parts: string[]; total: string } {
  const sum = values.reduce((all, value) => all + value, 0);
  if (!isMoney(measure)) return { parts: values.map(formatNumber), total: formatNumber(sum) };
  const rounded = roundTogether(values.map(quotaToAmount), decimals);
  // What is there but rounds to nothing is not nothing.
  const tiny = `<${formatAmount(10 ** -decimals, decimals)}`;
  return {
    parts: rounded.map((amount, index) =>
      amount === 0 && (values[index] ?? 0) > 0 ? tiny : formatAmount(amount, decimals),
    ),
    total: formatAmount(
      rounded.reduce((all, amount) => all + amount, 0),
      decimals,
    ),
  };
}

/** An amount of spend: money with the decimals it needs, or quota. Never rounded to nothing. */
export const spendText = (quota: number): string => formatQuota(quota);

/** Amounts of money from here on are short (12.3M) where there is little room, and where there is much. */
const SHORT_FROM = { tight: 100_000, wide: 10_000_000 } as const;

/** An amount of quota: in full, or short from so many units of the currency on. */
function amountText(quota: number, decimals: number, shortFrom: number): string {
  const amount = quotaToAmount(quota);
  return isMoneyShown() && Math.abs(amount) >= shortFrom
    ? `${amount < 0 ? "−" : ""}${currencySign()}${formatShort(Math.abs(amount))}`
    : formatQuota(quota, decimals);
}

/** An amount of a column whose amounts have the same decimals; what is there but rounds to nothing is not nothing. */
export function roundedAmount(quota: number, decimals: number): string {
  const least = 10 ** -decimals;
  const isTiny = isMoneyShown() && quota > 0 && quotaToAmount(quota) < least / 2;
  return isTiny ? `<${formatAmount(least, decimals)}` : amountText(quota, decimals, SHORT_FROM.wide);
}

const MAX_ROUNDED_DECIMALS = 4;

/** A sum where there is little room: whole units of the currency from 1,000 on, four decimals at most. */
export function roundedText(value: number, measure: Measure): string {
  if (measure !== "spend") return formatShort(value);
  const decimals = quotaToAmount(value) >= 1000 ? 0 : Math.min(MAX_ROUNDED_DECIMALS, decimalsFor(value));
  const least = 10 ** -MAX_ROUNDED_DECIMALS;
  if (isMoney(measure) && value > 0 && quotaToAmount(value) < least / 2) return `<${formatAmount(least, decimals)}`;
  return amountText(value, decimals, SHORT_FROM.tight);
}

/** An amount as a tile's number. */
export const tileAmount = (quota: number, decimals = 2): string => amountText(quota, decimals, SHORT_FROM.wide);

/** More digits than a tile of a phone has room for. */
const SHORT_COUNT_FROM = 100_000_000;

/** A count as a tile's number. */
export const tileCount = (count: number): string =>
  count < SHORT_COUNT_FROM ? formatNumber(count) : formatShort(count);

/** Amounts of a list whose sum is not shown: rounded together, or all short where one has no room in full. */
export const amountsOf = (quotas: readonly number[]): string[] =>
  quotas.some((quota) => quotaToAmount(quota) >= SHORT_FROM.tight)
    ? quotas.map((quota) => roundedText(quota, "spend"))
    : readTogether(quotas, "spend").parts;

const UNITS = [
  { from: 1e9, suffix: "B" },
  { from: 1e6, suffix: "M" },
  { from: 1e4, divisor: 1e3, suffix: "k" },
] as const;

/** A tick of a count: 0, 500k, 1.5M. All ticks of an axis have the unit of its top. */
export function countTick(value: number, { step, top }: { step: number; top: number }): string {
  if (value === 0) return "0";
  const unit = UNITS.find(({ from }) => top >= from);
  if (unit === undefined) return formatNumber(value);
  const divisor = "divisor" in unit ? unit.divisor : unit.from;
  return `${formatDecimals(value / divisor, decimalsOf(step / divisor))}${unit.suffix}`;
}

/** A tick: "$0", "$50"; below one in cents, as money is read: "$0.50", not "$0.5". */
export function tickText(value: number, axis: { step: number; top: number }, measure: Measure): string {
  if (!isMoney(measure)) return countTick(value, axis);
  // The rate leaves digits behind that no step has.
  const [step = 0, top = 0] = [axis.step, axis.top].map((quota) => Number(quotaToAmount(quota).toPrecision(9)));
  if (top >= SHORT_FROM.tight) return `${currencySign()}${countTick(quotaToAmount(value), { step, top })}`;
  const needed = decimalsOf(step);
  return value === 0 ? formatAmount(0, 0) : formatAmount(quotaToAmount(value), needed === 0 ? 0 : Math.max(2, needed));
}

/** What one unit of the axis is, in the measure's own numbers. */
export const axisUnit = (measure: Measure): number =>
  isMoney(measure) ? status().quota_per_unit / Number(siteQuotaDisplay().currency?.perUsd ?? "1") : 1;

export const isWholeAxis = (measure: Measure): boolean => !isMoney(measure);

/** Shares in percent with one decimal that add up to 100. */
export function sharesOf(values: readonly number[]): string[] {
  const sum = values.reduce((all, value) => all + value, 0);
  if (sum === 0) return values.map(() => "–");
  return roundTogether(
    values.map((value) => (value / sum) * 100),
    1,
  ).map((share, index) => (share === 0 && (values[index] ?? 0) > 0 ? "<0.1%" : `${formatDecimals(share, 1)}%`));
}

/** From here on a tenth of a percent says nothing. */
const WHOLE_PERCENT_FROM = 100;
/** Less than this is printed as 0.0. */
const LEAST_SHOWN_PERCENT = 0.05;
/** And from here on percents say nothing: how many times as much does. */
const TIMES_FROM_PERCENT = 10_000;

/** "+12.4%", "+1,937%", "×240"; undefined where there was nothing before. */
export function changeText(now: number, before: number): string | undefined {
  if (before === 0) return undefined;
  const change = ((now - before) / before) * 100;
  if (change >= TIMES_FROM_PERCENT) return `×${formatShort(Math.round(now / before))}`;
  const sign = Math.abs(change) < LEAST_SHOWN_PERCENT ? "±" : change > 0 ? "+" : "−";
  return `${sign}${formatDecimals(Math.abs(change), Math.abs(change) < WHOLE_PERCENT_FROM ? 1 : 0)}%`;
}

/** Whether a change reads as more: neither what was printed as nothing nor less. */
export const isMore = (text: string): boolean => /^[+×]/.test(text);

/** Whole days that a balance lasts at a range's pace; undefined where nothing was spent. Times in seconds. */
export function daysLeft(balance: number, spent: number, seconds: number): number | undefined {
  if (spent <= 0 || seconds <= 0) return undefined;
  return Math.max(0, Math.floor(balance / (spent / (seconds / 86_400))));
}
