/** The wallet: what can be bought and how it is paid, own orders and all orders. payments/methods.ts has the callbacks of payment providers. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { autoTopUp, autoTopUpRule } from "../payments/auto-top-up.ts";
import { CURRENCY_CODES } from "../payments/currencies.ts";
import { PAYMENT_METHOD_NAMES } from "../payments/methods.ts";
import { managedOrder, orderDetails, orderTotals, ownOrder } from "../payments/orders.ts";
import { pace, statementLines, statementMonth, statementSums } from "../payments/statement.ts";
import { pathId, queryInteger, queryPage, queryPageSize, queryText, queryTime } from "../query.ts";

const currency = z.enum(CURRENCY_CODES);

export const walletInfo = z.object({
  /** What can be paid with now, in the order in which it is offered; empty where online top-up is off. */
  methods: z.array(
    z.object({
      name: z.enum(PAYMENT_METHOD_NAMES),
      currency,
      /** Money for one unit before the group's ratio, as decimal text. */
      price: z.string(),
      /** What the operator calls it; "" for its own name. */
      title: z.string(),
      /** A CSS colour of its icon; "" for none. */
      color: z.string(),
      /** Least amount by this method, in `amount_unit`. */
      minimum: z.number(),
    }),
  ),
  /** `units`: amounts are whole dollars of quota. `quota`: amounts are quota, as the site shows no money. */
  amount_unit: z.enum(["units", "quota"]),
  /** In `amount_unit`, like the presets. */
  minimum: z.number(),
  presets: z.array(z.number()),
  /** By amount in `amount_unit`, the share of the price that is paid for just so much. */
  discount: z.record(z.string(), z.number()),
  quota_per_unit: z.number(),
  group: z.string(),
  /** What the own group pays of the price, as decimal text. */
  group_ratio: z.string(),
  /** Where codes can be bought; "" where none is set. */
  top_up_link: z.string(),
  // The same under the names of this API family.
  enable_online_topup: z.boolean(),
  enable_stripe_topup: z.boolean(),
  /** Whether a saved card may pay for a low balance. */
  enable_auto_topup: z.boolean(),
  pay_methods: z.array(z.object({ name: z.string(), type: z.string(), color: z.string(), min_topup: z.number() })),
  min_topup: z.number(),
  stripe_min_topup: z.number(),
  amount_options: z.array(z.number()),
});
export type WalletInfo = z.output<typeof walletInfo>;

const statementQuery = z.object({
  /** The present one where absent. */
  month: statementMonth.optional(),
});

export const getStatement = endpoint({
  method: "GET",
  path: "/api/user/statement",
  access: "user",
  object: "self",
  summary:
    "What came to and went from the own balance in a month: opening and closing balance, payments, credits, charges by model",
  query: statementQuery,
  data: statementSums,
});

export const getStatementLines = endpoint({
  method: "GET",
  path: "/api/user/statement/lines",
  access: "user",
  object: "self",
  summary:
    "Every change of the own balance in a month with the balance after it, oldest first: calls are one line a day, everything else has its own",
  query: statementQuery,
  data: statementLines,
});

export const getPace = endpoint({
  method: "GET",
  path: "/api/user/statement/pace",
  access: "user",
  object: "self",
  summary: "What the own calls of the last 30 days cost, and how many days the balance lasts if it goes on so",
  data: pace,
});

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
  extra: z.object({
    currency,
    quota: z.number(),
    /** The share of the price that is paid, as decimal text; "1" where there is no discount. */
    discount: z.string(),
    /** What it would cost without the discount. */
    full_price: z.string(),
  }),
});

/** What begins a payment. */
const paymentStart = {
  data: z.record(z.string(), z.string()),
  extra: z.object({
    /** "" where a code is scanned instead. */
    url: z.string(),
    order_id: z.number(),
    trade_no: z.string(),
    /** Text of a QR code that the buyer scans with the provider's app; "" where there is none. */
    qr_code: z.string(),
  }),
};

export const payAmount = endpoint({
  method: "POST",
  path: "/api/user/pay",
  access: "user",
  object: "self",
  summary:
    "Makes an order and hands it to the provider. Where `data` has fields, the browser posts them as a form to `url`; where it has none, the browser goes to `url`, or shows `qr_code` to be scanned",
  rateLimit: "pay",
  body: z.object({ ...asked, payment_method: z.enum(PAYMENT_METHOD_NAMES) }),
  ...paymentStart,
});

export const continueOrder = endpoint({
  method: "POST",
  path: "/api/user/topup/self/{id}/pay",
  access: "user",
  object: "own",
  summary: "Hands an unpaid order to its provider once more, for its own money; answers as /api/user/pay does",
  rateLimit: "pay",
  params: pathId,
  ...paymentStart,
});

export const cancelOrder = endpoint({
  method: "POST",
  path: "/api/user/topup/self/{id}/cancel",
  access: "user",
  object: "own",
  summary:
    "Gives an unpaid order up, and has its provider take no payment of it; what was paid meanwhile is credited all the same",
  rateLimit: "pay",
  params: pathId,
  data: ownOrder,
});

const automatic = { access: "user", object: "self", data: autoTopUp } as const;

export const getAutoTopUp = endpoint({
  ...automatic,
  method: "GET",
  path: "/api/user/auto_topup",
  summary:
    "The own rule of automatic top-up: the saved card, the rule, what it cost this month, and why it stands still",
});

export const setAutoTopUp = endpoint({
  ...automatic,
  method: "PUT",
  path: "/api/user/auto_topup",
  summary: "Sets the own rule of automatic top-up; one that stands still goes on",
  body: autoTopUpRule,
  // It spends the person's money without them from here on.
  stepUp: true,
});

export const saveCard = endpoint({
  method: "POST",
  path: "/api/user/auto_topup/card",
  access: "user",
  object: "self",
  summary: "Begins saving a card on the page of Stripe, whose address is `data`; only Stripe sees the card",
  rateLimit: "pay",
  data: z.string(),
  stepUp: true,
});

export const removeCard = endpoint({
  ...automatic,
  method: "DELETE",
  path: "/api/user/auto_topup/card",
  summary: "Removes the saved card and switches the own rule off",
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

export const checkOwnOrder = endpoint({
  method: "POST",
  path: "/api/user/topup/self/{id}/check",
  access: "user",
  object: "own",
  summary:
    "One own order, after its provider was asked whether it is paid: at most ten times a minute, and not of providers that only report by themselves",
  params: pathId,
  data: ownOrder,
});

export const ORDER_SORTS = ["id", "money_minor", "quota", "created_time", "completed_time"] as const;
export type OrderSort = (typeof ORDER_SORTS)[number];

export const listOrders = endpoint({
  method: "GET",
  path: "/api/topup",
  access: "admin",
  act: "money",
  object: "site",
  summary: "Everybody's orders, newest first or by `sort`, with the sums of all that match by currency",
  query: z.object({
    /** One of ORDER_STATUSES. */
    status: queryText,
    /** One of PAYMENT_METHOD_NAMES. */
    method: queryText,
    /** The buyer: a part of the user name, or the id. */
    user: queryText,
    /** The buyer by id alone. */
    user_id: queryInteger,
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
  act: "money",
  object: "site",
  summary: "One order of anybody's, with its refunds and disputes",
  params: pathId,
  data: orderDetails,
});

export const completeOrder = endpoint({
  method: "POST",
  path: "/api/topup/{id}/complete",
  access: "admin",
  act: "money",
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
