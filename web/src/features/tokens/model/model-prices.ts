/** What a model costs, for pickers. Pure. */
import type { PricingEntry } from "../../../../../contract/src/features/pricing.ts";
import { DEFAULT_RATIOS, type PerTokenPrice } from "../../../../../contract/src/pricing/pricing.ts";
import { usdPerMillionText } from "../../../../../contract/src/pricing/price-display.ts";

/** USD as decimal text: of 1M prompt and completion tokens, or of one call; none where the model has no price. */
export type ModelCost =
  | { kind: "tokens"; input: string; output: string }
  | { kind: "call"; price: string }
  | { kind: "none" };

/** Decimal text without an exponent, as exact as the number. */
const decimalText = (value: number): string =>
  value.toLocaleString("en-US", { useGrouping: false, maximumFractionDigits: 12 });

/** At least two decimals: 1.25, 10.00, 0.075. */
const padded = (text: string): string => {
  const [whole, decimals = ""] = text.split(".");
  return `${whole}.${decimals.padEnd(2, "0")}`;
};

/** The price of a model in a group with this ratio. */
export function modelCost(entry: PricingEntry, groupRatio: number, quotaPerUnit: number): ModelCost {
  if (!entry.has_price) return { kind: "none" };
  if (entry.quota_type === 1) return { kind: "call", price: padded(decimalText(entry.model_price * groupRatio)) };
  const price: PerTokenPrice = {
    kind: "per_token",
    ...DEFAULT_RATIOS,
    ratio: decimalText(entry.model_ratio),
    completionRatio: decimalText(entry.completion_ratio),
  };
  const of = (part: "input" | "output"): string =>
    padded(usdPerMillionText(part, price, decimalText(groupRatio), decimalText(quotaPerUnit)));
  return { kind: "tokens", input: of("input"), output: of("output") };
}
