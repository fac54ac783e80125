/** Queries of orders. What may happen once is a conditional update; balances are not changed here (billing writes them). */
import { sql } from "kysely";
import type { Expression, ExpressionBuilder, Insertable, Selectable, SqlBool, Transaction } from "kysely";
import type { OrderSort } from "../../../../contract/src/features/wallet.ts";
import type { DisputeStatus, OrderStatus } from "../../../../contract/src/payments/orders.ts";
import type { Database } from "../../db/database.ts";
import type { TopUpTable } from "../../db/money-tables.ts";
import { affectedRows, contains, insertReturningId, locked } from "../../db/portable.ts";
import type { Queries } from "../../db/portable.ts";
import type { Schema } from "../../db/schema.ts";

/** An order with what the log and the list say of its buyer. */
export interface StoredOrder extends Selectable<TopUpTable> {
  username: string;
  group_name: string;
  role: number;
  /** Of the buyer's account. */
  balance: number;
  /** User name of who completed it by hand; null where it was not. */
  completer: string | null;
}

export interface OrderFilter {
  userId?: number | undefined;
  status?: string | undefined;
  method?: string | undefined;
  /** Part of the buyer's name, or an id. */
  user?: string | undefined;
  /** An order's number, or the provider's. */
  number?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
}

export interface OrderPage {
  sort: OrderSort;
  isDescending: boolean;
  offset: number;
  limit: number;
}

const orders = (queries: Queries) =>
  queries
    .selectFrom("top_ups")
    .innerJoin("users", "users.id", "top_ups.user_id")
    .leftJoin("users as completer", "completer.id", "top_ups.completed_by");

const withPeople = (found: ReturnType<typeof orders>) =>
  found
    .selectAll("top_ups")
    .select([
      "users.username",
      "users.group_name",
      "users.role",
      "users.quota as balance",
      "completer.username as completer",
    ]);

/** Whole numbers that are exact, whichever their digits. */
const ID = /^[1-9]\d{0,14}$/;

type Orders = ExpressionBuilder<Schema & { completer: Schema["users"] }, "top_ups" | "users" | "completer">;

function buyerIs(database: Database, builder: Orders, user: string): Expression<SqlBool> {
  const byName = contains(database, builder.ref("users.username"), user);
  return ID.test(user) ? builder.or([byName, builder("top_ups.user_id", "=", Number(user))]) : byName;
}

const numberIs = (builder: Orders, number: string): Expression<SqlBool> =>
  builder.or([
    builder("top_ups.trade_no", "=", number),
    builder("top_ups.provider_reference", "=", number),
    builder("top_ups.payment_reference", "=", number),
  ]);

function filtered(database: Database, filter: OrderFilter) {
  const { userId, status, method, user, number, from, to } = filter;
  let found = orders(database.kysely);
  if (userId !== undefined) found = found.where("top_ups.user_id", "=", userId);
  // A word that is no status finds nothing, as every other filter does.
  if (status !== undefined) found = found.where(sql<SqlBool>`top_ups.status = ${status}`);
  if (method !== undefined) found = found.where("top_ups.method", "=", method);
  if (user !== undefined) found = found.where((builder) => buyerIs(database, builder, user));
  if (number !== undefined) found = found.where((builder) => numberIs(builder, number));
  if (from !== undefined) found = found.where("top_ups.created_time", ">=", from);
  return to === undefined ? found : found.where("top_ups.created_time", "<=", to);
}

/** One page of orders; rows that the sort takes for equal go by id. */
export function findOrders(database: Database, filter: OrderFilter, page: OrderPage): Promise<StoredOrder[]> {
  const direction = page.isDescending ? "desc" : "asc";
  return withPeople(filtered(database, filter))
    .orderBy(`top_ups.${page.sort}`, direction)
    .orderBy("top_ups.id", direction)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

export async function countOrders(database: Database, filter: OrderFilter): Promise<number> {
  const row = await filtered(database, filter)
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(row.total);
}

export interface CurrencySums {
  currency: string;
  orders: number;
  paidOrders: number;
  moneyMinor: number;
  refundedMinor: number;
  disputedMinor: number;
  quota: number;
  takenBack: number;
}

/** Sums by currency over all orders that the filter has; those of money and quota over the paid ones alone. */
export async function sumOrders(database: Database, filter: OrderFilter): Promise<CurrencySums[]> {
  const ofPaid = (column: string) =>
    sql<number>`sum(case when top_ups.completed_time > 0 then ${sql.ref(`top_ups.${column}`)} else 0 end)`;
  const rows = await filtered(database, filter)
    .select(({ fn }) => [
      "top_ups.currency",
      fn.countAll<number>().as("orders"),
      sql<number>`sum(case when top_ups.completed_time > 0 then 1 else 0 end)`.as("paidOrders"),
      ofPaid("money_minor").as("moneyMinor"),
      ofPaid("refunded_minor").as("refundedMinor"),
      ofPaid("disputed_minor").as("disputedMinor"),
      ofPaid("quota").as("quota"),
      ofPaid("taken_back").as("takenBack"),
    ])
    .groupBy("top_ups.currency")
    .orderBy("top_ups.currency")
    .execute();
  // Sums come as text from some engines.
  return rows.map(({ currency, ...sums }) => {
    const numbers = Object.entries(sums).map(([name, sum]) => [name, Number(sum)] as const);
    return { currency, ...Object.fromEntries(numbers) } as CurrencySums;
  });
}

const orderWhere = (
  queries: Queries,
  column: "id" | "trade_no" | "payment_reference",
  value: string | number,
): Promise<StoredOrder | undefined> =>
  withPeople(orders(queries)).where(`top_ups.${column}`, "=", value).orderBy("top_ups.id").limit(1).executeTakeFirst();

export const findOrder = ({ kysely }: Database, id: number): Promise<StoredOrder | undefined> =>
  orderWhere(kysely, "id", id);

/** An order that stays as it is until the transaction ends. */
export async function lockOrder(
  database: Database,
  transaction: Transaction<Schema>,
  id: number,
): Promise<StoredOrder | undefined> {
  // Alone: a row that is joined from the other side of a join cannot be locked.
  await locked(database, transaction.selectFrom("top_ups").select("id").where("id", "=", id)).execute();
  return orderWhere(transaction, "id", id);
}

interface PendingFilter {
  method: string;
  /** Time of creation, Unix seconds, inclusive. */
  until: number;
  limit: number;
}

/** Orders that wait for their payment since so long, the oldest first. */
export async function pendingOrders({ kysely }: Database, { method, until, limit }: PendingFilter) {
  const found = withPeople(orders(kysely)).where("top_ups.status", "=", "pending").where("top_ups.method", "=", method);
  return found.where("top_ups.created_time", "<=", until).orderBy("top_ups.id").limit(limit).execute();
}

/** By our own number. */
export const findOrderByNumber = ({ kysely }: Database, tradeNo: string): Promise<StoredOrder | undefined> =>
  orderWhere(kysely, "trade_no", tradeNo);

/** By the provider's number of the payment; never by a blank one. */
export const findOrderByPayment = async ({ kysely }: Database, reference: string): Promise<StoredOrder | undefined> =>
  reference === "" ? undefined : orderWhere(kysely, "payment_reference", reference);

/** Ids of orders of one buyer by their numbers. @param numbers at most some thousands */
export async function orderIdsOf(
  { kysely }: Pick<Database, "kysely">,
  userId: number,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const wanted = numbers.filter((number) => number !== "");
  if (wanted.length === 0) return new Map();
  const found = kysely.selectFrom("top_ups").select(["id", "trade_no"]).where("user_id", "=", userId);
  const rows = await found.where("trade_no", "in", wanted).execute();
  return new Map(rows.map(({ id, trade_no: number }) => [number, id]));
}

export const insertOrder = (database: Database, order: Insertable<TopUpTable>): Promise<number> =>
  insertReturningId(database, database.kysely, "top_ups", order);

/** Statuses of orders whose money has not arrived; it may still arrive in each of them. */
const UNPAID = ["pending", "ended", "cancelled", "failed"] as const;
/** And those whose money has arrived, but not in the balance. */
const NOT_CREDITED = [...UNPAID, "uncredited"] as const;

/** Whether the payment of an order was not reported yet. */
export const isUnpaid = ({ status }: Pick<StoredOrder, "status">): boolean => UNPAID.some((each) => each === status);

export interface PaidOrder {
  completedTime: number;
  reference: string;
  paymentReference: string;
  completedBy: number;
}

const referencesIn = ({ reference, paymentReference }: Pick<PaidOrder, "reference" | "paymentReference">) => ({
  ...(reference === "" ? {} : { provider_reference: reference }),
  ...(paymentReference === "" ? {} : { payment_reference: paymentReference }),
});

/** Marks an order as paid whose quota the balance cannot take; false where it was so before, or was credited meanwhile. */
export async function markUncredited(
  { kysely }: Database,
  id: number,
  paid: Pick<PaidOrder, "reference" | "paymentReference">,
): Promise<boolean> {
  const update = kysely.updateTable("top_ups").set({ status: "uncredited", ...referencesIn(paid) });
  const result = await update.where("id", "=", id).where("status", "in", UNPAID).executeTakeFirstOrThrow();
  return affectedRows(result) === 1;
}

/** Marks an order as paid; false where it was paid before. */
export async function markPaid(transaction: Transaction<Schema>, id: number, paid: PaidOrder): Promise<boolean> {
  const { completedTime, completedBy } = paid;
  const result = await transaction
    .updateTable("top_ups")
    .set({
      status: "paid",
      completed_time: completedTime,
      completed_by: completedBy,
      ...referencesIn(paid),
    })
    .where("id", "=", id)
    .where("status", "in", NOT_CREDITED)
    .executeTakeFirstOrThrow();
  return affectedRows(result) === 1;
}

/** Ends an order that is still waiting for its payment; false where it is not any more. */
export async function endPending(
  { kysely }: Database,
  id: number,
  status: "failed" | "ended" | "cancelled",
): Promise<boolean> {
  const update = kysely.updateTable("top_ups").set({ status }).where("id", "=", id).where("status", "=", "pending");
  return affectedRows(await update.executeTakeFirstOrThrow()) === 1;
}

/** Keeps the provider's number of an order, unless a payment has brought it meanwhile. */
export async function keepReference({ kysely }: Database, id: number, reference: string): Promise<void> {
  await kysely
    .updateTable("top_ups")
    .set({ provider_reference: reference })
    .where("id", "=", id)
    .where("provider_reference", "=", "")
    .execute();
}

export interface ReversalChange {
  refundedMinor: number;
  disputedMinor: number;
  disputeStatus: DisputeStatus;
  status: OrderStatus;
  takenBack: number;
  /** How many events there are now. */
  reversals: number;
}

/** Writes how the money of an order stands that is locked. */
export async function changeReversal(
  transaction: Transaction<Schema>,
  id: number,
  { refundedMinor, disputedMinor, disputeStatus, status, takenBack, reversals }: ReversalChange,
): Promise<void> {
  await transaction
    .updateTable("top_ups")
    .set({
      refunded_minor: refundedMinor,
      disputed_minor: disputedMinor,
      dispute_status: disputeStatus,
      status,
      taken_back: takenBack,
      reversals,
    })
    .where("id", "=", id)
    .execute();
}
