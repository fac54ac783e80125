/** Which models a token can call, and what a run of the doctor with one of them costs at most. Pure. */
import { CHARGED_STEPS, MAX_ANSWER_TOKENS, MAX_SENT_TOKENS } from "../../../../../contract/src/doctor/steps.ts";
import type { PricingEntry } from "../../../../../contract/src/features/pricing.ts";
import type { TokenRow } from "../../../../../contract/src/features/tokens.ts";

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

/** USD of 1M prompt tokens at a ratio of 1. */
const USD_PER_MILLION = 2;

/** USD that the charged calls of the doctor cost together at most; undefined where the model has no price. */
export function doctorCostUsd(entry: PricingEntry, groupRatio: number): number | undefined {
  if (!entry.has_price) return undefined;
  const calls = CHARGED_STEPS.length;
  if (entry.quota_type === 1) return entry.model_price * groupRatio * calls;
  const tokens = MAX_SENT_TOKENS + MAX_ANSWER_TOKENS * calls * entry.completion_ratio;
  return (tokens * entry.model_ratio * USD_PER_MILLION * groupRatio) / 1e6;
}
