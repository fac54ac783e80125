/**
 * Pays for a low balance by the saved card. One low makes one order, decided under the lock of its rule; the order's number is the idempotency key
 * of its payment, so that a process that dies, another one beside it and a repeated report all mean the same payment, which is credited once.
 */
import type { Transaction } from "kysely";
import type { AutoTopUpPause } from "../../../../../contract/src/payments/auto-top-up.ts";
import { USER_STATUS } from "../../../../../contract/src/features/users.ts";
import { insertReturningId, retryDeadlocks } from "../../../db/portable.ts";
import type { Schema } from "../../../db/schema.ts";
import { notifyUser } from "../../../notify/notify-user.ts";
import { nowSeconds } from "../../../util/clock.ts";
import { creditPayment } from "../credit.ts";
import { newTradeNumber, type WalletContext } from "../payment-method.ts";
import { findOrder, findOrderByNumber, type StoredOrder } from "../store.ts";
import { autoOffer, isAutoOffered, monthStart } from "./auto-rule.ts";
import {
  changeRule,
  dueRules,
  failWaiting,
  findRule,
  lockRule,
  pauseRule,
  spentSince,
  type StoredRule,
  waitingOrder,
} from "./auto-store.ts";
import { stripeApi } from "./client.ts";
import type { PaymentIntent } from "./events.ts";

const EVERY_SECONDS = 20;
const RULES_A_PAGE = 100;
/** Stripe knows an idempotency key for a day (https://docs.stripe.com/api/idempotent_requests): a payment is not asked for again after most of it. */
const ASKED_SECONDS = 20 * 3_600;

type Step = { kind: "nothing" } | { kind: "pay"; orderId: number } | { kind: "pause"; reason: AutoTopUpPause };

const NOTHING: Step = { kind: "nothing" };

const isInForce = (rule: StoredRule | undefined): rule is StoredRule =>
  rule !== undefined && rule.is_enabled === 1 && rule.paused === "" && rule.payment_method !== "";

/** The next step of a payment under way: sent again, or given up without an answer for most of a day. */
function stepOfWaiting(rule: StoredRule, order: { id: number; created_time: number }, now: number): Step {
  // Of a card that was replaced: only Stripe's report ends it.
  if (order.id !== rule.order_id) return NOTHING;
  return order.created_time > now - ASKED_SECONDS
    ? { kind: "pay", orderId: order.id }
    : { kind: "pause", reason: "unknown" };
}

/** Makes the order of a low, if the balance is low now, the person may pay, and the month's bound allows it. */
async function orderOfLow(context: WalletContext, transaction: Transaction<Schema>, rule: StoredRule): Promise<Step> {
  const { database, snapshot } = context;
  const { options } = snapshot;
  const { user_id: userId, currency } = rule;
  const user = await transaction
    .selectFrom("users")
    .select(["quota", "status", "deleted_at", "group_name"])
    .where("id", "=", userId)
    .executeTakeFirst();
  const isLow = user !== undefined && user.quota < rule.threshold;
  if (!isLow || user.status !== USER_STATUS.enabled || user.deleted_at !== null) return NOTHING;
  const offer = autoOffer(options, user.group_name, rule.amount);
  if (offer === undefined || options.StripeCurrency !== currency || offer.quota < rule.threshold)
    return { kind: "pause", reason: "offer" };
  const now = context.clock();
  const created_time = Math.floor(now / 1000);
  const spent = await spentSince(transaction, userId, monthStart(created_time), currency);
  if (spent + offer.moneyMinor > rule.month_minor || !Number.isSafeInteger(user.quota + offer.quota)) return NOTHING;
  const orderId = await insertReturningId(database, transaction, "top_ups", {
    user_id: userId,
    trade_no: newTradeNumber(now),
    quota: offer.quota,
    money_minor: offer.moneyMinor,
    currency,
    amount: rule.amount,
    method: "stripe",
    status: "pending",
    created_time,
    completed_time: 0,
    is_automatic: 1,
  });
  await changeRule(transaction, userId, { order_id: orderId });
  return { kind: "pay", orderId };
}

const nextStep = (context: WalletContext, userId: number): Promise<Step> =>
  retryDeadlocks(() =>
    context.database.kysely.transaction().execute(async (transaction) => {
      const rule = await lockRule(context.database, transaction, userId);
      if (!isInForce(rule)) return NOTHING;
      const waiting = await waitingOrder(transaction, userId);
      if (waiting !== undefined) return stepOfWaiting(rule, waiting, nowSeconds(context.clock));
      if (rule.order_id !== 0) await changeRule(transaction, userId, { order_id: 0 });
      return orderOfLow(context, transaction, rule);
    }),
  );

/** Stops the rule, with the order that failed, and notifies its owner once. */
async function pause(context: WalletContext, userId: number, reason: AutoTopUpPause, orderId?: number): Promise<void> {
  const { ServerAddress } = context.snapshot.options;
  await retryDeadlocks(() =>
    context.database.kysely.transaction().execute(async (transaction) => {
      await lockRule(context.database, transaction, userId);
      // The payment may have been reported as made meanwhile.
      if (orderId !== undefined && !(await failWaiting(transaction, orderId))) return;
      if (!(await pauseRule(transaction, userId, reason))) return;
      const values = { reason, address: `${ServerAddress}/topup` };
      await notifyUser(context, transaction, { userId, notification: { code: "auto_top_up_paused", values } });
    }),
  );
}

/** The failure of the card by an error of Stripe; undefined for other errors, after which the payment is sent again. */
function reasonOf(error: unknown): AutoTopUpPause | undefined {
  if (!(error instanceof Error) || !("type" in error)) return undefined;
  const code = "code" in error ? error.code : undefined;
  if (error.type === "StripeCardError") return code === "authentication_required" ? "authentication" : "declined";
  return error.type === "StripeInvalidRequestError" ? "refused" : undefined;
}

/** https://docs.stripe.com/payments/save-during-payment#charge-saved-payment-method */
const intentFor = (order: StoredOrder, rule: StoredRule, title: string) => ({
  amount: order.money_minor,
  currency: order.currency.toLowerCase(),
  customer: rule.customer,
  payment_method: rule.payment_method,
  allowed_payment_method_types: ["card" as const],
  off_session: true,
  confirm: true,
  error_on_requires_action: true,
  description: title,
  metadata: { trade_no: order.trade_no },
});

/** Asks Stripe for the payment of an order, and credits it where it was made. Throws where Stripe cannot be reached, or says nothing of the card. */
async function pay(context: WalletContext, userId: number, orderId: number): Promise<void> {
  const [order, rule] = await Promise.all([
    findOrder(context.database, orderId),
    findRule(context.database.kysely, userId),
  ]);
  if (order?.status !== "pending" || !isInForce(rule)) return;
  const stripe = await stripeApi(context);
  const title = `${context.snapshot.options.SystemName} ${order.trade_no}`;
  try {
    const made = await stripe.paymentIntents.create(intentFor(order, rule, title), {
      idempotencyKey: `auto-${order.trade_no}`,
    });
    // One that is processed for a while is reported by an event.
    if (made.status === "succeeded") await creditIntent(context, order, { id: made.id });
    else if (made.status !== "processing") await pause(context, userId, "authentication", orderId);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    await pause(context, userId, reason, orderId);
  }
}

const creditIntent = (context: WalletContext, order: StoredOrder, { id }: { id: string }): Promise<void> =>
  creditPayment(context, order, { reference: id, paymentReference: id });

/** Does what a rule has to do now. Throws as `pay`. */
export async function topUpIfLow(context: WalletContext, userId: number): Promise<void> {
  if (!isAutoOffered(context.snapshot.options)) return;
  const step = await nextStep(context, userId);
  if (step.kind === "pay") await pay(context, userId, step.orderId);
  else if (step.kind === "pause") await pause(context, userId, step.reason);
}

/** The automatic order of a payment; undefined for any other payment. */
async function orderOfIntent(
  { database }: WalletContext,
  { metadata }: PaymentIntent,
): Promise<StoredOrder | undefined> {
  const order = metadata === "" ? undefined : await findOrderByNumber(database, metadata);
  return order?.is_automatic === 1 && order.method === "stripe" ? order : undefined;
}

/** The state of a payment by Stripe: `wrong_money` where it is not that of the order, `other` where it is not about an automatic order. */
export async function onIntent(
  context: WalletContext,
  intent: PaymentIntent,
  isPaid: boolean,
): Promise<"done" | "other" | "wrong_money"> {
  const order = await orderOfIntent(context, intent);
  if (order === undefined) return "other";
  if (!isPaid) {
    await pause(context, order.user_id, intent.last_payment_error || "declined", order.id);
    return "done";
  }
  if (intent.amount_received !== order.money_minor || intent.currency !== order.currency) return "wrong_money";
  await creditIntent(context, order, intent);
  return "done";
}

/** Looks for low balances. A payment that cannot be asked for now is asked for again by the next run, under the same key. */
export function autoTopUpJob(context: WalletContext) {
  const { database, snapshot, logger } = context;
  return {
    name: "auto_top_up",
    everySeconds: EVERY_SECONDS,
    hasWork: async () => isAutoOffered(snapshot.options) && (await dueRules(database, 0, 1)).length > 0,
    async run(signal?: AbortSignal) {
      let due = await dueRules(database, 0, RULES_A_PAGE);
      const isStopped = (): boolean => signal?.aborted === true;
      while (due.length > 0 && !isStopped()) {
        for (const userId of due) {
          if (isStopped()) return;
          await topUpIfLow(context, userId).catch((error: unknown) =>
            logger.warn({ err: error, userId }, "an automatic top-up could not be paid yet"),
          );
        }
        due = await dueRules(database, due.at(-1) ?? 0, RULES_A_PAGE);
      }
    },
  };
}
