/** Currencies that people pay in: how many decimals an amount has, and in which steps a provider takes it. */
import { parseDecimal, toFixedText } from "../money.ts";

/**
 * Decimals of each currency as ISO 4217 and Stripe have them, and the step of an amount in minor units where not every amount is taken:
 * https://docs.stripe.com/currencies#zero-decimal, #three-decimal (the last digit has to be 0) and #special-cases (ISK and UGX are written
 * with two decimals that have to be 0).
 */
export const CURRENCIES = {
  USD: { decimals: 2, step: 1 },
  EUR: { decimals: 2, step: 1 },
  GBP: { decimals: 2, step: 1 },
  CNY: { decimals: 2, step: 1 },
  HKD: { decimals: 2, step: 1 },
  TWD: { decimals: 2, step: 1 },
  JPY: { decimals: 0, step: 1 },
  KRW: { decimals: 0, step: 1 },
  SGD: { decimals: 2, step: 1 },
  MYR: { decimals: 2, step: 1 },
  THB: { decimals: 2, step: 1 },
  VND: { decimals: 0, step: 1 },
  IDR: { decimals: 2, step: 1 },
  PHP: { decimals: 2, step: 1 },
  INR: { decimals: 2, step: 1 },
  AUD: { decimals: 2, step: 1 },
  NZD: { decimals: 2, step: 1 },
  CAD: { decimals: 2, step: 1 },
  MXN: { decimals: 2, step: 1 },
  BRL: { decimals: 2, step: 1 },
  CLP: { decimals: 0, step: 1 },
  CHF: { decimals: 2, step: 1 },
  SEK: { decimals: 2, step: 1 },
  NOK: { decimals: 2, step: 1 },
  DKK: { decimals: 2, step: 1 },
  ISK: { decimals: 2, step: 100 },
  PLN: { decimals: 2, step: 1 },
  CZK: { decimals: 2, step: 1 },
  HUF: { decimals: 2, step: 1 },
  RON: { decimals: 2, step: 1 },
  TRY: { decimals: 2, step: 1 },
  ILS: { decimals: 2, step: 1 },
  AED: { decimals: 2, step: 1 },
  SAR: { decimals: 2, step: 1 },
  BHD: { decimals: 3, step: 10 },
  JOD: { decimals: 3, step: 10 },
  KWD: { decimals: 3, step: 10 },
  OMR: { decimals: 3, step: 10 },
  TND: { decimals: 3, step: 10 },
  ZAR: { decimals: 2, step: 1 },
  UGX: { decimals: 2, step: 100 },
  XAF: { decimals: 0, step: 1 },
  XOF: { decimals: 0, step: 1 },
  XPF: { decimals: 0, step: 1 },
} as const satisfies Readonly<Record<string, { decimals: number; step: number }>>;

export type Currency = keyof typeof CURRENCIES;
export const CURRENCY_CODES = Object.freeze(Object.keys(CURRENCIES) as Currency[]);

const isCurrency = (code: string): code is Currency => Object.hasOwn(CURRENCIES, code);

/** Two decimals where the code is none of the table, as of an order from another version of this program. */
const decimalsOf = (code: string): number => (isCurrency(code) ? CURRENCIES[code].decimals : 2);

/** An amount in minor units as decimal text: 730 CNY is "7.30", 730 JPY is "730". */
export const moneyText = (minor: number, currency: string): string => {
  const decimals = decimalsOf(currency);
  return toFixedText({ numerator: BigInt(minor), denominator: 10n ** BigInt(decimals) }, decimals);
};

/** Decimal text as an exact amount in minor units; undefined where it is no amount, or has more decimals than the currency. */
export function minorUnitsOf(text: string, currency: string): number | undefined {
  if (!/^\d{1,12}(?:\.\d{1,8})?$/.test(text)) return undefined;
  const { numerator, denominator } = parseDecimal(text);
  const scaled = numerator * 10n ** BigInt(decimalsOf(currency));
  return scaled % denominator === 0n ? Number(scaled / denominator) : undefined;
}
