/** HTTP handlers of the wallet: from parsed input to the service and back, and orders as buyers and administrators see them. */
import { AppError } from "../../../../contract/src/errors.ts";
import { ORDER_SORTS, type OrderSort } from "../../../../contract/src/features/wallet.ts";
import type { ManagedOrder, OrderDetails, OrderTotals, OwnOrder } from "../../../../contract/src/payments/orders.ts";
import { moneyText } from "../../../../contract/src/payments/currencies.ts";
import { type ConsoleContext, defineHandlers, type RequestFacts, type Session } from "../http/handlers.ts";
import { checkIn, checkinStatusOf } from "./checkin.ts";
import { ownPace, ownStatement, ownStatementLines } from "./statement.ts";
import { PAYMENT_CALLBACKS } from "./methods.ts";
import type { Browser, PaymentStart } from "./payment-method.ts";
import { historyView, orderEventsOf, type StoredEvent } from "./order-events.ts";
import { askedOrder, cancelPending, continuePayment } from "./unpaid-orders.ts";
import { autoTopUpOf, removeCard, setAutoTopUp, startCard } from "./stripe/auto-rule.ts";
import { completeByHand, orderOf, priceOf, startOrder, walletInfo } from "./service.ts";
import { countOrders, type CurrencySums, findOrders, type OrderPage, type StoredOrder, sumOrders } from "./store.ts";

const ownView = (row: StoredOrder): OwnOrder => ({
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

const managedView = (row: StoredOrder): ManagedOrder => ({
  ...ownView(row),
  user_id: row.user_id,
  username: row.username,
  provider_reference: row.provider_reference,
  payment_reference: row.payment_reference,
  dispute_status: row.dispute_status,
  completed_by: row.completer ?? "",
});

const detailsView = (row: StoredOrder, events: readonly StoredEvent[]): OrderDetails => ({
  ...managedView(row),
  history: historyView(events, row.currency),
  owed: Math.max(0, 0 - row.balance),
});

const totalsView = (sums: readonly CurrencySums[]): OrderTotals =>
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

interface PageQuery {
  p: number;
  page_size: number;
  sort?: string | undefined;
  order?: string | undefined;
}

const sortOf = (text: string | undefined): OrderSort => ORDER_SORTS.find((sort) => sort === text) ?? "created_time";

const pageOf = ({ p, page_size, sort, order }: PageQuery): OrderPage => ({
  sort: sortOf(sort),
  isDescending: order !== "asc",
  offset: (p - 1) * page_size,
  limit: page_size,
});

async function ownOrderOf(context: ConsoleContext, { user }: Session, id: number): Promise<StoredOrder> {
  const order = await orderOf(context, id);
  if (order.user_id !== user.id) throw new AppError("not_found", { message: "This order was not found" });
  return order;
}

const browserOf = ({ userAgent, ip }: RequestFacts): Browser => ({
  isPhone: /Android|iPhone|iPad|iPod|Mobile/i.test(userAgent),
  isWechat: /MicroMessenger/i.test(userAgent),
  ip,
});

/** Clients of this API family look for this word. */
const SUCCESS = "success";

const startAnswer = (
  { id, trade_no }: Pick<StoredOrder, "id" | "trade_no">,
  { url, fields, qrCode }: PaymentStart,
) => ({
  message: SUCCESS,
  data: { ...fields },
  extra: { url, order_id: id, trade_no, qr_code: qrCode },
});

export const walletHandlers = defineHandlers("wallet", {
  getWallet: ({ context, session }) => ({ data: walletInfo(context, session.user) }),
  priceAmount({ context, session, body }) {
    const { moneyMinor, fullMinor, currency, quota, discount } = priceOf(context, session.user, body);
    const extra = { currency, quota, discount, full_price: moneyText(fullMinor, currency) };
    return { message: SUCCESS, data: moneyText(moneyMinor, currency), extra };
  },
  async payAmount({ context, session, body, request }) {
    const { id, tradeNo, ...start } = await startOrder(context, session.user, body, browserOf(request));
    return startAnswer({ id, trade_no: tradeNo }, start);
  },
  async continueOrder({ context, session, params, request }) {
    const order = await ownOrderOf(context, session, params.id);
    return startAnswer(order, await continuePayment(context, order, browserOf(request)));
  },
  async cancelOrder({ context, session, params }) {
    return { data: ownView(await cancelPending(context, await ownOrderOf(context, session, params.id))) };
  },
  getAutoTopUp: async ({ context, session }) => ({ data: await autoTopUpOf(context, session.user) }),
  async setAutoTopUp({ context, session, body }) {
    await setAutoTopUp(context, session.user, body);
    return { data: await autoTopUpOf(context, session.user) };
  },
  saveCard: async ({ context, session }) => ({ data: await startCard(context, session.user) }),
  async removeCard({ context, session }) {
    await removeCard(context, session.user.id);
    return { data: await autoTopUpOf(context, session.user) };
  },
  getCheckin: async ({ context, session, query }) => ({
    data: await checkinStatusOf(context, session.user.id, query.month),
  }),
  getStatement: async ({ context, session, query }) => ({
    data: await ownStatement(context, session.user.id, query.month),
  }),
  getStatementLines: async ({ context, session, query }) => ({
    data: await ownStatementLines(context, session.user.id, query.month),
  }),
  getPace: async ({ context, session }) => ({ data: await ownPace(context, session.user.id) }),
  checkIn: async ({ context, session, query, request }) => ({
    message: SUCCESS,
    data: await checkIn(context, { user: session.user, ip: request.ip, humanToken: query.turnstile }),
  }),
  async listOwnOrders({ context: { database }, session, query }) {
    const { p, page_size, status } = query;
    const filter = { userId: session.user.id, status };
    const [rows, total] = await Promise.all([
      findOrders(database, filter, pageOf(query)),
      countOrders(database, filter),
    ]);
    return { data: { items: rows.map(ownView), total, page: p, page_size } };
  },
  getOwnOrder: async ({ context, session, params }) => ({
    data: ownView(await ownOrderOf(context, session, params.id)),
  }),
  async checkOwnOrder({ context, session, params }) {
    const order = await ownOrderOf(context, session, params.id);
    return { data: ownView(await askedOrder(context, order)) };
  },
  async listOrders({ context: { database }, query }) {
    const {
      p,
      page_size,
      status,
      method,
      user,
      user_id: userId,
      number,
      start_timestamp: from,
      end_timestamp: to,
    } = query;
    const filter = { status, method, user, userId, number, from, to };
    const [rows, total, sums] = await Promise.all([
      findOrders(database, filter, pageOf(query)),
      countOrders(database, filter),
      sumOrders(database, filter),
    ]);
    return { data: { items: rows.map(managedView), total, page: p, page_size, totals: totalsView(sums) } };
  },
  async getOrder({ context, params }) {
    const order = await orderOf(context, params.id);
    const events = await orderEventsOf(context.database.kysely, order.id);
    return { data: detailsView(order, events) };
  },
  async completeOrder({ context, session, request, params, body }) {
    const { reference = "" } = body;
    return { data: managedView(await completeByHand(context, { id: params.id, reference, session, request })) };
  },
  ...PAYMENT_CALLBACKS,
});
