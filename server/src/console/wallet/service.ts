/** Rules of the wallet: what can be bought at which price, creating orders, and completing one by hand. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { WalletInfo } from "../../../../contract/src/features/wallet.ts";
import type { OptionValues } from "../../../../contract/src/options/options.ts";
import { familyWordOf } from "../../../../contract/src/payments/offer-options.ts";
import { PAYMENT_METHODS } from "../../../../contract/src/payments/methods.ts";
import {
  type AmountTerms,
  groupRatioOf,
  type NoOffer,
  offerFor,
  smallestAmount,
} from "../../../../contract/src/payments/price.ts";
import { isRoot } from "../../../../contract/src/roles.ts";
import { isBalanceLimit } from "../../billing/billing.ts";
import type { Database } from "../../db/database.ts";
import type { RequestFacts, Session } from "../http/handlers.ts";
import { auditEntry } from "../kit/audit.ts";
import { creditOrder, moneyWithCurrency } from "./credit.ts";
import { methodsIn, type OfferedMethod } from "./methods.ts";
import { type Browser, newTradeNumber, type PaymentStart, type WalletContext } from "./payment-method.ts";
import { isAutoOffered } from "./stripe/auto-rule.ts";
import { endPending, findOrder, insertOrder, keepReference, type StoredOrder } from "./store.ts";

type Buyer = Session["user"];

const termsOf = (options: OptionValues): AmountTerms => ({
  isInUnits: options.DisplayInCurrencyEnabled,
  quotaPerUnit: options.QuotaPerUnit,
});

/** What is offered in the names of this API family, whose programs read them. */
const familyInfo = ({ methods, presets, minimum }: Pick<WalletInfo, "methods" | "presets" | "minimum">) => ({
  enable_online_topup: methods.some(({ name }) => name !== "stripe"),
  enable_stripe_topup: methods.some(({ name }) => name === "stripe"),
  pay_methods: methods.map(({ name, title, color, minimum: min_topup }) => ({
    name: title === "" ? PAYMENT_METHODS[name] : title,
    type: familyWordOf(name),
    color,
    min_topup,
  })),
  min_topup: minimum,
  stripe_min_topup: methods.find(({ name }) => name === "stripe")?.minimum ?? minimum,
  amount_options: presets,
});

/** How this person can top up now. */
export function walletInfo({ snapshot: { options } }: Pick<WalletContext, "snapshot">, buyer: Buyer): WalletInfo {
  const terms = termsOf(options);
  const minimum = smallestAmount(options.MinTopUp, terms);
  const amountOf = (units: number): number => smallestAmount(units, terms);
  const discounts = Object.entries(options["payment_setting.amount_discount"]);
  const presets = options["payment_setting.amount_options"].map(amountOf).filter((amount) => amount >= minimum);
  const offered = {
    methods: methodsIn(options).map(({ method, row, minimumUnits }) => ({
      name: method.name,
      currency: method.currency(options),
      price: method.price(options),
      title: row.name,
      color: row.color,
      minimum: amountOf(minimumUnits),
    })),
    minimum,
    // Two units may come to one amount, and the operator may have written one twice.
    presets: [...new Set(presets)],
  };
  return {
    ...offered,
    amount_unit: terms.isInUnits ? "units" : "quota",
    discount: Object.fromEntries(
      discounts
        .filter(([, share]) => Number(share) > 0)
        .map(([units, share]) => [String(amountOf(Number(units))), Number(share)]),
    ),
    quota_per_unit: options.QuotaPerUnit,
    group: buyer.groupName,
    group_ratio: groupRatioOf(options.TopupGroupRatio, buyer.groupName),
    top_up_link: options.TopUpLink,
    enable_auto_topup: isAutoOffered(options) && offered.methods.some(({ name }) => name === "stripe"),
    ...familyInfo(offered),
  };
}

interface Asked {
  amount: number;
  payment_method?: string | undefined;
}

const REFUSALS = {
  below_minimum: "top_up_below_minimum",
  too_small: "top_up_too_small",
  too_large: "top_up_too_large",
} as const satisfies Record<NoOffer, string>;

/** @throws AppError top_up_off where there is no such way of paying now */
function methodOf(options: OptionValues, name: string | undefined): OfferedMethod {
  const methods = methodsIn(options);
  const offered = name === undefined ? methods[0] : methods.find(({ method }) => method.name === name);
  if (offered === undefined) throw new AppError("top_up_off", name === undefined ? {} : { field: "payment_method" });
  return offered;
}

/**
 * What an amount buys and costs this person, as options stand now.
 * @throws AppError top_up_off, top_up_below_minimum, top_up_too_small, top_up_too_large
 */
export function priceOf(
  { snapshot: { options } }: Pick<WalletContext, "snapshot">,
  buyer: Buyer,
  { amount, payment_method }: Asked,
) {
  const { method, minimumUnits } = methodOf(options, payment_method);
  const terms = termsOf(options);
  const currency = method.currency(options);
  const offer = offerFor(amount, {
    ...terms,
    currency,
    price: method.price(options),
    groupRatio: groupRatioOf(options.TopupGroupRatio, buyer.groupName),
    discounts: options["payment_setting.amount_discount"],
    minimumUnits,
  });
  if (typeof offer !== "string") return { method, currency, ...offer };
  const values = offer === "below_minimum" ? { minimum: smallestAmount(minimumUnits, terms) } : {};
  throw new AppError(REFUSALS[offer], { field: "amount", values });
}

interface StartedOrder extends PaymentStart {
  id: number;
  tradeNo: string;
}

/** Whether a balance could take so much now. */
async function hasRoom({ kysely }: Database, userId: number, quota: number): Promise<boolean> {
  const row = await kysely.selectFrom("users").select("quota").where("id", "=", userId).executeTakeFirstOrThrow();
  return Number.isSafeInteger(row.quota + quota);
}

/**
 * Makes an order whose quota and money are fixed from now on, and hands it to the provider.
 * @throws AppError as priceOf, and payment_start_failed and balance_limit
 */
export async function startOrder(
  context: WalletContext,
  buyer: Buyer,
  asked: Asked,
  browser: Browser,
): Promise<StartedOrder> {
  const { method, quota, moneyMinor, currency } = priceOf(context, buyer, asked);
  if (!(await hasRoom(context.database, buyer.id, quota))) throw new AppError("balance_limit", { field: "amount" });
  const now = context.clock();
  const tradeNo = newTradeNumber(now);
  const id = await insertOrder(context.database, {
    user_id: buyer.id,
    trade_no: tradeNo,
    quota,
    money_minor: moneyMinor,
    currency,
    amount: asked.amount,
    method: method.name,
    status: "pending",
    created_time: Math.floor(now / 1000),
    completed_time: 0,
  });
  const order = { id, tradeNo, amount: asked.amount, moneyMinor, currency };
  const start = await method.start(context, order, browser).catch(async (error: unknown) => {
    await endPending(context.database, id, "failed");
    if (error instanceof AppError) throw error;
    context.logger.warn({ err: error, tradeNo, method: method.name }, "a payment could not be started");
    throw new AppError("payment_start_failed", { cause: error });
  });
  if (start.reference !== "") await keepReference(context.database, id, start.reference);
  return { ...start, id, tradeNo };
}

/** An order of any buyer. Throws not_found. */
export async function orderOf({ database }: Pick<WalletContext, "database">, id: number): Promise<StoredOrder> {
  const order = await findOrder(database, id);
  if (order === undefined) throw new AppError("not_found", { message: "This order was not found" });
  return order;
}

interface Completion {
  id: number;
  reference: string;
  session: Session;
  request: RequestFacts;
}

/**
 * Credits an order whose money arrived otherwise. A report of the provider that comes later credits nothing more.
 * @throws AppError not_found, user_role_not_lower, order_paid, balance_limit
 */
export async function completeByHand(context: WalletContext, completion: Completion): Promise<StoredOrder> {
  const { id, reference, session, request } = completion;
  const order = await orderOf(context, id);
  // As with balances: the super administrator has the highest role, so they may complete an order of their own.
  const isOwnRoot = isRoot(session.role) && order.user_id === session.user.id;
  if (order.role >= session.role && !isOwnRoot) throw new AppError("user_role_not_lower");
  const isCredited = await creditOrder(context, order, { reference, completedBy: session.user.id }).catch(
    (error: unknown) => {
      throw isBalanceLimit(error) ? new AppError("balance_limit", { cause: error }) : error;
    },
  );
  if (!isCredited) throw new AppError("order_paid");
  const event = {
    code: "order_completed",
    values: {
      name: order.username,
      id: order.user_id,
      number: order.trade_no,
      quota: order.quota,
      money: moneyWithCurrency(order.money_minor, order.currency),
    },
  } as const;
  const detail = { order: order.trade_no, reference };
  await context.billing.record(auditEntry({ session, request, now: context.clock(), event, detail }));
  return orderOf(context, id);
}
