/** How a charge came about, as lines whose printed numbers add up to the printed total. Pure. */
import {
  divide,
  type Fraction,
  fractionOf,
  multiply,
  parseRatio,
  roundHalfAway,
  toFixedText,
} from "../../../../../contract/src/money.ts";
import {
  explainCharge,
  type ModelPrice,
  PARTS,
  type Part,
  partRatios,
  type PerTokenPrice,
  productOf,
} from "../../../../../contract/src/pricing.ts";
import { usdPerMillionText } from "../../../../../contract/src/price-display.ts";
import { NO_USAGE, type Usage } from "../../../../../contract/src/usage.ts";
import type { LogRow } from "./log-row.ts";
import type { Receipt } from "./receipt.ts";

/** Decimals of every amount in the table. */
const DIGITS = 6;
const MICRO = 10n ** BigInt(DIGITS);

export interface PriceLine {
  part: Part | "call";
  count: number;
  /** USD for 1M tokens, or for the call. */
  price: string;
  /** Product of the model's ratios; "" for a fixed price. */
  ratio: string;
  /** Dollars with 6 decimals. */
  cost: string;
}

export interface PriceTable {
  lines: readonly PriceLine[];
  subtotal: string;
  groupRatio: string;
  /** What is left between subtotal × group ratio and the charge, with its sign; undefined where the printed numbers meet. */
  remainder: string | undefined;
  /** `rounded`: to whole quota; `other`: parts this receipt does not name. */
  remainderKind: "rounded" | "other";
  charged: string;
  quota: number;
  /** Ratios for the line below the table; undefined for a fixed price. */
  ratios: { model: string; completion: string; cache: string } | undefined;
}

const textOf = (value: number | string | undefined, fallback: string): string =>
  value === undefined ? fallback : String(value);

/** The price a receipt was charged by. Ratios that had no tokens are not in it and do not matter. */
export function priceOf(receipt: Receipt): ModelPrice | undefined {
  const fixed = Number(receipt.model_price ?? -1);
  if (fixed >= 0) return { kind: "per_call", price: String(receipt.model_price) };
  if (receipt.model_ratio === undefined) return undefined;
  return {
    kind: "per_token",
    ratio: String(receipt.model_ratio),
    completionRatio: textOf(receipt.completion_ratio, "1"),
    cacheRatio: textOf(receipt.cache_ratio, "1"),
    cacheCreationRatio: textOf(receipt.cache_creation_ratio, "1"),
    imageRatio: textOf(receipt.image_ratio, "1"),
    audioRatio: textOf(receipt.audio_ratio, "1"),
    audioCompletionRatio: textOf(receipt.audio_completion_ratio, "1"),
  };
}

/** Counts of a receipt; of rows without them the columns of the row. */
function usageOf(row: LogRow, receipt: Receipt): Usage {
  const counted = receipt.usage ?? {
    inputTokens: row.prompt_tokens,
    outputTokens: row.completion_tokens,
    cacheReadTokens: receipt.cache_tokens ?? 0,
    cacheWriteTokens: receipt.cache_creation_tokens ?? 0,
  };
  return { ...NO_USAGE, ...counted };
}

const micros = (value: Fraction): bigint =>
  roundHalfAway({ numerator: value.numerator * MICRO, denominator: value.denominator });
const add = (a: Fraction, b: Fraction): Fraction => ({
  numerator: a.numerator * b.denominator + b.numerator * a.denominator,
  denominator: a.denominator * b.denominator,
});
const textOfMicros = (value: bigint): string => toFixedText({ numerator: value, denominator: MICRO }, DIGITS);

/** Rounds amounts to millionths so that they sum to their rounded sum: what is missing goes where most was cut off. */
function apportion(amounts: readonly Fraction[]): { parts: bigint[]; total: bigint } {
  const total = micros(amounts.reduce(add, fractionOf(0)));
  const parts = amounts.map(({ numerator, denominator }) => (numerator * MICRO) / denominator);
  // Remainders are compared over one scale; twelve more digits tell any two prices apart.
  const cut = amounts.map(
    ({ numerator, denominator }) => (((numerator * MICRO) % denominator) * 10n ** 12n) / denominator,
  );
  const order = cut.map((_, index) => index).toSorted((a, b) => Number((cut[b] ?? 0n) - (cut[a] ?? 0n)));
  let missing = total - parts.reduce((sum, part) => sum + part, 0n);
  for (const index of order) {
    if (missing <= 0n) break;
    parts[index] = (parts[index] ?? 0n) + 1n;
    missing -= 1n;
  }
  return { parts, total };
}

const partIndex = (part: Part | "call"): number => (part === "call" ? -1 : PARTS.indexOf(part));

function linesOf(price: ModelPrice, usage: Usage, quotaPerUnit: string): { lines: PriceLine[]; total: bigint } {
  const { steps } = explainCharge(usage, price, "1", quotaPerUnit);
  const dollars = steps.map(({ part, count }): Fraction => {
    if (price.kind === "per_call") return parseRatio(price.price);
    const ratio = productOf([price.ratio, ...(partRatios(price)[partIndex(part)] ?? [])]);
    return divide(multiply(fractionOf(count), ratio), parseRatio(quotaPerUnit));
  });
  const { parts, total } = apportion(dollars);
  const lines = steps.map(({ part, count, ratio }, index): PriceLine => {
    const isFixed = price.kind === "per_call" || part === "call";
    return {
      part,
      count,
      ratio: isFixed ? "" : ratio,
      price: isFixed
        ? textOf((price as { price?: string }).price, "0")
        : usdPerMillionText(part, price, "1", quotaPerUnit),
      cost: textOfMicros(parts[index] ?? 0n),
    };
  });
  return { lines, total };
}

const ratiosOf = (price: PerTokenPrice): PriceTable["ratios"] => ({
  model: price.ratio,
  completion: price.completionRatio,
  cache: price.cacheRatio,
});

/**
 * The lines of a charged row, recomputed by the formula that charged it. Undefined where the receipt names no price.
 * @param quotaPerUnit of the site now, as text
 */
export function priceTable(row: LogRow, receipt: Receipt, quotaPerUnit: string): PriceTable | undefined {
  const price = priceOf(receipt);
  if (price === undefined) return undefined;
  try {
    const usage = usageOf(row, receipt);
    const groupRatio = textOf(receipt.group_ratio, "1");
    const { lines, total } = linesOf(price, usage, quotaPerUnit);
    const charged = micros(divide(fractionOf(row.quota), parseRatio(quotaPerUnit)));
    const remainder = charged - micros(multiply({ numerator: total, denominator: MICRO }, parseRatio(groupRatio)));
    return {
      lines,
      subtotal: textOfMicros(total),
      groupRatio,
      remainder: remainder === 0n ? undefined : textOfMicros(remainder),
      remainderKind: explainCharge(usage, price, groupRatio, quotaPerUnit).quota === row.quota ? "rounded" : "other",
      charged: textOfMicros(charged),
      quota: row.quota,
      ratios: price.kind === "per_call" ? undefined : ratiosOf(price),
    };
  } catch (error) {
    // Ratios another program wrote may be no decimals: then there is a total and no way to it.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
