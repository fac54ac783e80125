/** Ledger and log rows as arrays of cells in column order: the form that bulk inserts take and that is posted to the SQLite thread. */
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { LogEntry } from "../billing.ts";
import type { LedgerEntry, LedgerRow } from "../ledger-entry.ts";
import { shortDetail, shortReceipt } from "../shorthand.ts";

export type Cell = string | number | null;

/** Columns of `ledger` in the order of the cells. */
export const LEDGER_COLUMNS = [
  "entry_id",
  "kind",
  "created_at",
  "user_id",
  "token_id",
  "channel_id",
  "model",
  "group_name",
  "quota_delta",
  "token_quota_delta",
  "aff_quota_delta",
  "used_delta",
  "request_delta",
  "prompt_tokens",
  "completion_tokens",
  "cost",
  "detail",
] as const;

/** Columns of `logs` in the order of the cells. */
export const LOG_COLUMNS = [
  "request_id",
  "created_at",
  "type",
  "user_id",
  "username",
  "token_id",
  "token_name",
  "channel_id",
  "model_name",
  "group_name",
  "quota",
  "prompt_tokens",
  "completion_tokens",
  "use_time_ms",
  "first_token_ms",
  "is_stream",
  "ip",
  "content",
  "other",
] as const;

export const ledgerCells = (row: LedgerRow): Cell[] => [
  row.entryId,
  row.kind,
  row.createdAt,
  row.userId,
  row.tokenId,
  row.channelId,
  row.model,
  row.groupName,
  row.quotaDelta,
  row.tokenQuotaDelta,
  row.affQuotaDelta,
  row.usedDelta,
  row.requestDelta,
  row.promptTokens,
  row.completionTokens,
  row.cost ?? null,
  row.kind === "charge" ? shortDetail(row.detail) : row.detail,
];

export const logCells = (log: LogEntry): Cell[] => [
  log.requestId,
  log.createdAt,
  log.type,
  log.userId,
  log.username,
  log.tokenId,
  log.tokenName,
  log.channelId,
  log.modelName,
  log.groupName,
  log.quota,
  log.promptTokens,
  log.completionTokens,
  log.useTimeMs,
  log.firstTokenMs,
  log.isStream ? 1 : 0,
  log.ip,
  log.content,
  // Filters read the receipts of failed calls, which are few, in the database.
  log.type === LOG_TYPE.consumption ? shortReceipt(log.other) : log.other,
];

/** One bit each: a ledger row follows, a log row follows. */
export const HAS_LEDGER = 1;
export const HAS_LOG = 2;

/** One list: for each ledger entry its bits, then the cells of its rows. */
export function packEntries(ledgerEntries: readonly LedgerEntry[]): Cell[] {
  const cells: Cell[] = [];
  for (const { ledger, log } of ledgerEntries) {
    cells.push((ledger === undefined ? 0 : HAS_LEDGER) | (log === undefined ? 0 : HAS_LOG));
    if (ledger !== undefined) cells.push(...ledgerCells(ledger));
    if (log !== undefined) cells.push(...logCells(log));
  }
  return cells;
}
