/** Rows of the log: an empty entry with defaults, and the mapping from an entry to the columns of its table. */
import type { Insertable } from "kysely";
import type { LogTable } from "../db/schema.ts";
import type { LogEntry } from "./billing.ts";
import { storableLog } from "./ledger-entry.ts";

/** Defaults of an entry that concerns no call, no user and no channel. */
export const BLANK_ENTRY = {
  userId: 0,
  username: "",
  tokenId: 0,
  tokenName: "",
  channelId: 0,
  modelName: "",
  groupName: "",
  quota: 0,
  promptTokens: 0,
  completionTokens: 0,
  useTimeMs: 0,
  firstTokenMs: 0,
  isStream: false,
  ip: "",
  content: "",
  other: "{}",
} as const satisfies Omit<LogEntry, "type" | "requestId" | "createdAt">;

/** The stored row of an entry: its texts are cut to the columns' lengths. */
export function logRow(entry: LogEntry): Insertable<LogTable> {
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
