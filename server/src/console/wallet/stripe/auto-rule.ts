/** Settings of automatic top-up: the rule, the card saved at Stripe, and the state of both. No number of a card comes here. */
import { z } from "zod";
import { AppError } from "../../../../../contract/src/errors.ts";
import type { OptionValues } from "../../../../../contract/src/options/options.ts";
import type { AutoTopUp, AutoTopUpRule } from "../../../../../contract/src/payments/auto-top-up.ts";
import { type Currency, minorUnitsOf, moneyText } from "../../../../../contract/src/payments/currencies.ts";
import { offeredMethods } from "../../../../../contract/src/payments/offer-options.ts";
import { groupRatioOf, type Offer, offerFor } from "../../../../../contract/src/payments/price.ts";
import { notifyUser } from "../../../notify/notify-user.ts";
import { nowSeconds } from "../../../util/clock.ts";
import type { Session } from "../../http/handlers.ts";
import { isSet, type WalletContext } from "../payment-method.ts";
import {
  changeRule,
  findRule,
  findRuleOfSession,
  lockRule,
  spentSince,
  waitingOrder,
  writeRule,
} from "./auto-store.ts";
import { stripeApi } from "./client.ts";

/** Whether people may have their card charged. */
export const isAutoOffered = (options: OptionValues): boolean =>
  options.StripeAutoTopUpEnabled &&
  options.StripeEnabled &&
  isSet(options.StripeSecretKey, options.StripeWebhookSecret, options.ServerAddress);

/** Beginning of the calendar month in UTC, in Unix seconds. @param now Unix seconds */
export function monthStart(now: number): number {
  const day = new Date(now * 1000);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth()) / 1000;
}

/** The quota and the price of an amount for a user of this group by Stripe now; undefined where it is not offered. */
export function autoOffer(options: OptionValues, groupName: string, amount: number): Offer | undefined {
  const [row] = offeredMethods(["stripe"], options.PayMethods).filter(({ method }) => method === "stripe");
  const offer = offerFor(amount, {
    isInUnits: options.DisplayInCurrencyEnabled,
    quotaPerUnit: options.QuotaPerUnit,
    currency: options.StripeCurrency,
    price: options.StripePrice,
    groupRatio: groupRatioOf(options.TopupGroupRatio, groupName),
    discounts: options["payment_setting.amount_discount"],
    minimumUnits: Math.max(options.MinTopUp, row?.min_topup ?? 0),
  });
  return typeof offer === "string" ? undefined : offer;
}

type User = Session["user"];

/** The rule of a person with what it did this month. */
export async function autoTopUpOf(context: WalletContext, { id, groupName }: User): Promise<AutoTopUp> {
  const { kysely } = context.database;
  const { options } = context.snapshot;
  const rule = await findRule(kysely, id);
  const currency = options.StripeCurrency;
  const spent = await spentSince(kysely, id, monthStart(nowSeconds(context.clock)), currency);
  const amount = rule?.amount ?? 0;
  const offer = amount === 0 ? undefined : autoOffer(options, groupName, amount);
  const hasCard = rule !== undefined && rule.payment_method !== "";
  return {
    card: hasCard ? { brand: rule.card_brand, last4: rule.card_last4 } : null,
    is_saving: (rule?.setup_session ?? "") !== "",
    enabled: rule?.is_enabled === 1,
    threshold: rule?.threshold ?? 0,
    amount,
    month_limit: rule === undefined || amount === 0 ? "" : moneyText(rule.month_minor, rule.currency),
    currency,
    month_spent: moneyText(spent, currency),
    price: offer === undefined ? "" : moneyText(offer.moneyMinor, currency),
    paused: rule?.paused ?? "",
    is_paying: (await waitingOrder(kysely, id)) !== undefined,
  };
}

/** Throws AppError top_up_off where the site does not charge cards by itself. */
function refuseUnlessOffered({ snapshot }: Pick<WalletContext, "snapshot">): void {
  if (!isAutoOffered(snapshot.options)) throw new AppError("top_up_off");
}

/** The checked bound of a month, in minor units. Throws AppError auto_top_up_limit, auto_top_up_amount, top_up_below_minimum. */
function checkedLimit(options: OptionValues, { groupName }: User, rule: AutoTopUpRule, currency: Currency): number {
  const offer = autoOffer(options, groupName, rule.amount);
  if (offer === undefined) throw new AppError("auto_top_up_not_offered", { field: "amount" });
  // Otherwise the balance could be low again by the payment itself, and one low would be paid for twice.
  if (offer.quota < rule.threshold) throw new AppError("auto_top_up_amount", { field: "amount" });
  const limit = minorUnitsOf(rule.month_limit.trim(), currency);
  if (limit === undefined || limit < offer.moneyMinor)
    throw new AppError("auto_top_up_limit", {
      field: "month_limit",
      values: { money: `${moneyText(offer.moneyMinor, currency)} ${currency}` },
    });
  return limit;
}

/**
 * Sets the rule, which resumes where it was paused.
 * @throws AppError top_up_off, auto_top_up_card where it is switched on without a card, auto_top_up_amount, auto_top_up_limit, auto_top_up_not_offered
 */
export async function setAutoTopUp(context: WalletContext, user: User, rule: AutoTopUpRule): Promise<void> {
  refuseUnlessOffered(context);
  const { options } = context.snapshot;
  const currency = options.StripeCurrency;
  const month_minor = checkedLimit(options, user, rule, currency);
  const { threshold, amount } = rule;
  await context.database.kysely.transaction().execute(async (transaction) => {
    const known = await lockRule(context.database, transaction, user.id);
    if (rule.enabled && (known === undefined || known.payment_method === ""))
      throw new AppError("auto_top_up_card", { field: "enabled" });
    const is_enabled = rule.enabled ? 1 : 0;
    const change = { is_enabled, threshold, amount, month_minor, currency, paused: "" } as const;
    await writeRule(context.database, transaction, user.id, change);
    const isSame =
      known?.is_enabled === is_enabled && known.threshold === threshold && known.month_minor === month_minor;
    if (isSame && known.amount === amount) return;
    const address = `${options.ServerAddress}/topup`;
    const values = { threshold, limit: `${moneyText(month_minor, currency)} ${currency}`, address };
    const notification = rule.enabled
      ? ({ code: "auto_top_up_set", values } as const)
      : ({ code: "auto_top_up_off", values: { address } } as const);
    await notifyUser(context, transaction, { userId: user.id, notification });
  });
}

/**
 * Begins saving a card on Stripe's page; the card that is saved already stays until another one is.
 * @returns the page's address
 * @throws AppError top_up_off, payment_start_failed
 */
export async function startCard(context: WalletContext, user: User): Promise<string> {
  refuseUnlessOffered(context);
  const { database, snapshot, logger } = context;
  const address = `${snapshot.options.ServerAddress}/topup?card=saved`;
  const begin = async () => {
    const stripe = await stripeApi(context);
    const known = (await findRule(database.kysely, user.id))?.customer ?? "";
    // Stripe learns nothing of the person but what they enter on its page.
    const customer = known === "" ? (await stripe.customers.create({})).id : known;
    const session = await stripe.checkout.sessions.create({
      mode: "setup",
      allowed_payment_method_types: ["card" as const],
      customer,
      success_url: address,
      cancel_url: `${snapshot.options.ServerAddress}/topup`,
    });
    if (session.url === null) throw new Error("Stripe gave a session without an address");
    await writeRule(database, database.kysely, user.id, { customer, setup_session: session.id });
    return session.url;
  };
  return begin().catch((error: unknown) => {
    logger.warn({ err: error, userId: user.id }, "a card could not be saved");
    throw new AppError("payment_start_failed", { cause: error });
  });
}

/** Stripe forgets a card that is not charged any more; where it cannot be reached now, the card is forgotten here all the same. */
async function detach(context: WalletContext, paymentMethod: string): Promise<void> {
  if (paymentMethod === "") return;
  try {
    await (await stripeApi(context)).paymentMethods.detach(paymentMethod);
  } catch (error) {
    context.logger.warn({ err: error }, "a removed card is still attached to its customer at Stripe");
  }
}

/** Removes the card and switches the rule off. A payment that is under way is still credited where Stripe reports it. */
export async function removeCard(context: WalletContext, userId: number): Promise<void> {
  const { database } = context;
  const removed = await database.kysely.transaction().execute(async (transaction) => {
    const known = await lockRule(database, transaction, userId);
    const nothing = { payment_method: "", card_brand: "", card_last4: "", setup_session: "" } as const;
    await changeRule(transaction, userId, { ...nothing, is_enabled: 0, order_id: 0 });
    return known?.payment_method ?? "";
  });
  await detach(context, removed);
}

/** What Stripe answers of a session in which a card was saved: https://docs.stripe.com/payments/save-and-reuse */
const savedCard = z.object({
  setup_intent: z.object({
    status: z.literal("succeeded"),
    payment_method: z.object({
      id: z.string().min(1).max(255),
      card: z.object({ brand: z.string().max(32), last4: z.string().max(4) }),
    }),
  }),
});

/** Keeps the card of a session that this site began; false for any other session, such as one of another site with the same account. */
export async function keepCard(context: WalletContext, sessionId: string): Promise<boolean> {
  const { kysely } = context.database;
  const rule = await findRuleOfSession(kysely, sessionId);
  if (sessionId === "" || rule === undefined) return false;
  const stripe = await stripeApi(context);
  const session = await stripe.checkout.sessions.retrieve(sessionId, { expand: ["setup_intent.payment_method"] });
  const { payment_method: saved } = savedCard.parse(session).setup_intent;
  const card = { payment_method: saved.id, card_brand: saved.card.brand, card_last4: saved.card.last4 };
  const change = { ...card, setup_session: "", order_id: 0, paused: "" } as const;
  const { user_id: userId } = rule;
  const isKept = await kysely.transaction().execute(async (transaction) => {
    if (!(await changeRule(transaction, userId, change, { setup_session: sessionId }))) return false;
    const address = `${context.snapshot.options.ServerAddress}/topup`;
    const values = { brand: saved.card.brand, last4: saved.card.last4, address };
    await notifyUser(context, transaction, { userId, notification: { code: "card_saved", values } });
    return true;
  });
  // Stripe reports it, so no address of the person is known.
  if (isKept) context.recordSecurityEvent({ kind: "card_saved", userId, ip: "", way: "stripe" });
  if (isKept && rule.payment_method !== saved.id) await detach(context, rule.payment_method);
  return isKept;
}
