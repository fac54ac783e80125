/** The wallet over HTTP: thin, from parsed input to the service and back. */
import { AppError } from "../../../../contract/src/errors.ts";
import { type OrderSort, ORDER_SORTS } from "../../../../contract/src/features/wallet.ts";
import { moneyText } from "../../../../contract/src/payments/currencies.ts";
import { defineHandlers } from "../http/handlers.ts";
import { PAYMENT_CALLBACKS } from "./methods.ts";
import { orderEventsOf } from "./order-events.ts";
import { completeByHand, orderOf, priceOf, startOrder, walletInfo } from "./service.ts";
import { type OrderPage, countOrders, findOrders, sumOrders } from "./store.ts";
import { detailsView, managedView, ownView, totalsView } from "./views.ts";

interface PageQuery {
  p: number;
  page_size: number;
  sort?: string | undefined;
  order?: string | undefined;
}

const sortOf = (text: string | undefined): OrderSort => ORDER_SORTS.find((sort) => sort === text) ?? "id";

const pageOf = ({ p, page_size, sort, order }: PageQuery): OrderPage => ({
  sort: sortOf(sort),
  isDescending: order !== "asc",
  offset: (p - 1) * page_size,
  limit: page_size,
});

/** Clients of this API family look for this word. */
const SUCCESS = "success";

export const walletHandlers = defineHandlers("wallet", {
  getWallet: ({ context, session }) => ({ data: walletInfo(context, session.user) }),
  priceAmount({ context, session, body }) {
    const { moneyMinor, currency, quota } = priceOf(context, session.user, body);
    return { message: SUCCESS, data: moneyText(moneyMinor, currency), extra: { currency, quota } };
  },
  async payAmount({ context, session, body }) {
    const { id, tradeNo, url, fields } = await startOrder(context, session.user, body);
    return { message: SUCCESS, data: { ...fields }, extra: { url, order_id: id, trade_no: tradeNo } };
  },
  async listOwnOrders({ context: { database }, session, query }) {
    const { p, page_size, status } = query;
    const filter = { userId: session.user.id, status };
    const [rows, total] = await Promise.all([
      findOrders(database, filter, pageOf(query)),
      countOrders(database, filter),
    ]);
    return { data: { items: rows.map(ownView), total, page: p, page_size } };
  },
  async getOwnOrder({ context, session, params }) {
    const order = await orderOf(context, params.id);
    if (order.user_id !== session.user.id) throw new AppError("not_found", { message: "This order was not found" });
    return { data: ownView(order) };
  },
  async listOrders({ context: { database }, query }) {
    const { p, page_size, status, method, user, number, start_timestamp: from, end_timestamp: to } = query;
    const filter = { status, method, user, number, from, to };
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
