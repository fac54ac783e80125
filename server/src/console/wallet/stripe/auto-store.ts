/** Queries of automatic top-up: rules, the orders that they made, and which rules have something to do. */
import type { Selectable, Transaction } from "kysely";
import type { AutoTopUpPause } from "../../../../../contract/src/payments/auto-top-up.ts";
import type { Database } from "../../../db/database.ts";
import type { AutoTopUpTable } from "../../../db/money-tables.ts";
import { affectedRows, locked, type Queries, upsert } from "../../../db/portable.ts";
import type { Schema } from "../../../db/schema.ts";

export type StoredRule = Selectable<AutoTopUpTable>;
export type RuleChange = Partial<Omit<StoredRule, "user_id">>;

export const findRule = (queries: Queries, userId: number): Promise<StoredRule | undefined> =>
  queries.selectFrom("auto_top_ups").selectAll().where("user_id", "=", userId).executeTakeFirst();

/** A rule that stays as it is until the transaction ends: what is decided by it is decided once. */
export const lockRule = (
  database: Database,
  transaction: Transaction<Schema>,
  userId: number,
): Promise<StoredRule | undefined> =>
  locked(database, transaction.selectFrom("auto_top_ups").selectAll().where("user_id", "=", userId)).executeTakeFirst();

/** Changes the rule of a person, who may have had none. */
export const writeRule = (database: Database, queries: Queries, userId: number, change: RuleChange): Promise<void> =>
  upsert(database, queries, "auto_top_ups", { user_id: userId, ...change }, ["user_id"], change);

/** False where there is no such rule, or, with `where`, where it is not so any more. */
export async function changeRule(
  queries: Queries,
  userId: number,
  change: RuleChange,
  where: { setup_session?: string } = {},
): Promise<boolean> {
  const { setup_session: session } = where;
  const update = queries.updateTable("auto_top_ups").set(change).where("user_id", "=", userId);
  const result = await (
    session === undefined ? update : update.where("setup_session", "=", session)
  ).executeTakeFirst();
  return affectedRows(result) === 1;
}

/** The user whose card is saved in a session of the provider. */
export const findRuleOfSession = (queries: Queries, session: string): Promise<StoredRule | undefined> =>
  queries.selectFrom("auto_top_ups").selectAll().where("setup_session", "=", session).executeTakeFirst();

/** The automatic order of a person whose payment is under way. */
export const waitingOrder = (queries: Queries, userId: number) =>
  queries
    .selectFrom("top_ups")
    .select(["id", "created_time"])
    .where("user_id", "=", userId)
    .where("is_automatic", "=", 1)
    .where("status", "=", "pending")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();

/** Money of automatic orders in minor units since a moment (Unix seconds): of those that were paid or may still be. */
export async function spentSince(queries: Queries, userId: number, since: number, currency: string): Promise<number> {
  const row = await queries
    .selectFrom("top_ups")
    .select(({ fn }) => fn.sum<number | string | null>("money_minor").as("minor"))
    .where("user_id", "=", userId)
    .where("is_automatic", "=", 1)
    .where("created_time", ">=", since)
    .where("currency", "=", currency)
    .where("status", "not in", ["failed", "ended", "cancelled"])
    .executeTakeFirst();
  return Number(row?.minor ?? 0);
}

/** Ends an automatic order that waits for its payment; false where it does not any more. */
export async function failWaiting(queries: Queries, orderId: number): Promise<boolean> {
  const update = queries.updateTable("top_ups").set({ status: "failed" }).where("id", "=", orderId);
  return affectedRows(await update.where("status", "=", "pending").executeTakeFirst()) === 1;
}

/** Pauses a rule; false where it is paused already. */
export async function pauseRule(queries: Queries, userId: number, paused: AutoTopUpPause): Promise<boolean> {
  const update = queries.updateTable("auto_top_ups").set({ paused, order_id: 0 }).where("user_id", "=", userId);
  return affectedRows(await update.where("paused", "=", "").executeTakeFirst()) === 1;
}

/** Ids of people whose rule pays now, or has a payment under way; ascending, after `afterId`. */
export async function dueRules({ kysely }: Database, afterId: number, limit: number): Promise<number[]> {
  const rows = await kysely
    .selectFrom("auto_top_ups")
    .innerJoin("users", "users.id", "auto_top_ups.user_id")
    .select("auto_top_ups.user_id")
    .where("is_enabled", "=", 1)
    .where("paused", "=", "")
    .where("payment_method", "!=", "")
    .where(({ or, eb }) => or([eb("order_id", "!=", 0), eb("users.quota", "<", eb.ref("threshold"))]))
    .where("auto_top_ups.user_id", ">", afterId)
    .orderBy("auto_top_ups.user_id")
    .limit(limit)
    .execute();
  return rows.map(({ user_id: id }) => id);
}
