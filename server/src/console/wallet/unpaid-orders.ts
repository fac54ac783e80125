/** Unpaid orders: their provider is queried where it can be, their buyer continues or cancels them, and those not paid within a day expire. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { ASKED_METHODS, PAYMENT_METHODS } from "./methods.ts";
import {
  type Browser,
  ORDER_LIFE_SECONDS,
  type PaymentMethod,
  type PaymentStart,
  type WalletContext,
} from "./payment-method.ts";
import { endPending, findOrder, isUnpaid, keepReference, pendingOrders, type StoredOrder } from "./store.ts";

const EVERY_SECONDS = 600;
/** Orders of one method that are asked about in one run. */
const MOST_ASKED = 50;

/** How often one user may have a provider asked. */
const ASKED_LIMIT = { count: 10, windowSeconds: 60 };

/** The method of an order whose provider can be asked, while it has what that needs. */
const askedMethodOf = ({ snapshot }: WalletContext, { method }: StoredOrder): PaymentMethod | undefined =>
  ASKED_METHODS.find(({ name, isOn }) => name === method && isOn(snapshot.options));

/**
 * An order as it stands after its provider was asked, for a buyer who comes back or has scanned a code: a notification may be late or lost. What
 * is asked too often, or of a provider that does not answer, is the order as it was.
 */
export async function askedOrder(context: ConsoleContext, order: StoredOrder): Promise<StoredOrder> {
  const method = isUnpaid(order) ? askedMethodOf(context, order) : undefined;
  if (method?.ask === undefined) return order;
  const { count, windowSeconds } = ASKED_LIMIT;
  const { isAllowed } = await context.limiter.take(`payment_asked:${order.user_id}`, count, windowSeconds);
  if (!isAllowed) return order;
  try {
    await method.ask(context, order);
  } catch (error) {
    context.logger.warn(
      { err: error, tradeNo: order.trade_no },
      "a payment provider could not be asked about an order",
    );
  }
  return (await findOrder(context.database, order.id)) ?? order;
}

/** Throws order_paid for an order whose money has arrived, and order_not_open for one that is over. */
function refuseUnlessPending({ status, is_automatic }: StoredOrder): void {
  if (status === "pending") {
    // The saved card pays for it: a page beside that would have it paid twice.
    if (is_automatic === 1) throw new AppError("order_not_open");
    return;
  }
  throw new AppError(isUnpaid({ status }) ? "order_not_open" : "order_paid");
}

const methodOf = ({ method }: StoredOrder): PaymentMethod | undefined =>
  PAYMENT_METHODS.find(({ name }) => name === method);

/**
 * Begins the payment of an unpaid order once more, under the same number, so that a provider that knows it makes no second one. Its provider is
 * asked first: the buyer may have paid in another tab.
 * @throws AppError order_paid, order_not_open, top_up_off where its method is off by now, payment_start_failed
 */
export async function continuePayment(
  context: ConsoleContext,
  order: StoredOrder,
  browser: Browser,
): Promise<PaymentStart> {
  const asked = await askedOrder(context, order);
  refuseUnlessPending(asked);
  const method = methodOf(asked);
  if (method?.isOn(context.snapshot.options) !== true) throw new AppError("top_up_off");
  const { id, trade_no: tradeNo, amount, money_minor: moneyMinor, currency } = asked;
  const started = method.start(context, { id, tradeNo, amount, moneyMinor, currency }, browser);
  const start = await started.catch((error: unknown) => {
    context.logger.warn({ err: error, tradeNo, method: method.name }, "a payment could not be started again");
    throw new AppError("payment_start_failed", { cause: error });
  });
  if (start.reference !== "") await keepReference(context.database, id, start.reference);
  return start;
}

/**
 * Gives an unpaid order up for its buyer: its provider is asked and takes no payment of it any more, where it has calls for that. What is paid
 * all the same is credited.
 * @returns the order as it is then; one that was given up before stays so
 * @throws AppError order_paid, order_not_open, order_not_cancelled where the provider does not close it
 */
export async function cancelPending(context: ConsoleContext, order: StoredOrder): Promise<StoredOrder> {
  if (order.status === "cancelled") return order;
  if (order.is_automatic === 1) refuseUnlessPending(order);
  const asked = await askedOrder(context, order);
  refuseUnlessPending(asked);
  const method = methodOf(asked);
  const close = method?.isOn(context.snapshot.options) === true ? method.close : undefined;
  await close?.(context, asked).catch((error: unknown) => {
    context.logger.warn({ err: error, tradeNo: asked.trade_no }, "an order could not be closed for its buyer");
    throw new AppError("order_not_cancelled", { cause: error });
  });
  await endPending(context.database, order.id, "cancelled");
  const now = (await findOrder(context.database, order.id)) ?? asked;
  if (now.status !== "cancelled") refuseUnlessPending(now);
  return now;
}

/** Ends an order that is over: asked about first, and closed at the provider, so that nothing is paid on it later. Throws where that fails. */
async function endAtProvider(context: WalletContext, { ask, close }: PaymentMethod, order: StoredOrder): Promise<void> {
  await ask?.(context, order);
  const asked = await findOrder(context.database, order.id);
  if (asked?.status !== "pending") return;
  await close?.(context, order);
  await endPending(context.database, order.id, "ended");
}

/** Ends the orders of one method. One that cannot be ended is tried again by the next run, and those after it too: the provider is away. */
async function endOrders(context: WalletContext, method: PaymentMethod, until: number): Promise<void> {
  const orders = await pendingOrders(context.database, { method: method.name, until, limit: MOST_ASKED });
  for (const order of orders) {
    try {
      await endAtProvider(context, method, order);
    } catch (error) {
      context.logger.warn({ err: error, tradeNo: order.trade_no }, "an unpaid order could not be closed yet");
      return;
    }
  }
}

/** Expires orders that were not paid within a day; a later payment is still credited. One whose provider does not answer has a day more. */
export function unpaidOrdersJob(context: WalletContext) {
  const { database, clock, snapshot } = context;
  const { kysely } = database;
  const newest = (): number => Math.floor(clock() / 1000) - ORDER_LIFE_SECONDS;
  const over = (until: number) =>
    kysely
      .updateTable("top_ups")
      .set({ status: "ended" })
      .where("status", "=", "pending")
      .where("created_time", "<=", until);
  return {
    name: "unpaid_orders",
    everySeconds: EVERY_SECONDS,
    async hasWork() {
      const waiting = kysely.selectFrom("top_ups").select("id").where("status", "=", "pending");
      return (await waiting.where("created_time", "<=", newest()).limit(1).executeTakeFirst()) !== undefined;
    },
    async run() {
      const asked = ASKED_METHODS.filter(({ isOn }) => isOn(snapshot.options));
      await Promise.all(asked.map((method) => endOrders(context, method, newest())));
      const names = asked.map(({ name }) => name);
      const others = over(newest());
      await (names.length === 0 ? others : others.where("method", "not in", names)).execute();
      await over(newest() - ORDER_LIFE_SECONDS).execute();
    },
  };
}
