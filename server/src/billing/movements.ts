/** Movements that are no calls (credits, corrections, transfers, token quotas), each one transaction through Kysely on every engine. */
import type { Insertable, Transaction } from "kysely";
import type { Database } from "../db/database.ts";
import { affectedRows, insertOrIgnore } from "../db/portable.ts";
import type { LedgerTable, LogTable, Schema } from "../db/schema.ts";
import { assertQuota } from "../../../contract/src/money.ts";
import { type LogEntry, type Movement, MovementRefused } from "./billing.ts";
import { storableLog } from "./booking.ts";

function logRow(entry: LogEntry): Insertable<LogTable> {
  const log = storableLog(entry);
  return {
    request_id: log.requestId,
    created_at: log.createdAt,
    type: log.type,
    user_id: log.userId,
    username: log.username,
    token_id: log.tokenId,
    token_name: log.tokenName,
    channel_id: log.channelId,
    model_name: log.modelName,
    group_name: log.groupName,
    quota: log.quota,
    prompt_tokens: log.promptTokens,
    completion_tokens: log.completionTokens,
    use_time_ms: log.useTimeMs,
    first_token_ms: log.firstTokenMs,
    is_stream: log.isStream ? 1 : 0,
    ip: log.ip,
    content: log.content,
    other: log.other,
  };
}

function ledgerRow(movement: Movement, createdAt: number): Insertable<LedgerTable> {
  return {
    entry_id: movement.entryId,
    kind: movement.kind,
    created_at: createdAt,
    user_id: movement.userId,
    token_id: movement.tokenId ?? 0,
    channel_id: 0,
    model: "",
    group_name: "",
    quota_delta: assertQuota(movement.quotaDelta ?? 0),
    token_quota_delta: assertQuota(movement.tokenQuotaDelta ?? 0),
    aff_quota_delta: assertQuota(movement.affQuotaDelta ?? 0),
    used_delta: 0,
    request_delta: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    detail: movement.detail,
  };
}

async function moveToken(transaction: Transaction<Schema>, movement: Movement): Promise<void> {
  const delta = movement.tokenQuotaDelta ?? 0;
  if (delta === 0) return;
  const result = await transaction
    .updateTable("tokens")
    .set((row) => ({ remain_quota: row("remain_quota", "+", delta) }))
    .where("id", "=", movement.tokenId ?? 0)
    .where("user_id", "=", movement.userId)
    .executeTakeFirstOrThrow();
  if (affectedRows(result) !== 1) throw new MovementRefused("unknown_token");
}

async function moveUser(transaction: Transaction<Schema>, movement: Movement): Promise<void> {
  const rewards = movement.affQuotaDelta ?? 0;
  let update = transaction
    .updateTable("users")
    .set((row) => ({
      quota: row("quota", "+", movement.quotaDelta ?? 0),
      aff_quota: row("aff_quota", "+", rewards),
      aff_history_quota: row("aff_history_quota", "+", Math.max(0, rewards)),
    }))
    .where("id", "=", movement.userId);
  if (rewards < 0) update = update.where("aff_quota", ">=", -rewards);
  if (affectedRows(await update.executeTakeFirstOrThrow()) === 1) return;
  const user = await transaction.selectFrom("users").select("id").where("id", "=", movement.userId).executeTakeFirst();
  throw new MovementRefused(user === undefined ? "unknown_user" : "reward_quota");
}

/** Books one movement; false when its id was booked before. Throws MovementRefused, with nothing changed. */
export function bookMovement(database: Database, movement: Movement, createdAt: number): Promise<boolean> {
  return database.kysely.transaction().execute(async (transaction) => {
    if (!(await insertOrIgnore(database, transaction, "ledger", ledgerRow(movement, createdAt)))) return false;
    await moveToken(transaction, movement);
    await moveUser(transaction, movement);
    if (movement.log !== undefined) await transaction.insertInto("logs").values(logRow(movement.log)).execute();
    return true;
  });
}
