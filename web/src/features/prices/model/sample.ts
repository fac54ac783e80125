/** What a sample call would cost under a draft's price in a group, by the functions that charge. Pure. */
import { quotaToUsd, toDecimalText } from "../../../../../contract/src/money.ts";
import { explainCharge } from "../../../../../contract/src/pricing/charge-receipt.ts";
import type { ModelPrice } from "../../../../../contract/src/pricing/pricing.ts";
import { NO_USAGE } from "../../../../../contract/src/pricing/usage.ts";

export interface SampleCall {
  input: number;
  cached: number;
  output: number;
}

const CALLS = 1000;
const DIGITS = 6;

export interface SampleCost {
  /** USD of one call and of a thousand, as text. */
  one: string;
  thousand: string;
  /** The charge in quota with the numbers filled in, as receipts have it. */
  formula: string;
  /** Bound of the tier that applies. */
  tierAbove: number | undefined;
}

export function sampleCost(call: SampleCall, price: ModelPrice, groupRatio: string, quotaPerUnit: string): SampleCost {
  const usage = { ...NO_USAGE, inputTokens: call.input, cacheReadTokens: call.cached, outputTokens: call.output };
  const { quota, formula, tierAbove } = explainCharge(usage, price, groupRatio, quotaPerUnit);
  const usd = (amount: number) => toDecimalText(quotaToUsd(amount, quotaPerUnit), DIGITS);
  return { one: usd(quota), thousand: usd(quota * CALLS), formula, tierAbove };
}
