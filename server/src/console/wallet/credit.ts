/** Credits an order: its status, the ledger entry with the balance, and the log row are one transaction, so it happens once or not at all. */
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { LogEvent } from "../../../../contract/src/logs/events.ts";
import { moneyText } from "../../../../contract/src/payments/currencies.ts";
import { type LogEntry, isBalanceLimit } from "../../billing/billing.ts";
import { BLANK_ENTRY } from "../../billing/log-row.ts";
import { type RaiseContext, raiseGroup } from "./paid-groups.ts";
import type { WalletContext } from "./payment-method.ts";
import { type StoredOrder, markPaid, markUncredited } from "./store.ts";

export interface Payment {
  /** The provider's number of the order; "" where it gives none. */
  reference: string;
  paymentReference?: string;
  /** The administrator who enters it by hand. */
  completedBy?: number;
}

/** "7.30 CNY": an amount as texts of the log have it. */
export const moneyWithCurrency = (minor: number, currency: string): string =>
  `${moneyText(minor, currency)} ${currency}`;

/** Fields of an order's buyer in ledger and log. @param type one of LOG_TYPE */
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

type CreditContext = RaiseContext & Pick<WalletContext, "billing" | "logger">;

/**
 * Keeps a payment that the buyer's balance cannot take: the order says so to the buyer and to administrators until one of them completes it,
 * or the provider reports it again when there is room.
 */
async function keepUncredited(
  context: CreditContext,
  order: StoredOrder,
  { reference, paymentReference = "" }: Payment,
) {
  const { id, trade_no: tradeNo, quota } = order;
  if (!(await markUncredited(context.database, id, { reference, paymentReference }))) return;
  context.logger.error(
    { tradeNo, userId: order.user_id, quota },
    "an order was paid whose quota the balance cannot take",
  );
  const event = {
    code: "top_up_uncredited",
    values: { quota, money: moneyWithCurrency(order.money_minor, order.currency) },
  } as const;
  const createdAt = Math.floor(context.clock() / 1000);
  await context.billing.record(
    orderLog(order, `top_up_uncredited:${tradeNo}`, { type: LOG_TYPE.system, quota: 0, createdAt, event }),
  );
}

/**
 * Credits an order that the provider reports as paid. A payment of an order that had ended counts too, for the money is there. One that the
 * balance cannot take is kept as `uncredited`.
 */
export async function creditPayment(context: CreditContext, order: StoredOrder, payment: Payment): Promise<void> {
  try {
    await creditOrder(context, order, payment);
  } catch (error) {
    if (!isBalanceLimit(error)) throw error;
    await keepUncredited(context, order, payment);
  }
}

/** Its buyer rises into the group that is paid for with it. @returns false where it was credited before. Throws LedgerFault balance_limit. */
export async function creditOrder(
  context: RaiseContext & Pick<WalletContext, "billing">,
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
  let isRaised = false;
  const isCredited = await context.billing.move(
    {
      entryId,
      kind: "top_up",
      userId,
      quotaDelta: quota,
      detail: JSON.stringify({ reason: "paid", order: tradeNo, method, reference, ...actor }),
      log: orderLog(order, entryId, { type: LOG_TYPE.topUp, quota, createdAt: now, event }),
    },
    async (transaction) => {
      isRaised = false;
      if (!(await markPaid(transaction, id, { completedTime: now, reference, paymentReference, completedBy })))
        return false;
      isRaised = await raiseGroup(context, transaction, order);
      return true;
    },
  );
  if (isCredited && isRaised) await context.snapshot.refresh();
  return isCredited;
}
