/** Amounts as people type them: dollars, or quota units where the site shows those. Pure but for how the site shows quota. */
import { useStatus } from "../../lib/status.ts";

/** How the site shows quota. */
export interface QuotaView {
  isCurrency: boolean;
  quotaPerUnit: number;
}

export function useQuotaView(): QuotaView {
  const { display_in_currency, quota_per_unit } = useStatus();
  return { isCurrency: display_in_currency, quotaPerUnit: quota_per_unit };
}

/** Decimals that quota units can need at the default QuotaPerUnit. */
const USD_DECIMALS = 6;

/** Quota as it is typed: "50.00", more decimals only where the amount needs them. */
export function amountText(quota: number, view: QuotaView): string {
  if (!view.isCurrency) return String(quota);
  const [whole, decimals = ""] = (quota / view.quotaPerUnit).toFixed(USD_DECIMALS).split(".");
  return `${whole}.${decimals.replace(/0+$/, "").padEnd(2, "0")}`;
}

/** Quota of a typed amount, a whole number from 0; undefined where it is none. */
export function amountQuota(text: string, view: QuotaView): number | undefined {
  const bare = text.replace(/[\s,，$]/g, "");
  if (!/^\d+(?:\.\d*)?$|^\.\d+$/.test(bare)) return undefined;
  const quota = view.isCurrency ? Math.round(Number(bare) * view.quotaPerUnit) : Number(bare);
  return Number.isSafeInteger(quota) ? quota : undefined;
}

/** The same with a sign before it: "-2.50" takes away, "+5" and "5" add. */
export function signedQuota(text: string, view: QuotaView): number | undefined {
  const bare = text.trim();
  const isNegative = /^[-−－]/.test(bare);
  const quota = amountQuota(bare.replace(/^[-−－+＋]/, ""), view);
  // Minus zero is no amount of its own.
  return quota === undefined || quota === 0 ? quota : isNegative ? -quota : quota;
}
