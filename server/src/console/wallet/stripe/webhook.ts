/** Events of Stripe, of which only those that it signed count: sessions, refunds, disputes. */
import { z } from "zod";
import type { CallbackAnswer, ReceivedCallback } from "../../http/handlers.ts";
import { creditPayment } from "../credit.ts";
import type { PaymentCallback, WalletContext } from "../payment-method.ts";
import { endPending, findOrderByNumber } from "../store.ts";
import { signedEvent } from "./client.ts";
import { type CheckoutSession, charge, checkoutSession, dispute, refund, stripeEvent } from "./events.ts";
import { DONE, NOT_OURS, ofStripe, onCharge, onDispute, onRefund } from "./refunds.ts";

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

const orderOfSession = async ({ database }: WalletContext, { metadata }: CheckoutSession) =>
  ofStripe(await findOrderByNumber(database, metadata));

async function onSession(context: WalletContext, session: CheckoutSession): Promise<Reply> {
  const order = await orderOfSession(context, session);
  if (order === undefined) return NOT_OURS;
  // Some payment methods take days; a later event reports that the money is there.
  if (session.payment_status !== "paid") return { status: 200, text: "not paid yet" };
  if (session.currency !== order.currency || session.amount_total !== order.money_minor) {
    context.logger.error({ tradeNo: order.trade_no, session: session.id }, "a session was paid with other money");
    return { status: 400, text: "the money is not that of the order" };
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

const paid = handler(checkoutSession, onSession);
const aboutRefund = handler(refund, onRefund);
const aboutDispute = handler(dispute, onDispute);

/** https://docs.stripe.com/api/events/types */
const HANDLERS: Readonly<Record<string, Handler>> = {
  "checkout.session.completed": paid,
  "checkout.session.async_payment_succeeded": paid,
  "checkout.session.async_payment_failed": handler(checkoutSession, onUnpaid("failed")),
  "checkout.session.expired": handler(checkoutSession, onUnpaid("ended")),
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
