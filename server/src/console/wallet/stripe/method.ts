/** The payment method for cards and all others of a Stripe account, by Stripe's Checkout page. */
import { AppError } from "../../../../../contract/src/errors.ts";
import {
  type NewOrder,
  type PaymentMethod,
  type WalletContext,
  isSet,
  orderTitle,
  returnAddress,
} from "../payment-method.ts";
import { stripeApi } from "./client.ts";
import { onStripeEvent } from "./webhook.ts";

/** https://docs.stripe.com/api/checkout/sessions/create */
function sessionFor(context: WalletContext, order: NewOrder) {
  const address = returnAddress(context.snapshot.options, order.id);
  const metadata = { trade_no: order.tradeNo };
  return {
    mode: "payment" as const,
    client_reference_id: order.tradeNo,
    metadata,
    // The payment has it too: refunds and disputes are about that.
    payment_intent_data: { metadata },
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: order.currency.toLowerCase(),
          unit_amount: order.moneyMinor,
          product_data: { name: orderTitle(context, order) },
        },
      },
    ],
    // The money is what the order says, in its own currency.
    adaptive_pricing: { enabled: false },
    success_url: address,
    cancel_url: address,
  };
}

/** Stripe takes no less than some 50 US cents: https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts */
const isTooSmall = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "amount_too_small";

export const STRIPE: PaymentMethod = {
  name: "stripe",
  callbacks: { stripeWebhook: onStripeEvent },
  isOn: ({ StripeEnabled, StripeSecretKey, StripeWebhookSecret, ServerAddress }) =>
    StripeEnabled && isSet(StripeSecretKey, StripeWebhookSecret, ServerAddress),
  currency: ({ StripeCurrency }) => StripeCurrency,
  price: ({ StripePrice }) => StripePrice,
  async start(context, order) {
    const stripe = await stripeApi(context);
    try {
      // A call that is sent again for want of an answer makes no second session.
      const session = await stripe.checkout.sessions.create(sessionFor(context, order), {
        idempotencyKey: order.tradeNo,
      });
      if (session.url === null) throw new Error("Stripe gave a session without an address");
      return { url: session.url, fields: {}, reference: session.id, qrCode: "" };
    } catch (error) {
      throw isTooSmall(error) ? new AppError("top_up_too_small", { field: "amount", cause: error }) : error;
    }
  },
  /** Stripe expires open sessions alone, none that is paid: https://docs.stripe.com/api/checkout/sessions/expire */
  async close(context, { provider_reference: session }) {
    if (session !== "") await (await stripeApi(context)).checkout.sessions.expire(session);
  },
};
