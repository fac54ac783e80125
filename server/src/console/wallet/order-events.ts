/** Events of an order's refunds and disputes: their rows, and how administrators see them. */
import type { Selectable, Transaction } from "kysely";
import type { OrderEvent } from "../../../../contract/src/payments/orders.ts";
import { moneyText } from "../../../../contract/src/payments/currencies.ts";
import type { OrderEventTable } from "../../db/money-tables.ts";
import type { Queries } from "../../db/portable.ts";
import type { Schema } from "../../db/schema.ts";
import type { ReversalReport } from "./refunds.ts";

export type StoredEvent = Selectable<OrderEventTable>;

/** In the sequence in which they came. */
export const orderEventsOf = (queries: Queries, orderId: number): Promise<StoredEvent[]> =>
  queries.selectFrom("order_events").selectAll().where("order_id", "=", orderId).orderBy("number").execute();

export const reportIn = (row: StoredEvent): ReversalReport => ({
  kind: row.kind,
  reference: row.reference,
  status: row.status,
  amountMinor: row.amount_minor,
  reportedTime: row.told_time,
});

/** Where an event stands among those of its order (`number`, from 1), and what it changed. */
interface EventPlace {
  orderId: number;
  number: number;
  quotaDelta: number;
  createdTime: number;
}

export async function insertOrderEvent(
  transaction: Transaction<Schema>,
  { kind, reference, status, amountMinor, reportedTime }: ReversalReport,
  { orderId, number, quotaDelta, createdTime }: EventPlace,
): Promise<void> {
  const row = {
    order_id: orderId,
    number,
    kind,
    reference,
    status,
    amount_minor: amountMinor,
    told_time: reportedTime,
    quota_delta: quotaDelta,
    created_time: createdTime,
  };
  await transaction.insertInto("order_events").values(row).execute();
}

const isSame = (before: StoredEvent | undefined, row: StoredEvent): boolean =>
  before?.status === row.status && before.amount_minor === row.amount_minor;

/** The events without those that say the same again at a later time. */
export function historyView(rows: readonly StoredEvent[], currency: string): OrderEvent[] {
  const changes = rows.filter(
    (row, index) =>
      !isSame(
        rows.slice(0, index).findLast(({ reference }) => reference === row.reference),
        row,
      ),
  );
  return changes.map((row) => ({
    time: row.created_time,
    kind: row.kind,
    reference: row.reference,
    status: row.status,
    money: moneyText(row.amount_minor, currency),
    quota: row.quota_delta,
  }));
}
