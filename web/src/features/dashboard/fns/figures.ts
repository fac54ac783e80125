/** The dashboard's numbers as text: amounts that add up, short ticks, changes, and how long a balance lasts. */
import type { UsageSums } from "../../../../../contract/src/features/dashboard.ts";
import { formatDecimals, formatNumber, formatQuota, formatShort, formatUsd, quotaToUsd } from "../../../lib/format.ts";
import { status } from "../../../lib/status.ts";
import { decimalsOf, roundTogether } from "../../../ui/charts/scale.ts";
import type { Measure } from "./view.ts";

/** Dollars below this are shown with more decimals than cents. */
const CENTS_FROM = 1;

const isMoney = (measure: Measure): boolean => measure === "spend" && status().display_in_currency;

export const tokensOf = (sums: UsageSums): number => sums.prompt_tokens + sums.completion_tokens;

export const valueOf = (sums: UsageSums, measure: Measure): number =>
  ({ spend: sums.quota, requests: sums.requests, tokens: tokensOf(sums) })[measure];

/** Decimals of an amount of quota in dollars: cents, and more for less than a dollar. */
export function decimalsFor(quota: number): number {
  const usd = Math.abs(quotaToUsd(quota));
  if (usd === 0 || usd >= CENTS_FROM) return 2;
  return usd >= 0.01 ? 4 : 6;
}

/**
 * Texts of parts and of their sum; amounts of money are rounded together, so that they add up as they are read.
 * @param decimals of dollars; what the sum needs where absent
 */
export function readTogether(
  values: readonly number[],
  measure: Measure,
  decimals = decimalsFor(values.reduce((all, value) => all + value, 0)),
): { parts: string[]; total: string } {
  const sum = values.reduce((all, value) => all + value, 0);
  if (!isMoney(measure)) return { parts: values.map(formatNumber), total: formatNumber(sum) };
  const rounded = roundTogether(values.map(quotaToUsd), decimals);
  return {
    parts: rounded.map((usd) => formatUsd(usd, decimals)),
    total: formatUsd(
      rounded.reduce((all, usd) => all + usd, 0),
      decimals,
    ),
  };
}

/** An amount of spend: dollars with the decimals it needs, or quota. */
export const spendText = (quota: number): string => formatQuota(quota, decimalsFor(quota));

/** The mean cost of a call. */
export const costText = (quota: number): string => formatQuota(quota, quotaToUsd(quota) >= CENTS_FROM ? 2 : 4);

/** A sum where there is little room: whole dollars from 1,000 on. */
export function roundedText(value: number, measure: Measure): string {
  if (measure !== "spend") return formatShort(value);
  return formatQuota(value, quotaToUsd(value) >= 1000 ? 0 : decimalsFor(value));
}

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

export function tickText(value: number, axis: { step: number; top: number }, measure: Measure): string {
  if (!isMoney(measure)) return countTick(value, axis);
  return value === 0 ? "$0" : `$${formatDecimals(quotaToUsd(value), decimalsOf(quotaToUsd(axis.step)))}`;
}

/** What one unit of the axis is, in the measure's own numbers. */
export const axisUnit = (measure: Measure): number => (isMoney(measure) ? status().quota_per_unit : 1);

export const isWholeAxis = (measure: Measure): boolean => !isMoney(measure);

/** Shares in percent with one decimal that add up to 100. */
export function sharesOf(values: readonly number[]): string[] {
  const sum = values.reduce((all, value) => all + value, 0);
  if (sum === 0) return values.map(() => "–");
  return roundTogether(
    values.map((value) => (value / sum) * 100),
    1,
  ).map((share) => `${formatDecimals(share, 1)}%`);
}

/** "+12.4%"; undefined where there was nothing before. */
export function changeText(now: number, before: number): string | undefined {
  if (before === 0) return undefined;
  const change = ((now - before) / before) * 100;
  const sign = change > 0 ? "+" : change < 0 ? "−" : "±";
  return `${sign}${formatDecimals(Math.abs(change), 1)}%`;
}

/** Whole days that a balance lasts at a range's pace; undefined where nothing was spent. Times in seconds. */
export function daysLeft(balance: number, spent: number, seconds: number): number | undefined {
  if (spent <= 0 || seconds <= 0) return undefined;
  return Math.max(0, Math.floor(balance / (spent / (seconds / 86_400))));
}
