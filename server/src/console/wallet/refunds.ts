/** Computes the refunded and disputed money of a paid order from all its events, in any order of arrival. */
import type {
  DisputeStatus,
  OrderStatus,
  ReversalKind,
  ReversalStatus,
} from "../../../../contract/src/payments/orders.ts";
import { quotaShare } from "../../../../contract/src/payments/price.ts";

/** The provider's report of one refund or one dispute. */
export interface ReversalReport {
  kind: ReversalKind;
  /** The provider's number of it. */
  reference: string;
  status: ReversalStatus;
  /** In minor units of the order's currency. */
  amountMinor: number;
  /** Unix seconds at which it was so; 0 for what only ever goes forward. */
  reportedTime: number;
}

/** How an order's money stands: what went back, what is withheld. Amounts in minor units, each at most what was paid. */
export interface MoneyState {
  refundedMinor: number;
  disputedMinor: number;
  disputeStatus: DisputeStatus;
}

/** Of two statuses of one second the further one holds, and of a refund's the further one whenever it comes. */
const PROGRESS: Readonly<Record<ReversalStatus, number>> = {
  pending: 0,
  done: 1,
  failed: 2,
  inquiry: 0,
  open: 1,
  lost: 2,
  won: 3,
};

/** Whether the buyer, or the buyer's bank, has the money while it stands so. */
const IS_AWAY: Readonly<Record<ReversalStatus, boolean>> = {
  pending: true,
  done: true,
  failed: false,
  inquiry: false,
  open: true,
  lost: true,
  won: false,
};

/** Of several disputes the order shows the first of these that one of them has. */
const PRESSING = ["open", "inquiry", "lost", "won"] as const;

const rankOf = ({ reportedTime, status, amountMinor }: ReversalReport) =>
  [reportedTime, PROGRESS[status], amountMinor] as const;

/** Whether a report is newer than the known one of the same refund or dispute. The greatest rank wins, so that any order and repetition of events has the same result. */
export function isNewer(known: ReversalReport | undefined, report: ReversalReport): boolean {
  if (known === undefined) return true;
  const [before, after] = [rankOf(known), rankOf(report)];
  const index = after.findIndex((part, at) => part !== before[at]);
  return index !== -1 && Number(after[index]) > Number(before[index]);
}

/** The latest report of each refund and dispute, by its reference, from the events of an order in their order. */
export const latestReports = (events: readonly ReversalReport[]): ReadonlyMap<string, ReversalReport> =>
  new Map(events.map((event) => [event.reference, event]));

/** @param reports the latest report of each refund and dispute */
export function moneyStateOf(reports: Iterable<ReversalReport>, paidMinor: number): MoneyState {
  const all = [...reports];
  const away = (kind: ReversalKind) =>
    all
      .filter((report) => report.kind === kind && IS_AWAY[report.status])
      .reduce((sum, { amountMinor }) => Math.min(paidMinor, sum + amountMinor), 0);
  const disputes = new Set(all.filter(({ kind }) => kind === "dispute").map(({ status }) => status));
  return {
    refundedMinor: away("refund"),
    disputedMinor: away("dispute"),
    disputeStatus: PRESSING.find((status) => disputes.has(status)) ?? "",
  };
}

/** The missing part of the money paid: a refund of a disputed amount counts once. */
export const missingOf = ({ refundedMinor, disputedMinor }: MoneyState, paidMinor: number): number =>
  Math.min(paidMinor, refundedMinor + disputedMinor);

/** @param whole the status of an order of which no money is missing */
export function statusOf(
  { refundedMinor, disputedMinor }: MoneyState,
  paidMinor: number,
  whole: "paid" | "uncredited",
): OrderStatus {
  if (disputedMinor > 0) return "disputed";
  if (refundedMinor === 0) return whole;
  return refundedMinor < paidMinor ? "partly_refunded" : "refunded";
}

/**
 * Quota that a change takes from the balance, or gives back (below 0): the share of the money that has gone since, and of money that comes
 * back what was taken beyond the share of what is still missing. Of orders from before debts were kept less was taken than their share,
 * because it was spent; that is not made up for.
 */
export function quotaToTake(
  { quota, taken_back }: { quota: number; taken_back: number },
  paidMinor: number,
  change: { missingBefore: number; missingAfter: number },
): number {
  const before = quotaShare(quota, change.missingBefore, paidMinor);
  const after = quotaShare(quota, change.missingAfter, paidMinor);
  return after >= before ? Math.min(after - before, quota - taken_back) : Math.min(0, after - taken_back);
}
