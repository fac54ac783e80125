/** Numbers, money and times as people read them, in the language shown. Pure but for the language and the site's quota settings. */
import {
  formatQuota as formatExactQuota,
  QUOTA_DISPLAY_TYPES,
  type QuotaDisplay,
  type QuotaDisplayType,
  quotaDisplay,
} from "../../../contract/src/quota-display.ts";
import { language } from "./i18n.ts";
import { type Status, status } from "./status.ts";

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

/** A number with a fixed number of decimals. */
export const formatDecimals = (value: number, decimals: number): string =>
  numberFormat({ minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format(value);

/** "40%", and "<1%" for what is more than nothing. @param share 0 to 1 */
export const formatPercent = (share: number): string =>
  share > 0 && share < 0.01 ? "<1%" : `${Math.round(share * 100)}%`;

const SHORT_STEPS = [
  { from: 1e12, divisor: 1e12, suffix: "T" },
  { from: 1e9, divisor: 1e9, suffix: "B" },
  { from: 1e6, divisor: 1e6, suffix: "M" },
  { from: 1e4, divisor: 1e3, suffix: "k" },
] as const;

/** Short numbers: 10,000 and up k, 1e6 M, 1e9 B, 1e12 T, one decimal; smaller ones in full. */
export function formatShort(value: number): string {
  const step = SHORT_STEPS.find(({ from }) => Math.abs(value) >= from);
  return step === undefined ? formatNumber(value) : `${(value / step.divisor).toFixed(1)}${step.suffix}`;
}

/** Whether amounts are shown in another currency than the dollars that prices are in. */
export const isOtherCurrencyShown = ({ quota_display_type: type }: Status): boolean =>
  type === "CNY" || type === "CUSTOM";

/** A rate of the status as exact decimal text; 1 for what is none, as another console of this family may have stored. */
const rateText = (rate: number): string => (rate >= 0.0001 ? String(Number(rate.toFixed(6))) : "1");

/** Where nothing, or a unit unknown here, is said, whether quota is money decides. What another console of this family stored is read too. */
function unitOf(type: string, isMoney: boolean): QuotaDisplayType {
  const known = QUOTA_DISPLAY_TYPES.find((each) => each === type) ?? "USD";
  return known === "USD" && !isMoney ? "TOKENS" : known;
}

/** How the site shows quota now. */
export function siteQuotaDisplay(
  {
    quota_display_type,
    display_in_currency,
    quota_per_unit,
    usd_exchange_rate,
    custom_currency_symbol,
    custom_currency_exchange_rate,
  }: Status = status(),
): QuotaDisplay {
  return quotaDisplay({
    type: unitOf(quota_display_type, display_in_currency),
    quotaPerUnit: String(quota_per_unit > 0 ? quota_per_unit : 1),
    usdExchangeRate: rateText(usd_exchange_rate),
    customSign: custom_currency_symbol,
    customRate: rateText(custom_currency_exchange_rate),
  });
}

/**
 * Quota as the site shows it: money of its currency, or a short number of units.
 * @param quota whole quota units, as averages have them also parts of one
 * @param decimals of money; what it needs where absent
 */
export const formatQuota = (quota: number, decimals?: number): string =>
  Number.isFinite(quota) ? formatExactQuota(quota, siteQuotaDisplay(), decimals) : "–";

/** An amount of the currency shown, with fixed decimals. */
export function formatAmount(amount: number, decimals = 2): string {
  const text = `${siteQuotaDisplay().currency?.sign ?? ""}${formatDecimals(Math.abs(amount), decimals)}`;
  return amount < 0 ? `−${text}` : text;
}

/** Decimals that such an amount needs to be meaningful: two, and more below one. */
export function amountDecimals(amount: number): number {
  const size = Math.abs(amount);
  if (size === 0 || size >= 1) return 2;
  return size >= 0.001 ? 4 : 6;
}

/** Amount of the currency shown, for scales and bounds; of dollars where the site shows plain units. */
export function quotaToAmount(quota: number): number {
  const { currency } = siteQuotaDisplay();
  return (quota / status().quota_per_unit) * Number(currency?.perUsd ?? "1");
}

/** A ratio without trailing zeros and with the multiplication sign: 0.8×. */
export const formatRatio = (ratio: number): string => `${numberFormat({ maximumFractionDigits: 6 }).format(ratio)}×`;

const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;

/** The past in whole units that are over; the future to the nearest one, so that 30 days chosen a moment ago are 30. */
const wholeUnits = (amount: number): number => (amount < 0 ? Math.trunc(amount) : Math.round(amount));

/** Time spans in one suitable unit: 12 s, 4 min, 9 h, 26 days. */
function relativeUnit(seconds: number): [number, Intl.RelativeTimeFormatUnit] {
  const steps = [
    { unit: "second", lengthS: 1, most: 60 },
    { unit: "minute", lengthS: MINUTE_S, most: 60 },
    { unit: "hour", lengthS: HOUR_S, most: 24 },
  ] as const;
  const step = steps.find(({ lengthS, most }) => Math.abs(wholeUnits(seconds / lengthS)) < most);
  return step === undefined ? [wholeUnits(seconds / DAY_S), "day"] : [wholeUnits(seconds / step.lengthS), step.unit];
}

/** "12 s ago", "in 26 days", "3 分钟前". `seconds` is the difference to now, negative for the past. */
export function formatRelativeSeconds(seconds: number): string {
  const [amount, unit] = relativeUnit(seconds);
  if (language() === "en" && unit !== "day") return englishShort(amount, unit);
  const options = { numeric: "always", style: unit === "day" ? "long" : "narrow" } as const;
  const text = kept("r", options, (locale) => new Intl.RelativeTimeFormat(locale, options)).format(amount, unit);
  // Chinese texts here have a space between a figure and its unit, which the browser omits.
  return text.replace(/\d(?=[^\d\s,.])/, "$& ");
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

/** "Nov 21, 15:32", for ends of periods, where seconds say nothing. */
export const formatMinute = (atS: number): string => formatDateTime(atS).replace(/:\d\d$/, "");

/** From here on tenths of a second are not shown. */
const WHOLE_SECONDS_FROM_MS = 1_000_000;

/** A duration for people: "410 ms" below a second, then "2.1 s", then "1,204 s". @param decimals of seconds */
export function formatDurationMs(ms: number, decimals = 1): string {
  if (Math.round(ms) < 1000) return `${formatNumber(ms)} ms`;
  return `${formatDecimals(ms / 1000, ms < WHOLE_SECONDS_FROM_MS ? decimals : 0)} s`;
}
