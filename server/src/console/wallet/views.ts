/** Orders as their buyers and as administrators see them. */
import type { ManagedOrder, OrderDetails, OrderTotals, OwnOrder } from "../../../../contract/src/features/wallet.ts";
import { moneyText } from "../../../../contract/src/payments/currencies.ts";
import { type StoredEvent, historyView } from "./order-events.ts";
import type { CurrencySums, StoredOrder } from "./store.ts";

export const ownView = (row: StoredOrder): OwnOrder => ({
  id: row.id,
  trade_no: row.trade_no,
  status: row.status,
  method: row.method,
  quota: row.quota,
  money: moneyText(row.money_minor, row.currency),
  currency: row.currency,
  refunded: moneyText(row.refunded_minor, row.currency),
  disputed: moneyText(row.disputed_minor, row.currency),
  taken_back: row.taken_back,
  created_time: row.created_time,
  completed_time: row.completed_time,
});

export const managedView = (row: StoredOrder): ManagedOrder => ({
  ...ownView(row),
  user_id: row.user_id,
  username: row.username,
  provider_reference: row.provider_reference,
  payment_reference: row.payment_reference,
  dispute_status: row.dispute_status,
  completed_by: row.completer ?? "",
});

export const detailsView = (row: StoredOrder, events: readonly StoredEvent[]): OrderDetails => ({
  ...managedView(row),
  history: historyView(events, row.currency),
  owed: Math.max(0, 0 - row.balance),
});

export const totalsView = (sums: readonly CurrencySums[]): OrderTotals =>
  sums.map(({ currency, orders, paidOrders, moneyMinor, refundedMinor, disputedMinor, quota, takenBack }) => ({
    currency,
    orders,
    paid_orders: paidOrders,
    money: moneyText(moneyMinor, currency),
    refunded: moneyText(refundedMinor, currency),
    disputed: moneyText(disputedMinor, currency),
    quota,
    taken_back: takenBack,
  }));
