/** Migration 11: who changed an option and how often, accepted price lists, and the upstream costs of calls. */
import { id, integer, long, nullable, text, type TableDefinition } from "./columns.ts";
import { addColumn, createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

const TABLES: readonly TableDefinition[] = [
  {
    name: "price_lists",
    columns: { id: id(), hash: text(64), version: text(128), lines: long(), created_time: integer() },
    unique: [["hash"]],
  },
  {
    name: "price_list_changes",
    columns: {
      id: id(),
      source: text(2048),
      lines: long(),
      created_time: integer(),
      created_by: integer(),
      undone_time: integer(0),
    },
  },
];

export const settingsAndPrices: Migration = {
  id: 11,
  name: "settings and prices",
  steps: [
    addColumn("options", "revision", integer(0)),
    addColumn("options", "updated_by", integer(0)),
    addColumn("channels", "costs", nullable(long())),
    addColumn("ledger", "cost", nullable(integer())),
    addColumn("usage_hours", "cost", integer(0)),
    addColumn("usage_hours", "costed_quota", integer(0)),
    ...TABLES.flatMap(createTable),
  ],
};
