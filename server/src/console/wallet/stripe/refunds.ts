/** Refunds and disputes as Stripe reports them: whose order they are about, and what they say of its money. */
import type { CallbackAnswer } from "../../http/handlers.ts";
import type { ReversalReport } from "../refunds.ts";
import type { WalletContext } from "../payment-method.ts";
import { reverse } from "../reversal.ts";
import { type StoredOrder, findOrderByNumber, findOrderByPayment, isUnpaid } from "../store.ts";
import { stripeApi } from "./client.ts";
import { type Charge, type Dispute, type Refund, disputeStatusOf, refund, refundStatusOf } from "./events.ts";

type Answer = NonNullable<CallbackAnswer["reply"]>;

export const DONE: Answer = { status: 200, text: "done" };
/** An account may serve other sites too. */
export const NOT_OURS: Answer = { status: 200, text: "not about an order of this site" };
/** Stripe repeats what is not answered with a success, so what came before its time comes again. */
const TOO_EARLY: Answer = { status: 409, text: "the payment of this order was not reported yet" };

/** An order that is paid by Stripe; one of another method cannot be touched from here. */
export const ofStripe = (order: StoredOrder | undefined): StoredOrder | undefined =>
  order?.method === "stripe" ? order : undefined;

/** The order that a payment is for; where it is not known by that, Stripe is asked: events of a payment may come before that of its session. */
async function orderOfPayment(context: WalletContext, paymentIntent: string): Promise<StoredOrder | undefined> {
  if (paymentIntent === "") return undefined;
  const known = await findOrderByPayment(context.database, paymentIntent);
  if (known !== undefined) return ofStripe(known);
  const stripe = await stripeApi(context);
  const number = (await stripe.paymentIntents.retrieve(paymentIntent)).metadata["trade_no"] ?? "";
  return ofStripe(number === "" ? undefined : await findOrderByNumber(context.database, number));
}

/** The share of an amount in another currency is unknown, so it stands for the whole. */
const amountOf = (order: StoredOrder, { amount, currency }: Refund | Dispute): number =>
  currency === order.currency ? Math.min(amount, order.money_minor) : order.money_minor;

/** A refund only goes forward, from its making to success or failure (https://docs.stripe.com/refunds#failed-refunds), so no time is needed. */
const reportOfRefund = (order: StoredOrder, object: Refund): ReversalReport => ({
  kind: "refund",
  reference: object.id,
  status: refundStatusOf(object),
  amountMinor: amountOf(order, object),
  reportedTime: 0,
});

/** Brings the order of a payment to what `reportsOf` finds, one after the other. */
async function changed(
  context: WalletContext,
  paymentIntent: string,
  reportsOf: (order: StoredOrder) => Promise<readonly ReversalReport[]> | readonly ReversalReport[],
): Promise<Answer> {
  const order = await orderOfPayment(context, paymentIntent);
  if (order === undefined) return NOT_OURS;
  if (isUnpaid(order)) return TOO_EARLY;
  for (const report of await reportsOf(order)) await reverse(context, order.id, report);
  return DONE;
}

export const onRefund = (context: WalletContext, object: Refund): Promise<Answer> =>
  changed(context, object.payment_intent, (order) => [reportOfRefund(order, object)]);

/** Most refunds that one call gives; Stripe has no larger page. */
const REFUNDS_PAGE = 100;

/** A charge has only the sum of what went back, which does not say which refund failed meanwhile: Stripe is asked for each. */
export const onCharge = (context: WalletContext, { payment_intent }: Charge): Promise<Answer> =>
  changed(context, payment_intent, async (order) => {
    const stripe = await stripeApi(context);
    const { data } = await stripe.refunds.list({ payment_intent, limit: REFUNDS_PAGE });
    return data.map((object) => reportOfRefund(order, refund.parse(object)));
  });

/** A dispute goes to and fro (inquiries escalate, decisions are appealed): the time of the event says which of two holds. */
export const onDispute = (context: WalletContext, object: Dispute, reportedTime: number): Promise<Answer> =>
  changed(context, object.payment_intent, (order) => {
    const status = disputeStatusOf(object);
    if (status === undefined) {
      context.logger.error({ dispute: object.id, status: object.status }, "a dispute has a status that is not known");
      return [];
    }
    const amountMinor = amountOf(order, object);
    return [{ kind: "dispute", reference: object.id, status, amountMinor, reportedTime }];
  });
