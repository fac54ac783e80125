/** Migration 6: replaces two indexes with scattered entries, so that a charge writes two pages fewer. */
import { createIndex, dropIndex } from "./steps.ts";
import type { Migration } from "./steps.ts";

const ASKED = ["type", "model_name", "group_name"];

/** A token's calls are found through its user's. Ledger queries for entries that are no charges are by kind and time. */
export const scatteredIndexes: Migration = {
  id: 6,
  name: "scattered indexes",
  steps: [
    createIndex("logs", ["user_id", "created_at", "id", "token_id", ...ASKED, "channel_id"]),
    dropIndex("logs", ["user_id", "created_at", "id", ...ASKED, "channel_id"]),
    dropIndex("logs", ["token_id", "created_at", "id", ...ASKED]),
    createIndex("ledger", ["kind", "created_at", "user_id"]),
    dropIndex("ledger", ["user_id", "id"]),
  ],
};
