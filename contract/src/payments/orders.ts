/** Orders as buyers and administrators see them: their statuses, amounts, refunds and disputes. */
import { z } from "zod";

/**
 * `pending`: made, no payment reported. `paid`: paid and credited. `ended`: not paid within a day. `cancelled`: given up by its buyer.
 * `failed`: the provider refused it, or the payment did not arrive. `partly_refunded`, `refunded`, `disputed`: paid, then some or all of the money went back or is withheld; credited
 * where there is a time of completion. `uncredited`: paid, but the buyer's balance has no room for the quota (2^53 - 1); an administrator
 * completes it by hand when it has.
 * A late payment still changes `ended`, `cancelled` and `failed` to `paid`.
 */
export const ORDER_STATUSES = [
  "pending",
  "paid",
  "ended",
  "cancelled",
  "failed",
  "uncredited",
  "partly_refunded",
  "refunded",
  "disputed",
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** How a dispute stands; "" where there never was one. An `inquiry` withholds nothing yet. Of several disputes the order has the most pressing one. */
export const DISPUTE_STATUSES = ["", "inquiry", "open", "won", "lost"] as const;
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

/** How a refund stands: on its way, arrived, or failed; a `failed` one left the money where it was. */
export const REFUND_STATUSES = ["pending", "done", "failed"] as const;
export type ReversalStatus = (typeof REFUND_STATUSES)[number] | Exclude<DisputeStatus, "">;
export const REVERSAL_KINDS = ["refund", "dispute"] as const;
export type ReversalKind = (typeof REVERSAL_KINDS)[number];

/** An order as its buyer sees it. Money is decimal text with the currency's decimals. */
export const ownOrder = z.object({
  id: z.number(),
  trade_no: z.string(),
  status: z.enum(ORDER_STATUSES),
  method: z.string(),
  /** What is credited once it is paid. */
  quota: z.number(),
  money: z.string(),
  currency: z.string(),
  /** Money that went back to the buyer so far. */
  refunded: z.string(),
  /** Money that a dispute withholds. */
  disputed: z.string(),
  /** Quota that was taken back for either. */
  taken_back: z.number(),
  /** Unix seconds. */
  created_time: z.number(),
  /** Unix seconds of the payment; 0 where there is none. */
  completed_time: z.number(),
});
export type OwnOrder = z.output<typeof ownOrder>;

/** The same for administrators. */
export const managedOrder = ownOrder.extend({
  user_id: z.number(),
  username: z.string(),
  /** The provider's own number: epay's trade number, Stripe's Checkout session. "" until the provider reports one. */
  provider_reference: z.string(),
  /** Stripe's payment, by which refunds and disputes name it; "" elsewhere. */
  payment_reference: z.string(),
  dispute_status: z.enum(DISPUTE_STATUSES),
  /** User name of the administrator who completed it by hand; "" where the provider reported it. */
  completed_by: z.string(),
});
export type ManagedOrder = z.output<typeof managedOrder>;

/** One refund or dispute event of a paid order, as the provider reported it. */
export const orderEvent = z.object({
  /** Unix seconds at which it was heard. */
  time: z.number(),
  kind: z.enum(REVERSAL_KINDS),
  /** The provider's number of the refund or the dispute. */
  reference: z.string(),
  /** One of REFUND_STATUSES or DISPUTE_STATUSES. */
  status: z.string(),
  /** What the refund or the dispute is about. */
  money: z.string(),
  /** How it changed the balance; below 0 where quota was taken. */
  quota: z.number(),
});
export type OrderEvent = z.output<typeof orderEvent>;

/** One order with all that became of its money, in the sequence in which it was heard. */
export const orderDetails = managedOrder.extend({
  history: z.array(orderEvent),
  /** Quota that the buyer's account owes now: how far its balance is below 0. The next credits pay it. */
  owed: z.number(),
});
export type OrderDetails = z.output<typeof orderDetails>;

/** Sums over all orders that the filter has, by currency. */
export const orderTotals = z.array(
  z.object({
    currency: z.string(),
    orders: z.number(),
    /** Orders that were paid, whatever became of the money later; the sums below are of these. */
    paid_orders: z.number(),
    money: z.string(),
    refunded: z.string(),
    disputed: z.string(),
    quota: z.number(),
    taken_back: z.number(),
  }),
);
export type OrderTotals = z.output<typeof orderTotals>;
