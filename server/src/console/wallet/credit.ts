/** Credits an order: its status, the ledger entry with the balance, and the row in the log are one transaction, so it happens once or not at all. */
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { LogEvent } from "../../../../contract/src/log-events.ts";
import { moneyText } from "../../../../contract/src/payments/currencies.ts";
import type { LogEntry } from "../../billing/billing.ts";
import { BLANK_ENTRY } from "../../billing/log-row.ts";
import type { WalletContext } from "./payment-method.ts";
import { type StoredOrder, markPaid } from "./store.ts";

export interface Payment {
  /** The provider's number of the order; "" where it tells none. */
  reference: string;
  paymentReference?: string;
  /** The administrator who enters it by hand. */
  completedBy?: number;
}

/** "7.30 CNY": an amount as texts of the log have it. */
export const moneyWithCurrency = (minor: number, currency: string): string =>
  `${moneyText(minor, currency)} ${currency}`;

/** What the ledger and the log say of an order's buyer. @param type one of LOG_TYPE */
export function orderLog(
  order: StoredOrder,
  entryId: string,
  facts: Pick<LogEntry, "type" | "quota" | "createdAt"> & { event: LogEvent },
): LogEntry {
  const { event, ...rest } = facts;
  return {
    ...BLANK_ENTRY,
    ...rest,
    requestId: entryId,
    userId: order.user_id,
    username: order.username,
    groupName: order.group_name,
    other: JSON.stringify({ event }),
  };
}

/**
 * Credits an order that was paid. A payment of an order that had ended counts too, for the money is there.
 * @returns false where it was credited before.
 */
export function creditOrder(
  context: Pick<WalletContext, "billing" | "clock">,
  order: StoredOrder,
  payment: Payment,
): Promise<boolean> {
  const { id, user_id: userId, trade_no: tradeNo, quota, method } = order;
  const { reference, paymentReference = "", completedBy = 0 } = payment;
  const entryId = `top_up:${tradeNo}`;
  const now = Math.floor(context.clock() / 1000);
  const values = { quota, money: moneyWithCurrency(order.money_minor, order.currency) };
  const event = { code: completedBy === 0 ? "top_up_paid" : "top_up_completed", values } as const;
  const actor = completedBy === 0 ? {} : { actor: completedBy };
  return context.billing.move(
    {
      entryId,
      kind: "top_up",
      userId,
      quotaDelta: quota,
      detail: JSON.stringify({ reason: "paid", order: tradeNo, method, reference, ...actor }),
      log: orderLog(order, entryId, { type: LOG_TYPE.topUp, quota, createdAt: now, event }),
    },
    (transaction) => markPaid(transaction, id, { completedTime: now, reference, paymentReference, completedBy }),
  );
}
