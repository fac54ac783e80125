/** Money that went back or is withheld takes quota back with it, and money that comes back gives it back: each news once, with its event and its ledger entry. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import { type Claim, type Hold, isHoldFault } from "../../billing/billing.ts";
import { notifyRoot } from "../../notify/notify-user.ts";
import { moneyWithCurrency, orderLog } from "./credit.ts";
import { type Told, isNews, missingOf, moneyBack, quotaToTake, standingOf, statusOf } from "./money-back.ts";
import { insertOrderEvent, orderEventsOf, toldIn } from "./order-events.ts";
import type { WalletContext } from "./payment-method.ts";
import { type StoredOrder, changeReversal, findOrder } from "./store.ts";

/** What it takes to change a balance and tell of it. */
type ReversalContext = Pick<WalletContext, "database" | "billing" | "clock" | "snapshot" | "secrets">;

/** Tries of one event that others of the same order overtake. */
const MOST_TRIES = 20;
/**
 * Another process may set the same quota aside for a moment, for an event of the same order: as often as this a balance that does not reach
 * is looked at again after a pause, and then taken for what it is.
 */
const SHORTAGE_TRIES = 3;
const SHORTAGE_PAUSE_MS = 100;

/** Sets aside as much of `most` as the balance has free; undefined where that is nothing. Throws LedgerFault. */
async function setAside({ billing }: ReversalContext, userId: number, most: number): Promise<Hold | undefined> {
  for (let tries = MOST_TRIES; ; tries -= 1) {
    const amount = Math.min(most, Math.max(0, await billing.available(userId)));
    if (amount === 0) return undefined;
    try {
      return await billing.hold({ requestId: randomUUID(), userId, tokenId: 0, isTokenLimited: false, amount });
    } catch (error) {
      // Calls have used some of it meanwhile.
      if (!isHoldFault(error) || error.kind !== "user_quota" || tries === 1) throw error;
    }
  }
}

/** News of an order: what was known of it before, and how much of its money is missing before and after. */
interface News {
  order: StoredOrder;
  told: Told;
  known: ReadonlyMap<string, Told>;
  missingBefore: number;
  missingAfter: number;
}

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
function tellOfDispute(context: ReversalContext, transaction: Parameters<Claim>[0], { order, told }: News) {
  const money = moneyWithCurrency(told.amountMinor, order.currency);
  const values = { number: order.trade_no, username: order.username, money };
  const onceKey = `payment_disputed:${told.reference}`;
  return notifyRoot(context, transaction, { notification: { code: "payment_disputed", values }, onceKey });
}

/** Writes the order's new state and the event behind it, in the caller's transaction. */
function claimOf(context: ReversalContext, news: News, taken: number): Claim {
  const { order, told, known } = news;
  const standing = new Map(known).set(told.reference, told);
  const after = moneyBack(standing.values(), order.money_minor);
  const status = statusOf(after, order.money_minor);
  const createdTime = Math.floor(context.clock() / 1000);
  return async (transaction) => {
    const change = { ...after, status, takenBack: order.taken_back + taken, reversals: order.reversals };
    if (!(await changeReversal(transaction, order.id, change))) return false;
    const place = { orderId: order.id, number: order.reversals + 1, quotaDelta: 0 - taken, createdTime };
    await insertOrderEvent(transaction, told, place);
    if (told.kind === "dispute" && !known.has(told.reference)) await tellOfDispute(context, transaction, news);
    return true;
  };
}

/** Moves what the news take or give. @returns as post */
async function move(context: ReversalContext, news: News, taken: number, asked: number): Promise<boolean> {
  const { order, told } = news;
  const { id, user_id: userId, trade_no: tradeNo } = order;
  const entryId = `top_up:${tradeNo}:${order.reversals + 1}`;
  const event = logEventOf(news, taken);
  const createdAt = Math.floor(context.clock() / 1000);
  const detail = JSON.stringify({ reason: event.code, order: tradeNo, id, reference: told.reference, asked });
  const log = orderLog(order, entryId, { type: LOG_TYPE.system, quota: 0, createdAt, event });
  const adjustment = { entryId, kind: "reversal", userId, quotaDelta: 0 - taken, detail, log } as const;
  return context.billing.move(adjustment, claimOf(context, news, taken));
}

/** Posts one news. @returns false where another one came before it, or the balance does not reach and `mayBeShort` is false: it has to be thought over */
async function post(context: ReversalContext, news: News, mayBeShort: boolean): Promise<boolean> {
  const { order, missingBefore, missingAfter } = news;
  if (missingBefore === missingAfter) return context.database.kysely.transaction().execute(claimOf(context, news, 0));
  const most = quotaToTake(order, order.money_minor, { missingBefore, missingAfter });
  if (most <= 0) return move(context, news, most, most);
  const hold = await setAside(context, order.user_id, most);
  const taken = hold?.amount ?? 0;
  try {
    return (taken === most || mayBeShort) && (await move(context, news, taken, most));
  } finally {
    if (hold !== undefined) await context.billing.void(hold);
  }
}

/** The last event of each order that is being posted in this process. */
const underWay = new Map<number, Promise<unknown>>();

/** Lets events of one order wait for each other: what one sets aside would look spent to the next, which then would take too little. */
function inTurn(orderId: number, act: () => Promise<void>): Promise<void> {
  const before = underWay.get(orderId) ?? Promise.resolve();
  const mine = before.then(act);
  const ended = mine
    .catch(() => undefined)
    .then(() => void (underWay.get(orderId) === ended && underWay.delete(orderId)));
  underWay.set(orderId, ended);
  return mine;
}

/**
 * Brings a paid order to what was told of one of its refunds or disputes; what is known already, or older than that, changes nothing.
 * Throws where the order is not there.
 */
export const reverse = (context: ReversalContext, orderId: number, told: Told): Promise<void> =>
  inTurn(orderId, () => postInTurn(context, orderId, told));

async function postInTurn(context: ReversalContext, orderId: number, told: Told): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const order = await findOrder(context.database, orderId);
    if (order === undefined) throw new Error(`there is no order ${orderId}`);
    // Read after the order: an event that comes in between has changed the order too, and this one is thought over.
    const known = standingOf((await orderEventsOf(context.database, orderId)).map(toldIn));
    if (!isNews(known.get(told.reference), told)) return;
    if (await post(context, newsOf(order, known, told), tries >= SHORTAGE_TRIES)) return;
    if (tries < SHORTAGE_TRIES) await delay(SHORTAGE_PAUSE_MS);
  }
  throw new Error("an order was changed again and again while its money went back");
}
