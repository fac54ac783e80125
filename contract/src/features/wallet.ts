/** The wallet: what can be bought and how it is paid, own orders and all orders. payments/methods.ts has the callbacks of payment providers. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { CURRENCY_CODES } from "../payments/currencies.ts";
import { PAYMENT_METHOD_NAMES } from "../payments/methods.ts";
import { pathId, queryPage, queryPageSize, queryText, queryTime } from "../query.ts";

/**
 * `pending`: made, nothing heard of a payment. `paid`: paid and credited. `ended`: not paid within a day. `failed`: the provider refused it, or
 * the payment did not arrive. `partly_refunded`, `refunded`, `disputed`: paid, then some or all of the money went back or is withheld; credited
 * where there is a time of completion. `uncredited`: paid, but the buyer's balance has no room for the quota (2^53 - 1); an administrator
 * completes it by hand when it has.
 * A late payment still changes `ended` and `failed` to `paid`.
 */
export const ORDER_STATUSES = [
  "pending",
  "paid",
  "ended",
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

/** Units of the amounts that people choose from. */
export const TOP_UP_PRESETS = [1, 10, 50, 100, 500, 1000] as const;

const currency = z.enum(CURRENCY_CODES);

export const walletInfo = z.object({
  /** What can be paid with now, in the order in which it is offered; empty where online top-up is off. */
  methods: z.array(
    z.object({
      name: z.enum(PAYMENT_METHOD_NAMES),
      currency,
      /** Money for one unit before the group's ratio, as decimal text. */
      price: z.string(),
    }),
  ),
  /** `units`: amounts are whole dollars of quota. `quota`: amounts are quota, as the site shows no money. */
  amount_unit: z.enum(["units", "quota"]),
  /** In `amount_unit`, like the presets. */
  minimum: z.number(),
  presets: z.array(z.number()),
  quota_per_unit: z.number(),
  group: z.string(),
  /** What the own group pays of the price, as decimal text. */
  group_ratio: z.string(),
  /** Where codes can be bought; "" where none is set. */
  top_up_link: z.string(),
});
export type WalletInfo = z.output<typeof walletInfo>;

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
const orderTotals = z.array(
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

const paged = { total: z.number(), page: z.number(), page_size: z.number() };

/** Whole number of `amount_unit`; a client of this API family sends `top_up_code` too, which says nothing. */
const asked = {
  amount: z.int().min(1),
  top_up_code: z.string().max(1000).optional(),
};

export const getWallet = endpoint({
  method: "GET",
  path: "/api/user/topup/info",
  access: "user",
  object: "self",
  summary:
    "How the caller can top up: methods with currency and price, presets, minimum, the own group's ratio, the top-up link",
  data: walletInfo,
});

export const priceAmount = endpoint({
  method: "POST",
  path: "/api/user/amount",
  access: "user",
  object: "self",
  summary: "What an amount costs the caller, as decimal text; of the method that is named, else of the first one",
  body: z.object({ ...asked, payment_method: z.enum(PAYMENT_METHOD_NAMES).optional() }),
  data: z.string(),
  extra: z.object({ currency, quota: z.number() }),
});

export const payAmount = endpoint({
  method: "POST",
  path: "/api/user/pay",
  access: "user",
  object: "self",
  summary:
    "Makes an order and hands it to the provider. Where `data` has fields, the browser posts them as a form to `url`; where it has none, the browser goes to `url`",
  rateLimit: "pay",
  body: z.object({ ...asked, payment_method: z.enum(PAYMENT_METHOD_NAMES) }),
  data: z.record(z.string(), z.string()),
  extra: z.object({ url: z.string(), order_id: z.number(), trade_no: z.string() }),
});

/** Longest token of the human check (Turnstile: at most 2,048 characters, https://developers.cloudflare.com/turnstile/get-started/server-side-validation/). */
const MAX_HUMAN_TOKEN = 2_048;

const checkinRecord = z.object({
  /** Day of the option CheckinTimeZone, `YYYY-MM-DD`. */
  checkin_date: z.string(),
  quota_awarded: z.number(),
});

/** The daily check-in as its user sees it, under the names of this API family. */
export const checkinStatus = z.object({
  enabled: z.boolean(),
  /** The quota of one check-in lies between these two, both included. */
  min_quota: z.number(),
  max_quota: z.number(),
  stats: z.object({
    /** Over all days. */
    total_quota: z.number(),
    total_checkins: z.number(),
    /** In the month that was asked for. */
    checkin_count: z.number(),
    checked_in_today: z.boolean(),
    /** Of that month, newest first. */
    records: z.array(checkinRecord),
  }),
  /** The day it is now, and the time zone that says so. */
  today: z.string(),
  time_zone: z.string(),
});
export type CheckinStatus = z.output<typeof checkinStatus>;

export const getCheckin = endpoint({
  method: "GET",
  path: "/api/user/checkin",
  access: "user",
  object: "self",
  summary: "The daily check-in: what it is worth, whether today's was made, and the days of a month",
  query: z.object({
    /** `YYYY-MM`; the present month where it is left out. */
    month: z
      .string()
      .regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, "Please give a month as YYYY-MM")
      .optional(),
  }),
  data: checkinStatus,
});

export const checkIn = endpoint({
  method: "POST",
  path: "/api/user/checkin",
  access: "user",
  object: "self",
  summary:
    "Credits today's check-in, once a day by the clock of the site; needs the human check where the site has one",
  query: z.object({ turnstile: z.string().max(MAX_HUMAN_TOKEN).default("") }),
  data: checkinRecord,
});

export const listOwnOrders = endpoint({
  method: "GET",
  path: "/api/user/topup/self",
  access: "user",
  object: "own",
  summary: "Own orders, newest first",
  query: z.object({ status: queryText, p: queryPage(1), page_size: queryPageSize }),
  data: z.object({ items: z.array(ownOrder), ...paged }),
});

export const getOwnOrder = endpoint({
  method: "GET",
  path: "/api/user/topup/self/{id}",
  access: "user",
  object: "own",
  summary: "One own order; the wallet asks for it until it is paid",
  params: pathId,
  data: ownOrder,
});

export const ORDER_SORTS = ["id", "money_minor", "quota", "created_time", "completed_time"] as const;
export type OrderSort = (typeof ORDER_SORTS)[number];

export const listOrders = endpoint({
  method: "GET",
  path: "/api/topup",
  access: "admin",
  object: "site",
  summary: "Everybody's orders, newest first or by `sort`, with the sums of all that match by currency",
  query: z.object({
    /** One of ORDER_STATUSES. */
    status: queryText,
    /** One of PAYMENT_METHOD_NAMES. */
    method: queryText,
    /** The buyer: a part of the user name, or the id. */
    user: queryText,
    /** An order's number, or the provider's, in full. */
    number: queryText,
    /** Time of creation, Unix seconds, inclusive. */
    start_timestamp: queryTime,
    end_timestamp: queryTime,
    /** One of ORDER_SORTS. */
    sort: queryText,
    /** `asc` or `desc` (default). */
    order: queryText,
    p: queryPage(1),
    page_size: queryPageSize,
  }),
  data: z.object({ items: z.array(managedOrder), ...paged, totals: orderTotals }),
});

export const getOrder = endpoint({
  method: "GET",
  path: "/api/topup/{id}",
  access: "admin",
  object: "site",
  summary: "One order of anybody's, with its refunds and disputes",
  params: pathId,
  data: orderDetails,
});

export const completeOrder = endpoint({
  method: "POST",
  path: "/api/topup/{id}/complete",
  access: "admin",
  object: "lowerRole",
  stepUp: true,
  summary:
    "Credits an order whose payment arrived otherwise: once, as if the provider had reported it; written to the log",
  params: pathId,
  body: z.object({
    /** The number under which the money arrived, for the books. */
    reference: z.string().max(255).optional(),
  }),
  data: managedOrder,
});
