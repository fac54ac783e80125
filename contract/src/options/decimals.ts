/** Parses a typed or JSON number into decimal text: for options that are stored as such, and for forms that apply the same check. */
import { MAX_DECIMAL_LENGTH } from "../money.ts";
import type { OptionReason } from "./reasons.ts";

/** No real ratio or price is higher: a million USD, or a million times the unit. */
export const MAX_RATIO = 1_000_000;

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;
/** Whatever the size of its exponent. */
const NUMBER = /^[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?$/;

/**
 * Rewrites a JSON or typed number as plain decimal text without exponent, so that money code never sees a binary fraction. Gives the
 * reason instead for anything that is not a finite number or has more digits than money code reads.
 */
export function plainDecimal(text: string): { decimal: string } | { reason: OptionReason } {
  const match = DECIMAL.exec(text.trim());
  if (match === null) return { reason: NUMBER.test(text.trim()) ? "number_size" : "number" };
  const [, sign = "", whole = "0", fraction = "", exponentText = "0"] = match;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > 40) return { reason: "number_size" };
  const digits = whole + fraction;
  const point = whole.length + exponent;
  const padded = point <= 0 ? "0".repeat(1 - point) + digits : digits.padEnd(point, "0");
  const split = Math.max(point, 1);
  const left = padded.slice(0, split).replace(/^0+(?=\d)/, "");
  const right = padded.slice(split).replace(/0+$/, "");
  const plain = right === "" ? left : `${left}.${right}`;
  if (plain.length > MAX_DECIMAL_LENGTH) return { reason: "number_size" };
  return { decimal: sign === "-" && plain !== "0" ? `-${plain}` : plain };
}
