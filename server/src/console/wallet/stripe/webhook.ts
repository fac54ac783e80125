/** Handles Stripe's webhook events: payments, refunds and disputes. */
import { z } from "zod";
import type { CallbackAnswer, ReceivedCallback } from "../../http/handlers.ts";
import { creditPayment } from "../credit.ts";
import type { PaymentCallback, WalletContext } from "../payment-method.ts";
import type { ReversalReport } from "../refunds.ts";
import { reverse } from "../reversal.ts";
import { endPending, findOrderByNumber, findOrderByPayment, isUnpaid, type StoredOrder } from "../store.ts";
import { onIntent } from "./auto-charge.ts";
import { keepCard } from "./auto-rule.ts";
import { signedEvent, stripeApi } from "./client.ts";
import {
  type Charge,
  charge,
  type CheckoutSession,
  checkoutSession,
  type Dispute,
  dispute,
  disputeStatusOf,
  type PaymentIntent,
  paymentIntent,
  type Refund,
  refund,
  refundStatusOf,
  stripeEvent,
} from "./events.ts";

type Answer = NonNullable<CallbackAnswer["reply"]>;

const DONE: Answer = { status: 200, text: "done" };
/** An account may serve other sites too. */
const NOT_OURS: Answer = { status: 200, text: "not about an order of this site" };
/** Stripe repeats what is not answered with a success, so what came before its time comes again. */
const TOO_EARLY: Answer = { status: 409, text: "the payment of this order was not reported yet" };

/** An order that is paid by Stripe; one of another method cannot be touched from here. */
const ofStripe = (order: StoredOrder | undefined): StoredOrder | undefined =>
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

const onRefund = (context: WalletContext, object: Refund): Promise<Answer> =>
  changed(context, object.payment_intent, (order) => [reportOfRefund(order, object)]);

/** Most refunds that one call gives; Stripe has no larger page. */
const REFUNDS_PAGE = 100;

/** A charge has only the sum of what went back, which does not say which refund failed meanwhile: Stripe is asked for each. */
const onCharge = (context: WalletContext, { payment_intent }: Charge): Promise<Answer> =>
  changed(context, payment_intent, async (order) => {
    const stripe = await stripeApi(context);
    const { data } = await stripe.refunds.list({ payment_intent, limit: REFUNDS_PAGE });
    return data.map((object) => reportOfRefund(order, refund.parse(object)));
  });

/** A dispute goes to and fro (inquiries escalate, decisions are appealed): the time of the event says which of two holds. */
const onDispute = (context: WalletContext, object: Dispute, reportedTime: number): Promise<Answer> =>
  changed(context, object.payment_intent, (order) => {
    const status = disputeStatusOf(object);
    if (status === undefined) {
      context.logger.error({ dispute: object.id, status: object.status }, "a dispute has a status that is not known");
      return [];
    }
    const amountMinor = amountOf(order, object);
    return [{ kind: "dispute", reference: object.id, status, amountMinor, reportedTime }];
  });

type Reply = NonNullable<CallbackAnswer["reply"]>;

/** @param time of the event, in Unix seconds */
type Handler = (context: WalletContext, object: unknown, time: number) => Promise<Reply>;

const handler =
  <Schema extends z.ZodType>(
    schema: Schema,
    handle: (context: WalletContext, object: z.output<Schema>, time: number) => Promise<Reply>,
  ): Handler =>
  (context, object, time) =>
    handle(context, schema.parse(object), time);

const WRONG_MONEY: Reply = { status: 400, text: "the money is not that of the order" };

const orderOfSession = async ({ database }: WalletContext, { metadata }: CheckoutSession) =>
  ofStripe(await findOrderByNumber(database, metadata));

async function onSession(context: WalletContext, session: CheckoutSession): Promise<Reply> {
  if (session.mode === "setup") return (await keepCard(context, session.id)) ? DONE : NOT_OURS;
  const order = await orderOfSession(context, session);
  if (order === undefined) return NOT_OURS;
  // Some payment methods take days; a later event reports that the money is there.
  if (session.payment_status !== "paid") return { status: 200, text: "not paid yet" };
  if (session.currency !== order.currency || session.amount_total !== order.money_minor) {
    context.logger.error({ tradeNo: order.trade_no, session: session.id }, "a session was paid with other money");
    return WRONG_MONEY;
  }
  await creditPayment(context, order, { reference: session.id, paymentReference: session.payment_intent });
  return DONE;
}

const onUnpaid =
  (status: "ended" | "failed") =>
  async (context: WalletContext, session: CheckoutSession): Promise<Reply> => {
    const order = await orderOfSession(context, session);
    if (order === undefined) return NOT_OURS;
    await endPending(context.database, order.id, status);
    return DONE;
  };

/** Of payments by a saved card; those of Checkout have the events of their sessions. */
const onPayment =
  (isPaid: boolean) =>
  async (context: WalletContext, intent: PaymentIntent): Promise<Reply> => {
    const outcome = await onIntent(context, intent, isPaid);
    if (outcome === "wrong_money") context.logger.error({ intent: intent.id }, "a card was charged with other money");
    return outcome === "done" ? DONE : outcome === "other" ? NOT_OURS : WRONG_MONEY;
  };

const paid = handler(checkoutSession, onSession);
const aboutRefund = handler(refund, onRefund);
const aboutDispute = handler(dispute, onDispute);

/** https://docs.stripe.com/api/events/types */
const HANDLERS: Readonly<Record<string, Handler>> = {
  "checkout.session.completed": paid,
  "checkout.session.async_payment_succeeded": paid,
  "checkout.session.async_payment_failed": handler(checkoutSession, onUnpaid("failed")),
  "checkout.session.expired": handler(checkoutSession, onUnpaid("ended")),
  "payment_intent.succeeded": handler(paymentIntent, onPayment(true)),
  "payment_intent.payment_failed": handler(paymentIntent, onPayment(false)),
  "refund.created": aboutRefund,
  "refund.updated": aboutRefund,
  "refund.failed": aboutRefund,
  // What webhooks of older accounts have for them.
  "charge.refunded": handler(charge, onCharge),
  "charge.refund.updated": aboutRefund,
  "charge.dispute.created": aboutDispute,
  "charge.dispute.updated": aboutDispute,
  "charge.dispute.funds_withdrawn": aboutDispute,
  "charge.dispute.funds_reinstated": aboutDispute,
  "charge.dispute.closed": aboutDispute,
};

/** The event that Stripe signed; undefined for anything else. */
async function eventIn({ body, header }: ReceivedCallback, secret: string) {
  try {
    return stripeEvent.parse(await signedEvent(body, header("stripe-signature"), secret));
  } catch {
    return undefined; // not signed, too old or no event: the answer does not say which
  }
}

/**
 * Does what an event of Stripe says, once however often it comes, and answers when that is committed. Without a webhook secret no event
 * can be signed, so the path does not exist.
 */
export const onStripeEvent: PaymentCallback = async ({ context, received }) => {
  const secret = context.snapshot.options.StripeWebhookSecret;
  if (secret.trim() === "") return { reply: undefined };
  const event = await eventIn(received, secret);
  if (event === undefined) return { reply: { status: 400, text: "not signed by Stripe for this site" } };
  const handle = Object.hasOwn(HANDLERS, event.type) ? HANDLERS[event.type] : undefined;
  if (handle === undefined) return { reply: { status: 200, text: "nothing to do" } };
  try {
    return { reply: await handle(context, event.data.object, event.created) };
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    context.logger.error({ err: error, event: event.type }, "an event of Stripe has another shape than documented");
    return { reply: { status: 400, text: "this event has another shape than documented" } };
  }
};
