/** Amounts as people type them, in the unit that the site shows. Pure but for how the site shows quota. */
import { parseQuota, type QuotaDisplay, typedQuota } from "../../../../contract/src/quota-display.ts";
import { formatNumber, siteQuotaDisplay } from "../../lib/format.ts";
import { useStatus } from "../../lib/status.ts";

/** How the site shows quota. */
export interface QuotaView {
  display: QuotaDisplay;
  /** The currency's sign, which stands before the field; undefined where quota is typed. */
  sign: string | undefined;
  /** Quota of one dollar. */
  quotaPerUnit: number;
}

export const quotaViewOf = (display: QuotaDisplay): QuotaView => ({
  display,
  sign: display.currency?.sign,
  quotaPerUnit: Number(display.quotaPerUnit),
});

export const useQuotaView = (): QuotaView => quotaViewOf(siteQuotaDisplay(useStatus()));

/** Width of the sign before a field, in px. */
export const signWidth = ({ sign = "" }: QuotaView): number => 18 + 8 * Math.max(1, [...sign].length);

/** Quota as it is typed: "50.00", more decimals only where the amount needs them. */
export const amountText = (quota: number, { display }: QuotaView): string => typedQuota(quota, display);

/** Quota of a typed amount, a whole number from 0; undefined where it is none. */
export const amountQuota = (text: string, { display }: QuotaView): number | undefined =>
  parseQuota(text, display)?.quota;

/** A typed amount in units: "2,500,000", "≈ 34,247" where they were rounded; "" for no amount, and where units are typed. */
export function unitsNote(text: string, { display, sign }: QuotaView): string {
  const read = sign === undefined ? undefined : parseQuota(text, display);
  return read === undefined ? "" : `${read.isRounded ? "≈ " : ""}${formatNumber(read.quota)}`;
}

/** The same with a sign before it: "-2.50" takes away, "+5" and "5" add. */
export function signedQuota(text: string, view: QuotaView): number | undefined {
  const bare = text.trim();
  const isNegative = /^[-−－]/.test(bare);
  const quota = amountQuota(bare.replace(/^[-−－+＋]/, ""), view);
  // Minus zero is no amount of its own.
  return quota === undefined || quota === 0 ? quota : isNegative ? -quota : quota;
}
