/**
 * Quota in the unit that the site shows: dollars, yuan, a currency of its own, or plain numbers. The only place that writes and reads amounts
 * in it; the ledger, prices and payments know nothing of it.
 */
import {
  divide,
  type Fraction,
  formatShort,
  fractionOf,
  multiply,
  parseDecimal,
  parseRatio,
  roundHalfAway,
  toFixedText,
} from "./money.ts";

/** Values of the option general_setting.quota_display_type, which new-api knows by the same words; `TOKENS` are plain units of quota. */
export const QUOTA_DISPLAY_TYPES = ["USD", "CNY", "TOKENS", "CUSTOM"] as const;
export type QuotaDisplayType = (typeof QUOTA_DISPLAY_TYPES)[number];

export interface ShownCurrency {
  /** Stands before the amount: "$", "¥". */
  sign: string;
  /** Amount of this currency for one US dollar, as decimal text above 0. */
  perUsd: string;
}

export interface QuotaDisplay {
  /** Undefined where the site shows plain units of quota. */
  currency: ShownCurrency | undefined;
  /** Quota of one US dollar, as decimal text above 0. */
  quotaPerUnit: string;
}

/** The options that decide it; rates as decimal text. */
export interface QuotaDisplaySettings {
  type: QuotaDisplayType;
  quotaPerUnit: string;
  /** Yuan for one US dollar. */
  usdExchangeRate: string;
  customSign: string;
  /** Amount of the site's own currency for one US dollar. */
  customRate: string;
}

const CURRENCIES: Readonly<Record<QuotaDisplayType, (settings: QuotaDisplaySettings) => ShownCurrency | undefined>> = {
  USD: () => ({ sign: "$", perUsd: "1" }),
  CNY: ({ usdExchangeRate }) => ({ sign: "¥", perUsd: usdExchangeRate }),
  CUSTOM: ({ customSign, customRate }) => ({ sign: customSign, perUsd: customRate }),
  TOKENS: () => undefined,
};

export const quotaDisplay = (settings: QuotaDisplaySettings): QuotaDisplay => ({
  currency: CURRENCIES[settings.type](settings),
  quotaPerUnit: settings.quotaPerUnit,
});

/** Decimals of a unit that an average of quota keeps. */
const AVERAGE_DECIMALS = 9;

const exactly = (quota: number): Fraction =>
  Number.isSafeInteger(quota) ? fractionOf(quota) : parseDecimal(quota.toFixed(AVERAGE_DECIMALS));

/** Quota as an exact amount of the currency shown; of quota itself where none is. Throws a RangeError for NaN and infinity. */
const shownAmount = (quota: number, { currency, quotaPerUnit }: QuotaDisplay): Fraction =>
  currency === undefined
    ? exactly(quota)
    : multiply(divide(exactly(quota), parseRatio(quotaPerUnit)), parseRatio(currency.perUsd));

const grouped = (digits: string): string => digits.replace(/\B(?=(?:\d{3})+(?!\d))/g, ",");

/** An amount of money with its sign: "$1,234.50", "−¥0.02". @param digits decimals, rounded half away from zero */
function formatMoney(amount: Fraction, sign: string, digits: number): string {
  const text = toFixedText(amount, digits);
  const [whole = "0", decimals] = text.replace("-", "").split(".");
  const body = `${sign}${grouped(whole)}${decimals === undefined ? "" : `.${decimals}`}`;
  return text.startsWith("-") ? `−${body}` : body;
}

/** Amounts from each bound on, in millionths, have so many decimals. */
const DECIMALS_FROM = [
  { micros: 1_000_000n, digits: 2 },
  { micros: 1_000n, digits: 4 },
  { micros: 1n, digits: 6 },
] as const;
const MOST_DECIMALS = 6;
const MICRO = 10n ** BigInt(MOST_DECIMALS);

/** Decimals that an amount of money needs to be meaningful: two, four below one, six below a thousandth. */
function neededDecimals({ numerator, denominator }: Fraction): number {
  const size = ((numerator < 0n ? -numerator : numerator) * MICRO) / denominator;
  if (numerator === 0n) return 2;
  return DECIMALS_FROM.find(({ micros }) => size >= micros)?.digits ?? MOST_DECIMALS;
}

/** Whether there is something that rounds to nothing. */
const isTiny = (amount: Fraction, digits: number): boolean =>
  amount.numerator > 0n && roundHalfAway(multiply(amount, fractionOf(10n ** BigInt(digits)))) === 0n;

/**
 * Quota as the site shows it: money, or a short number of units ("9,999", "2.5M").
 * @param quota units; averages also have parts of one
 * @param digits decimals of money; where absent as many as it needs, and what is there is never rounded to nothing ("<$0.000001")
 */
export function formatQuota(quota: number, display: QuotaDisplay, digits?: number): string {
  if (display.currency === undefined) return grouped(formatShort(quota));
  const amount = shownAmount(quota, display);
  const { sign } = display.currency;
  const shown = digits ?? neededDecimals(amount);
  if (digits !== undefined || !isTiny(amount, shown)) return formatMoney(amount, sign, shown);
  return `<${formatMoney({ numerator: 1n, denominator: 10n ** BigInt(shown) }, sign, shown)}`;
}

/** An amount as it was read. */
export interface ReadAmount {
  /** Whole units. */
  quota: number;
  /** Whether the amount typed is no whole number of units, so that this is the nearest one. */
  isRounded: boolean;
}

const PLAIN_AMOUNT = /^(?:\d{1,30}(?:\.\d{0,24})?|\.\d{1,24})$/;

/**
 * Reads an amount typed in the unit shown: blanks, separators of thousands and the currency's sign (or $) are passed over. Exact, then
 * rounded half away from zero to whole units.
 * @returns undefined for anything but an amount from 0 that quota can hold; for plain units anything but a whole number
 */
export function parseQuota(text: string, display: QuotaDisplay): ReadAmount | undefined {
  const { currency, quotaPerUnit } = display;
  const bare = text.replaceAll(currency?.sign ?? "$", "").replaceAll(/[\s,，$]/g, "");
  if (!PLAIN_AMOUNT.test(bare)) return undefined;
  const amount = parseDecimal(bare.replace(/^\./, "0.").replace(/\.$/, ""));
  const exact =
    currency === undefined ? amount : divide(multiply(amount, parseRatio(quotaPerUnit)), parseRatio(currency.perUsd));
  const rounded = roundHalfAway(exact);
  const isRounded = rounded * exact.denominator !== exact.numerator;
  const quota = Number(rounded);
  return Number.isSafeInteger(quota) && !(isRounded && currency === undefined) ? { quota, isRounded } : undefined;
}

const MOST_TYPED_DECIMALS = 24;

/** Decimals with which every amount of quota is read back as itself: a step of the last one is worth less than one unit. */
function typedDecimals({ quotaPerUnit, currency }: QuotaDisplay): number {
  const unit = divide(parseRatio(currency?.perUsd ?? "1"), parseRatio(quotaPerUnit));
  let digits = 2;
  while (digits < MOST_TYPED_DECIMALS && unit.numerator * 10n ** BigInt(digits) <= unit.denominator) digits += 1;
  return digits;
}

/**
 * Quota as it is typed: "50.00", with more decimals only where the amount needs them, without sign and separators. `parseQuota` reads
 * exactly this quota back.
 */
export function typedQuota(quota: number, display: QuotaDisplay): string {
  if (display.currency === undefined) return String(quota);
  const text = toFixedText(shownAmount(quota, display), typedDecimals(display));
  const [whole, decimals = ""] = text.split(".");
  return `${whole}.${decimals.replace(/0+$/, "").padEnd(2, "0")}`;
}
