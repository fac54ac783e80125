/** Which models a token can call and what each costs, for pickers. Pure. */
import type { PricingEntry } from "../../../../../contract/src/features/pricing.ts";
import type { TokenRow } from "../../../../../contract/src/features/tokens.ts";
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

/** What a model costs in a group with this ratio. */
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

/** Entries that calls of a group reach, by name. */
export const modelsOfGroup = (entries: readonly PricingEntry[], group: string): PricingEntry[] =>
  entries
    .filter((entry) => entry.enable_groups.includes(group))
    .toSorted((a, b) => a.model_name.localeCompare(b.model_name));

/** Names of the models this token can call now: its group's, within its limits. */
export function callableModels(token: TokenRow, entries: readonly PricingEntry[], group: string): string[] {
  const offered = modelsOfGroup(entries, group).map((entry) => entry.model_name);
  if (!token.model_limits_enabled) return offered;
  const limits = new Set(token.model_limits.split(","));
  return offered.filter((name) => limits.has(name));
}
