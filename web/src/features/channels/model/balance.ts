/** Balances of channels as the list shows them: known or not, low or not, and one sum a currency. */
import type { ChannelRow } from "../../../../../contract/src/features/channels.ts";
import { formatDecimals } from "../../../lib/format.ts";

const CURRENCY_SIGNS: Readonly<Record<string, string>> = { USD: "$", CNY: "¥" };

/** An amount in the currency it is reported in, never converted: "$12.50", "−¥3.00", "9.10 EUR". `currency` is an ISO 4217 code, or `points`. */
export function formatMoney(amount: number, currency: string): string {
  const sign = CURRENCY_SIGNS[currency];
  const digits = formatDecimals(Math.abs(amount), 2);
  return `${amount < 0 ? "−" : ""}${sign ?? ""}${digits}${sign === undefined ? ` ${currency}` : ""}`;
}

type WithBalance = Pick<ChannelRow, "balance" | "balance_currency" | "balance_updated_time">;

/** Whether the upstream ever reported this channel's balance. */
export const hasBalance = ({ balance_updated_time }: Pick<ChannelRow, "balance_updated_time">): boolean =>
  balance_updated_time > 0;

/** Whether there is something to show: a balance, or why there is none. */
export const wasAsked = (channel: Pick<ChannelRow, "balance_updated_time" | "balance_failure">): boolean =>
  hasBalance(channel) || channel.balance_failure !== null;

/** Below these amounts a balance is a warning; in other currencies where nothing is left. */
const LOW_AMOUNTS: Readonly<Record<string, number>> = { USD: 10, CNY: 70 };

export const isLow = ({ balance, balance_currency }: Omit<WithBalance, "balance_updated_time">): boolean =>
  balance <= 0 || balance < (LOW_AMOUNTS[balance_currency] ?? 0);

export interface Sum {
  currency: string;
  amount: number;
}

/** Sums of the balances that are known, one a currency, the largest first. */
export function balanceSums(channels: readonly WithBalance[]): Sum[] {
  const byCurrency = Map.groupBy(channels.filter(hasBalance), ({ balance_currency }) => balance_currency);
  const sums = [...byCurrency].map(([currency, members]) => ({
    currency,
    amount: members.reduce((sum, { balance }) => sum + balance, 0),
  }));
  return sums.toSorted((a, b) => b.amount - a.amount);
}
