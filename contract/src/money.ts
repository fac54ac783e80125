/** Quota, dollars and ratios as exact numbers: the only place that converts between decimal text and amounts. */

/** An exact value; the denominator is above 0. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;
/** No real price or ratio is longer; the bound keeps a malicious option from costing seconds of arithmetic. */
export const MAX_DECIMAL_LENGTH = 64;
const MAX_EXPONENT = 30;

/**
 * Reads decimal text ("0.075", "2e-7", "-3") as an exact fraction.
 * Throws a RangeError for anything else: infinity, hexadecimal, separators, more than 64 characters, exponents beyond 30.
 */
export function parseDecimal(text: string): Fraction {
  const match = text.length <= MAX_DECIMAL_LENGTH ? DECIMAL.exec(text) : null;
  if (match === null) throw new RangeError(`not a decimal number: ${text.slice(0, MAX_DECIMAL_LENGTH)}`);
  const [, sign = "", whole = "0", decimals = "", exponentText = "0"] = match;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > MAX_EXPONENT) throw new RangeError(`exponent out of range: ${text}`);
  const digits = BigInt(whole + decimals) * (sign === "-" ? -1n : 1n);
  const shift = exponent - decimals.length;
  return shift >= 0
    ? { numerator: digits * 10n ** BigInt(shift), denominator: 1n }
    : { numerator: digits, denominator: 10n ** BigInt(-shift) };
}

/** True where `text` is a decimal number of at least 0, as ratios and prices have to be. */
export function isRatioText(text: string): boolean {
  try {
    return parseDecimal(text).numerator >= 0n;
  } catch {
    return false;
  }
}

/** Reads a ratio or a price: decimal text of at least 0. Throws a RangeError otherwise. */
export function parseRatio(text: string): Fraction {
  const value = parseDecimal(text);
  if (value.numerator < 0n) throw new RangeError(`a ratio is at least 0: ${text}`);
  return value;
}

export const fractionOf = (whole: bigint | number): Fraction => ({ numerator: BigInt(whole), denominator: 1n });

export const multiply = (a: Fraction, b: Fraction): Fraction => ({
  numerator: a.numerator * b.numerator,
  denominator: a.denominator * b.denominator,
});

export const add = (a: Fraction, b: Fraction): Fraction => ({
  numerator: a.numerator * b.denominator + b.numerator * a.denominator,
  denominator: a.denominator * b.denominator,
});

/** Throws a RangeError when `b` is 0. */
export function divide(a: Fraction, b: Fraction): Fraction {
  if (b.numerator === 0n) throw new RangeError("division by zero");
  const sign = b.numerator < 0n ? -1n : 1n;
  return { numerator: a.numerator * b.denominator * sign, denominator: a.denominator * b.numerator * sign };
}

/** Rounds to a whole number, halves away from zero (2.5 -> 3, -2.5 -> -3). */
export function roundHalfAway(value: Fraction): bigint {
  const isNegative = value.numerator < 0n;
  const size = isNegative ? -value.numerator : value.numerator;
  const rounded = (2n * size + value.denominator) / (2n * value.denominator);
  return isNegative ? -rounded : rounded;
}

/** A whole number as a JavaScript number. Throws a RangeError outside ±(2^53 - 1), where numbers stop being exact. */
export function toSafeNumber(value: bigint): number {
  const result = Number(value);
  if (!Number.isSafeInteger(result)) throw new RangeError(`not a safe integer: ${value}`);
  return result;
}

/** Returns a safe integer unchanged. Throws a RangeError for fractions, NaN and anything beyond ±(2^53 - 1). */
export function assertQuota(value: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError(`quota has to be a safe integer: ${value}`);
  return value;
}

/** Prints `value` with exactly `digits` decimals, rounding halves away from zero. */
export function toFixedText(value: Fraction, digits: number): string {
  const scaled = roundHalfAway({ numerator: value.numerator * 10n ** BigInt(digits), denominator: value.denominator });
  const text = (scaled < 0n ? -scaled : scaled).toString().padStart(digits + 1, "0");
  const body = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
  return scaled < 0n ? `-${body}` : body;
}

/** Prints `value` with at most `maxDigits` decimals and without trailing zeros; exact where the value has no more decimals. */
export function toDecimalText(value: Fraction, maxDigits = 30): string {
  const text = toFixedText(value, maxDigits);
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

/** Prints every digit of a value whose denominator is a power of ten, as sums and products of decimal texts have. */
export const toExactText = (value: Fraction): string => toDecimalText(value, value.denominator.toString().length - 1);

/** Quota as an exact amount of US dollars. Throws a RangeError when QuotaPerUnit is 0 or not a decimal number. */
export const quotaToUsd = (quota: number, quotaPerUnit: string): Fraction =>
  divide(fractionOf(assertQuota(quota)), parseRatio(quotaPerUnit));

/** US dollars (decimal text) as quota, rounding halves away from zero. Throws a RangeError for bad text or an unsafe result. */
export const usdToQuota = (usd: string, quotaPerUnit: string): number =>
  toSafeNumber(roundHalfAway(multiply(parseDecimal(usd), parseRatio(quotaPerUnit))));

const SHORT_UNITS = [
  { from: 1_000_000_000, unit: "B", size: 1_000_000_000n },
  { from: 1_000_000, unit: "M", size: 1_000_000n },
  { from: 10_000, unit: "k", size: 1_000n },
] as const;

/** A count in compact form: 9999, "10.0k", "2.5M", "1.0B" (k from 1e4, M from 1e6, B from 1e9; one decimal). */
export function formatShort(count: number): string {
  const size = Math.abs(count);
  const unit = SHORT_UNITS.find((candidate) => size >= candidate.from);
  if (unit === undefined) return String(count);
  return toFixedText({ numerator: BigInt(Math.trunc(count)), denominator: unit.size }, 1) + unit.unit;
}
