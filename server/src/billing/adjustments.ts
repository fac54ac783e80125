/** Adjustments, the ledger entries without a call (credits, corrections, transfers, token quotas): each is one transaction through Kysely on every engine. */
import { type Insertable, type SqlBool, type Transaction, sql } from "kysely";
import type { Database } from "../db/database.ts";
import { affectedRows, insertOrIgnore } from "../db/portable.ts";
import type { LedgerTable, Schema } from "../db/schema.ts";
import { assertQuota } from "../../../contract/src/money.ts";
import { type Adjustment, type Claim, type Decision, LedgerFault } from "./billing.ts";
import { logRow } from "./log-row.ts";

function ledgerRow(adjustment: Adjustment, createdAt: number): Insertable<LedgerTable> {
  return {
    entry_id: adjustment.entryId,
    kind: adjustment.kind,
    created_at: createdAt,
    user_id: adjustment.userId,
    token_id: adjustment.tokenId ?? 0,
    channel_id: 0,
    model: "",
    group_name: "",
    quota_delta: assertQuota(adjustment.quotaDelta ?? 0),
    token_quota_delta: assertQuota(adjustment.tokenQuotaDelta ?? 0),
    aff_quota_delta: assertQuota(adjustment.affQuotaDelta ?? 0),
    used_delta: 0,
    request_delta: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    detail: adjustment.detail,
  };
}

/** True for rows that stay within ±(2^53 - 1) when `delta` is added to a column. */
const holdsSum = (column: "quota" | "aff_quota" | "aff_history_quota" | "remain_quota", delta: number) =>
  delta > 0
    ? sql<SqlBool>`${sql.ref(column)} <= ${Number.MAX_SAFE_INTEGER - delta}`
    : sql<SqlBool>`${sql.ref(column)} >= ${0 - Number.MAX_SAFE_INTEGER - delta}`;

async function moveToken(transaction: Transaction<Schema>, adjustment: Adjustment): Promise<void> {
  const delta = adjustment.tokenQuotaDelta ?? 0;
  if (delta === 0) return;
  const { tokenId = 0, userId } = adjustment;
  const result = await transaction
    .updateTable("tokens")
    .set((row) => ({ remain_quota: row("remain_quota", "+", delta) }))
    .where("id", "=", tokenId)
    // An expression, so that the row is locked by its primary key, as in every other transaction: MariaDB would lock the index of
    // (user_id, id) first, and a transaction that holds the row and then this index would deadlock with it.
    .where(sql<SqlBool>`user_id + 0 = ${userId}`)
    .where(holdsSum("remain_quota", delta))
    .executeTakeFirstOrThrow();
  if (affectedRows(result) === 1) return;
  const owned = transaction.selectFrom("tokens").select("id").where("id", "=", tokenId).where("user_id", "=", userId);
  throw new LedgerFault((await owned.executeTakeFirst()) === undefined ? "unknown_token" : "balance_limit");
}

async function moveUser(transaction: Transaction<Schema>, adjustment: Adjustment): Promise<void> {
  const { userId, quotaDelta = 0, affQuotaDelta: rewards = 0 } = adjustment;
  const earned = Math.max(0, rewards);
  let update = transaction
    .updateTable("users")
    .set((row) => ({
      quota: row("quota", "+", quotaDelta),
      aff_quota: row("aff_quota", "+", rewards),
      aff_history_quota: row("aff_history_quota", "+", earned),
    }))
    .where("id", "=", userId)
    .where(holdsSum("quota", quotaDelta))
    .where(holdsSum("aff_quota", rewards))
    .where(holdsSum("aff_history_quota", earned));
  if (rewards < 0) update = update.where("aff_quota", ">=", 0 - rewards);
  if (affectedRows(await update.executeTakeFirstOrThrow()) === 1) return;
  const user = await transaction.selectFrom("users").select("aff_quota").where("id", "=", userId).executeTakeFirst();
  if (user === undefined) throw new LedgerFault("unknown_user");
  throw new LedgerFault(rewards < 0 && user.aff_quota < 0 - rewards ? "reward_quota" : "balance_limit");
}

/** Thrown to roll a transaction back; its adjustment is reported as not posted. */
class Rollback extends Error {}

async function post(
  database: Database,
  transaction: Transaction<Schema>,
  adjustment: Adjustment,
  createdAt: number,
): Promise<void> {
  if (!(await insertOrIgnore(database, transaction, "ledger", ledgerRow(adjustment, createdAt)))) throw new Rollback();
  await moveToken(transaction, adjustment);
  await moveUser(transaction, adjustment);
  if (adjustment.log !== undefined) await transaction.insertInto("logs").values(logRow(adjustment.log)).execute();
}

/** The posted adjustment, if any; `isRefused` if its id was posted before or its claim was refused. */
export interface Posted {
  adjustment: Adjustment | undefined;
  isRefused: boolean;
}

/**
 * Posts the adjustment that `decide` returns, in the transaction in which it decides. Throws LedgerFault and what `decide` throws. If it
 * is refused or throws, nothing has changed.
 */
export async function postDecided(database: Database, createdAt: number, decide: Decision): Promise<Posted> {
  try {
    const adjustment = await database.kysely.transaction().execute(async (transaction) => {
      // First, so that concurrent claims of one row wait here for each other and hold no other lock meanwhile.
      const decided = await decide(transaction);
      if (decided !== undefined) await post(database, transaction, decided, createdAt);
      return decided;
    });
    return { adjustment, isRefused: false };
  } catch (error) {
    if (error instanceof Rollback) return { adjustment: undefined, isRefused: true };
    throw error;
  }
}

/** The decision for an adjustment that is fixed except for its claim. */
export const onceClaimed =
  (adjustment: Adjustment, claim: Claim | undefined): Decision =>
  async (transaction) => {
    if (claim !== undefined && !(await claim(transaction))) throw new Rollback();
    return adjustment;
  };
