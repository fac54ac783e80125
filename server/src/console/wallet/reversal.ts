/** Reverses quota when money is refunded or disputed, and credits it again when the money returns: each change once, with its event and its ledger entry. */
import type { Transaction } from "kysely";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { Adjustment } from "../../billing/billing.ts";
import type { Schema } from "../../db/schema.ts";
import { notifyRoot } from "../../notify/notify-user.ts";
import { moneyWithCurrency, orderLog } from "./credit.ts";
import {
  type ReversalReport,
  isNewer,
  missingOf,
  moneyStateOf,
  quotaToTake,
  latestReports,
  statusOf,
} from "./refunds.ts";
import { insertOrderEvent, orderEventsOf, reportIn } from "./order-events.ts";
import type { WalletContext } from "./payment-method.ts";
import { type StoredOrder, changeReversal, lockOrder } from "./store.ts";

/** The context of a reversal. */
type ReversalContext = Pick<WalletContext, "database" | "billing" | "clock" | "snapshot" | "secrets">;

/** What a report changes of an order: what was known of it before, and how much of its money is missing before and after. */
interface Change {
  order: StoredOrder;
  report: ReversalReport;
  known: ReadonlyMap<string, ReversalReport>;
  missingBefore: number;
  missingAfter: number;
}

/** Whether its quota came to the balance; of an order that was paid and never credited there is nothing to take. */
const isCredited = ({ completed_time }: StoredOrder): boolean => completed_time > 0;

function changeOf(order: StoredOrder, known: ReadonlyMap<string, ReversalReport>, report: ReversalReport): Change {
  const paidMinor = order.money_minor;
  const after = new Map(known).set(report.reference, report);
  const [missingBefore = 0, missingAfter = 0] = [known, after].map((reports) =>
    missingOf(moneyStateOf(reports.values(), paidMinor), paidMinor),
  );
  return { order, report, known, missingBefore, missingAfter };
}

const LOG_CODES = {
  refund: { taken: "top_up_refunded", given: "top_up_refund_failed" },
  dispute: { taken: "top_up_disputed", given: "top_up_restored" },
} as const;

/** Its text in the log. */
function logEventOf({ order, report, missingBefore, missingAfter }: Change, taken: number) {
  const changedMinor = missingAfter - missingBefore;
  const code = LOG_CODES[report.kind][changedMinor > 0 ? "taken" : "given"];
  const money = moneyWithCurrency(Math.abs(changedMinor), order.currency);
  return { code, values: { quota: Math.abs(taken), money } } as const;
}

/** Sends the super administrator a message of a dispute, once. */
function notifyOfDispute(context: ReversalContext, transaction: Transaction<Schema>, { order, report }: Change) {
  const money = moneyWithCurrency(report.amountMinor, order.currency);
  const values = { number: order.trade_no, username: order.username, money };
  const onceKey = `payment_disputed:${report.reference}`;
  return notifyRoot(context, transaction, { notification: { code: "payment_disputed", values }, onceKey });
}

/** Writes the order's new state and the event behind it. */
async function writeChange(context: ReversalContext, transaction: Transaction<Schema>, change: Change, taken: number) {
  const { order, report, known } = change;
  const reports = new Map(known).set(report.reference, report);
  const after = moneyStateOf(reports.values(), order.money_minor);
  const status = statusOf(after, order.money_minor, isCredited(order) ? "paid" : "uncredited");
  const createdTime = Math.floor(context.clock() / 1000);
  const number = order.reversals + 1;
  await changeReversal(transaction, order.id, {
    ...after,
    status,
    takenBack: order.taken_back + taken,
    reversals: number,
  });
  await insertOrderEvent(transaction, report, { orderId: order.id, number, quotaDelta: 0 - taken, createdTime });
  if (report.kind === "dispute" && !known.has(report.reference)) await notifyOfDispute(context, transaction, change);
}

/** The ledger entry of the quota that is taken (or given back, below 0). */
function entryOf(context: ReversalContext, change: Change, taken: number): Adjustment {
  const { order, report } = change;
  const { id, user_id: userId, trade_no: tradeNo } = order;
  const entryId = `top_up:${tradeNo}:${order.reversals + 1}`;
  const event = logEventOf(change, taken);
  const createdAt = Math.floor(context.clock() / 1000);
  const detail = JSON.stringify({ reason: event.code, order: tradeNo, id, reference: report.reference });
  const log = orderLog(order, entryId, { type: LOG_TYPE.system, quota: 0, createdAt, event });
  return { entryId, kind: "reversal", userId, quotaDelta: 0 - taken, detail, log };
}

/**
 * Brings a paid order to what a report says of one of its refunds or disputes; a report that is known already, or older, changes nothing. The
 * balance pays the whole share at once, whatever open calls hold of it and however much was spent: what it does not have it owes, so the
 * balance is below 0 when the calls have ended, and the next credit makes it good. An order that is `uncredited` keeps the report, takes
 * nothing, and can be credited only while none of its money is missing. Throws where the order is not there.
 */
export async function reverse(context: ReversalContext, orderId: number, report: ReversalReport): Promise<void> {
  await context.billing.moveAsDecided(async (transaction) => {
    const order = await lockOrder(context.database, transaction, orderId);
    if (order === undefined) throw new Error(`there is no order ${orderId}`);
    const known = latestReports((await orderEventsOf(transaction, orderId)).map(reportIn));
    if (!isNewer(known.get(report.reference), report)) return undefined;
    const change = changeOf(order, known, report);
    const { missingBefore, missingAfter } = change;
    const taken = isCredited(order) ? quotaToTake(order, order.money_minor, { missingBefore, missingAfter }) : 0;
    await writeChange(context, transaction, change, taken);
    return missingBefore === missingAfter ? undefined : entryOf(context, change, taken);
  });
}
