/** Numbers, money and times as people read them, in the language shown. Pure but for the language and the site's quota settings. */
import { language } from "./i18n.ts";
import { status } from "./status.ts";

const cache = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat | Intl.RelativeTimeFormat>();

function kept<T extends Intl.NumberFormat | Intl.DateTimeFormat | Intl.RelativeTimeFormat>(
  kind: string,
  options: object,
  make: (locale: string) => T,
): T {
  const locale = language() === "zh" ? "zh-CN" : "en-US";
  const key = `${kind}${locale}${JSON.stringify(options)}`;
  const found = cache.get(key);
  if (found !== undefined) return found as T;
  const made = make(locale);
  cache.set(key, made);
  return made;
}

const numberFormat = (options: Intl.NumberFormatOptions) =>
  kept("n", options, (locale) => new Intl.NumberFormat(locale, options));
const dateFormat = (options: Intl.DateTimeFormatOptions) =>
  kept("d", options, (locale) => new Intl.DateTimeFormat(locale, options));

/** A whole number with separators: 20,616. */
export const formatNumber = (value: number): string => numberFormat({ maximumFractionDigits: 0 }).format(value);

/** A number with exactly so many decimals. */
export const formatDecimals = (value: number, decimals: number): string =>
  numberFormat({ minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format(value);

const SHORT_STEPS = [
  { from: 1e9, divisor: 1e9, suffix: "B" },
  { from: 1e6, divisor: 1e6, suffix: "M" },
  { from: 1e4, divisor: 1e3, suffix: "k" },
] as const;

/** Short numbers of spec section 9: 10,000 and up k, 1e6 M, 1e9 B, one decimal; smaller ones in full. */
export function formatShort(value: number): string {
  const step = SHORT_STEPS.find(({ from }) => Math.abs(value) >= from);
  return step === undefined ? formatNumber(value) : `${(value / step.divisor).toFixed(1)}${step.suffix}`;
}

/** US dollars with fixed decimals: 2 for amounts, 6 for the cost of one call. */
export function formatUsd(usd: number, decimals = 2): string {
  const text = `$${formatDecimals(Math.abs(usd), decimals)}`;
  return usd < 0 ? `−${text}` : text;
}

/**
 * Quota as the site shows it (spec section 9): dollars where display_in_currency is on, else a short number.
 * @param quota whole quota units
 * @param decimals of the dollar amount
 */
export function formatQuota(quota: number, decimals = 2): string {
  const { display_in_currency, quota_per_unit } = status();
  return display_in_currency ? formatUsd(quota / quota_per_unit, decimals) : formatShort(quota);
}

/** Dollars of an amount of quota, for price fields. */
export const quotaToUsd = (quota: number): number => quota / status().quota_per_unit;

/** A ratio without trailing zeros and with the multiplication sign: 0.8×. */
export const formatRatio = (ratio: number): string => `${numberFormat({ maximumFractionDigits: 6 }).format(ratio)}×`;

const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;

/** Spans of time by the unit that says enough: 12 s, 4 min, 9 h, 26 days. */
function relativeUnit(seconds: number): [number, Intl.RelativeTimeFormatUnit] {
  const size = Math.abs(seconds);
  if (size < MINUTE_S) return [Math.trunc(seconds), "second"];
  if (size < HOUR_S) return [Math.trunc(seconds / MINUTE_S), "minute"];
  if (size < DAY_S) return [Math.trunc(seconds / HOUR_S), "hour"];
  return [Math.trunc(seconds / DAY_S), "day"];
}

/** "12 s ago", "in 26 days". `seconds` is the difference to now, negative for the past. */
export function formatRelativeSeconds(seconds: number): string {
  const [amount, unit] = relativeUnit(seconds);
  const style = unit === "day" ? "long" : "narrow";
  const options = { numeric: unit === "day" ? "auto" : "always", style } as const;
  if (language() === "en" && unit !== "day") return englishShort(amount, unit);
  return kept("r", options, (locale) => new Intl.RelativeTimeFormat(locale, options)).format(amount, unit);
}

const ENGLISH_UNITS: Partial<Record<Intl.RelativeTimeFormatUnit, string>> = { second: "s", minute: "min", hour: "h" };

function englishShort(amount: number, unit: Intl.RelativeTimeFormatUnit): string {
  const text = `${Math.abs(amount)} ${ENGLISH_UNITS[unit] ?? unit}`;
  return amount <= 0 ? `${text} ago` : `in ${text}`;
}

const sameYear = (date: Date, now: Date): boolean => date.getFullYear() === now.getFullYear();

/** How long ago for 2 days back, "in 26 days" for 60 days ahead, else the date. `atS` in Unix seconds. */
export function formatWhen(atS: number, nowMs = Date.now()): string {
  const difference = atS - nowMs / 1000;
  if (difference > -2 * DAY_S && difference < 60 * DAY_S) return formatRelativeSeconds(difference);
  return formatDate(atS, nowMs);
}

/** "Mar 1, 2027"; this year's dates without the year. */
export function formatDate(atS: number, nowMs = Date.now()): string {
  const date = new Date(atS * 1000);
  const year = sameYear(date, new Date(nowMs)) ? {} : { year: "numeric" as const };
  return dateFormat({ month: "short", day: "numeric", ...year }).format(date);
}

/** "15:32:41". */
export const formatClock = (atS: number): string =>
  dateFormat({ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }).format(new Date(atS * 1000));

const zoneOf = (date: Date): string =>
  dateFormat({ timeZoneName: "short" })
    .formatToParts(date)
    .find(({ type }) => type === "timeZoneName")?.value ?? "";

/** The exact moment in local time, with seconds and zone: what a hover shows. Chinese would set the zone before the clock. */
export function formatExact(atS: number): string {
  const date = new Date(atS * 1000);
  const day = dateFormat({ year: "numeric", month: "short", day: "numeric" }).format(date);
  return `${day}${language() === "zh" ? " " : ", "}${formatClock(atS)} ${zoneOf(date)}`;
}

/** "Nov 21, 15:32:41"; other years with the year. */
export function formatDateTime(atS: number, nowMs = Date.now()): string {
  return `${formatDate(atS, nowMs)}${language() === "zh" ? " " : ", "}${formatClock(atS)}`;
}

/** A duration for people: 410 ms, 2.1 s. */
export function formatDurationMs(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${formatDecimals(ms / 1000, 1)} s`;
}
