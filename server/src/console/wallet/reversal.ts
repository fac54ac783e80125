/** Money that went back or is withheld takes quota back with it, and money that comes back gives it back: each news once, with its event and its ledger entry. */
import type { Transaction } from "kysely";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { Adjustment } from "../../billing/billing.ts";
import type { Schema } from "../../db/schema.ts";
import { notifyRoot } from "../../notify/notify-user.ts";
import { moneyWithCurrency, orderLog } from "./credit.ts";
import { type Told, isNews, missingOf, moneyBack, quotaToTake, standingOf, statusOf } from "./refunds.ts";
import { insertOrderEvent, orderEventsOf, toldIn } from "./order-events.ts";
import type { WalletContext } from "./payment-method.ts";
import { type StoredOrder, changeReversal, lockOrder } from "./store.ts";

/** What it takes to change a balance and tell of it. */
type ReversalContext = Pick<WalletContext, "database" | "billing" | "clock" | "snapshot" | "secrets">;

/** News of an order: what was known of it before, and how much of its money is missing before and after. */
interface News {
  order: StoredOrder;
  told: Told;
  known: ReadonlyMap<string, Told>;
  missingBefore: number;
  missingAfter: number;
}

/** Whether its quota came to the balance; of an order that was paid and never credited there is nothing to take. */
const isCredited = ({ completed_time }: StoredOrder): boolean => completed_time > 0;

function newsOf(order: StoredOrder, known: ReadonlyMap<string, Told>, told: Told): News {
  const paidMinor = order.money_minor;
  const after = new Map(known).set(told.reference, told);
  const [missingBefore = 0, missingAfter = 0] = [known, after].map((standing) =>
    missingOf(moneyBack(standing.values(), paidMinor), paidMinor),
  );
  return { order, told, known, missingBefore, missingAfter };
}

const LOG_CODES = {
  refund: { taken: "top_up_refunded", given: "top_up_refund_failed" },
  dispute: { taken: "top_up_disputed", given: "top_up_restored" },
} as const;

/** What the log says of it. */
function logEventOf({ order, told, missingBefore, missingAfter }: News, taken: number) {
  const changedMinor = missingAfter - missingBefore;
  const code = LOG_CODES[told.kind][changedMinor > 0 ? "taken" : "given"];
  const money = moneyWithCurrency(Math.abs(changedMinor), order.currency);
  return { code, values: { quota: Math.abs(taken), money } } as const;
}

/** Tells the super administrator of a dispute, once. */
function tellOfDispute(context: ReversalContext, transaction: Transaction<Schema>, { order, told }: News) {
  const money = moneyWithCurrency(told.amountMinor, order.currency);
  const values = { number: order.trade_no, username: order.username, money };
  const onceKey = `payment_disputed:${told.reference}`;
  return notifyRoot(context, transaction, { notification: { code: "payment_disputed", values }, onceKey });
}

/** Writes the order's new state and the event behind it. */
async function writeNews(context: ReversalContext, transaction: Transaction<Schema>, news: News, taken: number) {
  const { order, told, known } = news;
  const standing = new Map(known).set(told.reference, told);
  const after = moneyBack(standing.values(), order.money_minor);
  const status = statusOf(after, order.money_minor, isCredited(order) ? "paid" : "uncredited");
  const createdTime = Math.floor(context.clock() / 1000);
  const number = order.reversals + 1;
  await changeReversal(transaction, order.id, {
    ...after,
    status,
    takenBack: order.taken_back + taken,
    reversals: number,
  });
  await insertOrderEvent(transaction, told, { orderId: order.id, number, quotaDelta: 0 - taken, createdTime });
  if (told.kind === "dispute" && !known.has(told.reference)) await tellOfDispute(context, transaction, news);
}

/** The ledger entry of what the news take (or give, below 0). */
function entryOf(context: ReversalContext, news: News, taken: number): Adjustment {
  const { order, told } = news;
  const { id, user_id: userId, trade_no: tradeNo } = order;
  const entryId = `top_up:${tradeNo}:${order.reversals + 1}`;
  const event = logEventOf(news, taken);
  const createdAt = Math.floor(context.clock() / 1000);
  const detail = JSON.stringify({ reason: event.code, order: tradeNo, id, reference: told.reference });
  const log = orderLog(order, entryId, { type: LOG_TYPE.system, quota: 0, createdAt, event });
  return { entryId, kind: "reversal", userId, quotaDelta: 0 - taken, detail, log };
}

/**
 * Brings a paid order to what was told of one of its refunds or disputes; what is known already, or older than that, changes nothing. The
 * balance pays the whole share at once, whatever open calls hold of it and however much was spent: what it does not have it owes, so the
 * balance is below 0 when the calls have ended, and the next credit makes it good. An order that is `uncredited` keeps what was told, takes
 * nothing, and can be credited only while none of its money is missing. Throws where the order is not there.
 */
export async function reverse(context: ReversalContext, orderId: number, told: Told): Promise<void> {
  await context.billing.moveAsDecided(async (transaction) => {
    const order = await lockOrder(context.database, transaction, orderId);
    if (order === undefined) throw new Error(`there is no order ${orderId}`);
    const known = standingOf((await orderEventsOf(transaction, orderId)).map(toldIn));
    if (!isNews(known.get(told.reference), told)) return undefined;
    const news = newsOf(order, known, told);
    const { missingBefore, missingAfter } = news;
    const taken = isCredited(order) ? quotaToTake(order, order.money_minor, { missingBefore, missingAfter }) : 0;
    await writeNews(context, transaction, news, taken);
    return missingBefore === missingAfter ? undefined : entryOf(context, news, taken);
  });
}
