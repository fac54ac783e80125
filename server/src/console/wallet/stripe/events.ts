/** The fields of Stripe events that are read here; all others are ignored. */
import { z } from "zod";
import type { DisputeStatus, ReversalStatus } from "../../../../../contract/src/payments/orders.ts";

/** An id, or the object that it stands for; "" where there is none. */
const reference = z
  .union([z.string(), z.object({ id: z.string() })])
  .nullish()
  .transform((value) => (typeof value === "string" ? value : (value?.id ?? "")));

const metadata = z
  .object({ trade_no: z.string().optional() })
  .nullish()
  .transform((value) => value?.trade_no ?? "");

/** A currency in capitals, as orders have it. */
const currency = z
  .string()
  .nullish()
  .transform((code) => (code ?? "").toUpperCase());

/** https://docs.stripe.com/api/events/object */
export const stripeEvent = z.object({
  type: z.string(),
  /** Unix seconds. */
  created: z.int().min(0),
  data: z.object({ object: z.unknown() }),
});

/** https://docs.stripe.com/api/checkout/sessions/object */
export const checkoutSession = z.object({
  id: z.string().max(255),
  /** "setup" where a card is saved and nothing is paid. */
  mode: z.string().nullish(),
  payment_status: z.string(),
  amount_total: z.int().nullish(),
  currency,
  payment_intent: reference,
  metadata,
});
export type CheckoutSession = z.output<typeof checkoutSession>;

/** https://docs.stripe.com/api/payment_intents/object */
export const paymentIntent = z.object({
  id: z.string().max(255),
  amount_received: z.int().nullish(),
  currency,
  metadata,
  /** The bank's reason for the last failure; "" for none. */
  last_payment_error: z
    .object({ code: z.string().nullish() })
    .nullish()
    .transform((error): "" | "authentication" | "declined" => {
      if (error === null || error === undefined) return "";
      return error.code === "authentication_required" ? "authentication" : "declined";
    }),
});
export type PaymentIntent = z.output<typeof paymentIntent>;

/** https://docs.stripe.com/api/charges/object */
export const charge = z.object({ payment_intent: reference });
export type Charge = z.output<typeof charge>;

/** https://docs.stripe.com/api/refunds/object */
export const refund = z.object({
  id: z.string().max(255),
  amount: z.int().min(0),
  currency,
  status: z.string().nullish(),
  payment_intent: reference,
});
export type Refund = z.output<typeof refund>;

/** The status of a refund. The money is sent when it is created, and returns if it fails (https://docs.stripe.com/refunds#failed-refunds). */
const REFUND_STATUS: Readonly<Record<string, Extract<ReversalStatus, "pending" | "done" | "failed">>> = {
  pending: "pending",
  requires_action: "pending",
  succeeded: "done",
  failed: "failed",
  canceled: "failed",
};

/** One without a status, or with one that is not in the table, is on its way. */
export const refundStatusOf = ({ status }: Refund) => REFUND_STATUS[status ?? ""] ?? "pending";

/** https://docs.stripe.com/api/disputes/object */
export const dispute = z.object({
  id: z.string().max(255),
  amount: z.int().min(0),
  currency,
  status: z.string(),
  payment_intent: reference,
});
export type Dispute = z.output<typeof dispute>;

/** How a dispute stands; Stripe withholds nothing during an inquiry (`warning_…`), and gives back what it withheld in those that are won. */
const DISPUTE_STATUS: Readonly<Record<string, Exclude<DisputeStatus, "">>> = {
  warning_needs_response: "inquiry",
  warning_under_review: "inquiry",
  warning_closed: "won",
  needs_response: "open",
  under_review: "open",
  appeal_needs_response: "open",
  appeal_under_review: "open",
  won: "won",
  prevented: "won",
  lost: "lost",
};

/** Undefined for a status that is not in the table: it says nothing of the money. */
export const disputeStatusOf = ({ status }: Dispute) => DISPUTE_STATUS[status];
