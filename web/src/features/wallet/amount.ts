/** Amounts of a top-up as people type them, and money as it is shown. Pure. */
import type { WalletInfo } from "../../../../contract/src/features/wallet.ts";
import { type QuotaDisplay, typedQuota } from "../../../../contract/src/quota-display.ts";

/** A typed amount: a whole number from 1; undefined where it is none. */
export function amountOf(text: string): number | undefined {
  const bare = text.replace(/[\s,，$]/g, "");
  const amount = /^\d{1,15}$/.test(bare) ? Number(bare) : 0;
  return amount >= 1 ? amount : undefined;
}

/** Quota that an amount buys. */
export const quotaOf = (amount: number, { amount_unit, quota_per_unit }: WalletInfo): number =>
  amount_unit === "units" ? amount * quota_per_unit : amount;

/** The error of a typed amount: it is no whole number, or below the minimum of the site or of the method. */
export function amountProblem(text: string, { minimum }: Pick<WalletInfo, "minimum">): "form" | "minimum" | undefined {
  const amount = amountOf(text);
  if (amount === undefined) return "form";
  return amount < minimum ? "minimum" : undefined;
}

/** A discount as languages write it: what is taken off in percent, and in Chinese the tenths that are paid. */
export const discountRate = (share: number, language: string): number =>
  language === "zh" ? Math.round(share * 1000) / 100 : Math.round((1 - share) * 1000) / 10;

/** Money of a currency as the language writes it: ¥7.30, US$7.30; its digits are kept as they came. */
export function moneyShown(money: string, currency: string, locale: string): string {
  const digits = money.split(".")[1]?.length ?? 0;
  try {
    const style = {
      style: "currency",
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    } as const;
    return new Intl.NumberFormat(locale, style).format(Number(money));
  } catch {
    // A code that this browser does not know.
    return `${money} ${currency}`;
  }
}

const SHARED_DECIMALS = [2, 4, 6] as const;

/** The least decimals with which all these amounts of quota are exact; six where none are, as with a rate of exchange. */
export function sharedDecimals(quotas: readonly number[], display: QuotaDisplay): number {
  const most = Math.max(0, ...quotas.map((quota) => typedQuota(quota, display).split(".")[1]?.length ?? 0));
  return SHARED_DECIMALS.find((decimals) => decimals >= most) ?? 6;
}
