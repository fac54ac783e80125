/** Adjustments that are no calls (credits, corrections, transfers, token quotas), each one transaction through Kysely on every engine. */
import type { Insertable, Transaction } from "kysely";
import type { Database } from "../db/database.ts";
import { affectedRows, insertOrIgnore } from "../db/portable.ts";
import type { LedgerTable, Schema } from "../db/schema.ts";
import { assertQuota } from "../../../contract/src/money.ts";
import { type Adjustment, type Claim, LedgerFault } from "./billing.ts";
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

async function moveToken(transaction: Transaction<Schema>, adjustment: Adjustment): Promise<void> {
  const delta = adjustment.tokenQuotaDelta ?? 0;
  if (delta === 0) return;
  const result = await transaction
    .updateTable("tokens")
    .set((row) => ({ remain_quota: row("remain_quota", "+", delta) }))
    .where("id", "=", adjustment.tokenId ?? 0)
    .where("user_id", "=", adjustment.userId)
    .executeTakeFirstOrThrow();
  if (affectedRows(result) !== 1) throw new LedgerFault("unknown_token");
}

async function moveUser(transaction: Transaction<Schema>, adjustment: Adjustment): Promise<void> {
  const rewards = adjustment.affQuotaDelta ?? 0;
  let update = transaction
    .updateTable("users")
    .set((row) => ({
      quota: row("quota", "+", adjustment.quotaDelta ?? 0),
      aff_quota: row("aff_quota", "+", rewards),
      aff_history_quota: row("aff_history_quota", "+", Math.max(0, rewards)),
    }))
    .where("id", "=", adjustment.userId);
  if (rewards < 0) update = update.where("aff_quota", ">=", -rewards);
  if (affectedRows(await update.executeTakeFirstOrThrow()) === 1) return;
  const user = await transaction
    .selectFrom("users")
    .select("id")
    .where("id", "=", adjustment.userId)
    .executeTakeFirst();
  throw new LedgerFault(user === undefined ? "unknown_user" : "reward_quota");
}

/** Ends a transaction that is not to be committed; `move` answers false. */
class Withdrawn extends Error {}

async function post(
  database: Database,
  transaction: Transaction<Schema>,
  adjustment: Adjustment,
  createdAt: number,
): Promise<void> {
  if (!(await insertOrIgnore(database, transaction, "ledger", ledgerRow(adjustment, createdAt)))) throw new Withdrawn();
  await moveToken(transaction, adjustment);
  await moveUser(transaction, adjustment);
  if (adjustment.log !== undefined) await transaction.insertInto("logs").values(logRow(adjustment.log)).execute();
}

/**
 * Posts one adjustment; false when its id was posted before or `claim` was refused. Throws LedgerFault and what `claim` throws. Where it
 * is false or throws, nothing has changed.
 */
export async function postAdjustment(
  database: Database,
  adjustment: Adjustment,
  createdAt: number,
  claim?: Claim,
): Promise<boolean> {
  try {
    await database.kysely.transaction().execute(async (transaction) => {
      // First, so that of many who want the same row one gets past it and the others wait there, holding nothing else.
      if (claim !== undefined && !(await claim(transaction))) throw new Withdrawn();
      await post(database, transaction, adjustment, createdAt);
    });
    return true;
  } catch (error) {
    if (error instanceof Withdrawn) return false;
    throw error;
  }
}
