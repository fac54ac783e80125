/** Amounts in dollars as LiteLLM keeps them (double precision), exact as they are printed, and as quota here. */

/** `digits` of 10^-scale. */
export interface Usd {
  digits: bigint;
  scale: number;
}

export const NOTHING: Usd = { digits: 0n, scale: 0 };

/** More than a double has. */
const LARGEST_EXPONENT = 400;

/** Reads a number as PostgreSQL prints it; undefined for NULL, NaN and infinity. */
export function readUsd(cell: string | null | undefined): Usd | undefined {
  const match = /^([+-]?)(\d+)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i.exec((cell ?? "").trim());
  if (match === null) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const scale = fraction.length - Number(exponent);
  if (Math.abs(scale) > LARGEST_EXPONENT) return undefined;
  const digits = BigInt(whole + fraction) * (sign === "-" ? -1n : 1n);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

const widened = ({ digits, scale }: Usd, to: number): bigint => digits * 10n ** BigInt(to - scale);

export function minus(one: Usd, other: Usd): Usd {
  const scale = Math.max(one.scale, other.scale);
  return { digits: widened(one, scale) - widened(other, scale), scale };
}

export const plus = (one: Usd, other: Usd): Usd => minus(one, { ...other, digits: -other.digits });

/** Below 0 where `one` is less than `other`. */
export const compare = (one: Usd, other: Usd): number => Math.sign(Number(minus(one, other).digits));

export const smaller = (one: Usd | undefined, other: Usd | undefined): Usd | undefined =>
  one === undefined || (other !== undefined && compare(other, one) < 0) ? other : one;

export const larger = (one: Usd, other: Usd): Usd => (compare(one, other) < 0 ? other : one);

/** As people write it, all digits kept. */
export function usdText({ digits, scale }: Usd): string {
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0");
  const fraction = text.slice(text.length - scale).replace(/0+$/, "");
  return `${digits < 0n ? "-" : ""}${text.slice(0, text.length - scale)}${scale === 0 || fraction === "" ? "" : `.${fraction}`}`;
}

export interface Quota {
  /** The whole number that is kept, rounded half away from zero. */
  quota: bigint;
  /** The difference to the exact amount, in quota; undefined where there is none. */
  remainder: Usd | undefined;
}

/** @param unit quota of one dollar */
export function quotaOf({ digits, scale }: Usd, unit: Usd): Quota {
  const exact = digits * unit.digits;
  const base = 10n ** BigInt(scale + unit.scale);
  const half = exact < 0n ? -base : base;
  const quota = (2n * exact + half) / (2n * base);
  const left = exact - quota * base;
  return { quota, remainder: left === 0n ? undefined : { digits: left, scale: scale + unit.scale } };
}
