/** Migration 12: several keys in a channel, balances in their own currency, upstream access tokens, circuit breakers visible to all processes; who undid lines of a price list. */
import { addColumn, createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";
import { id, integer, long, nullable, text, type TableDefinition } from "./columns.ts";

const TABLES: readonly TableDefinition[] = [
  {
    name: "channel_keys",
    columns: {
      id: id(),
      channel_id: integer(),
      key_hash: text(64),
      key_cipher: long(),
      key_mark: text(32),
      status: integer(1),
      status_reason: text(1024, ""),
      status_time: integer(0),
      used_count: integer(0),
      failed_count: integer(0),
      created_time: integer(),
    },
    unique: [["channel_id", "key_hash"]],
  },
  {
    name: "access_tokens",
    columns: { name_hash: text(64), token_cipher: long(), expires_time: integer(), updated_time: integer() },
    primaryKey: ["name_hash"],
  },
  {
    name: "open_breakers",
    columns: {
      process: text(64),
      channel_id: integer(),
      key_id: integer(0),
      reason: text(32),
      open_until_ms: integer(),
      updated_time: integer(),
    },
    primaryKey: ["process", "channel_id", "key_id"],
  },
];

export const channels: Migration = {
  id: 12,
  name: "channels",
  steps: [
    addColumn("channels", "key_choice", integer(0)),
    addColumn("channels", "balance_currency", text(8, "USD")),
    addColumn("channels", "balance_failure", nullable(text(2048))),
    ...TABLES.flatMap(createTable),
    addColumn("price_list_changes", "undone_by", integer(0)),
  ],
};
