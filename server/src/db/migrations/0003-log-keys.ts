/** Migration 3: every index of the log begins with a filter's column, continues with the time, and contains the columns of the other filters. */
import { createIndex, dropIndex } from "./steps.ts";
import type { Migration } from "./steps.ts";

/** Columns of other filters, so that no row is read only to be filtered out. */
const ASKED = ["type", "model_name", "group_name"];

/** Ids rise with time, so the indexes by id that are dropped led to the same order without an end to look up. */
export const logKeys: Migration = {
  id: 3,
  name: "log keys",
  steps: [
    createIndex("logs", ["user_id", "created_at", "id", ...ASKED, "channel_id"]),
    createIndex("logs", ["token_id", "created_at", "id", ...ASKED]),
    createIndex("logs", ["channel_id", "created_at", "id", ...ASKED]),
    createIndex("logs", ["model_name", "created_at", "id", "type", "group_name"]),
    createIndex("logs", ["group_name", "created_at", "id", "type", "model_name"]),
    createIndex("logs", ["type", "created_at", "id", "user_id", "token_id", "channel_id", "model_name", "group_name"]),
    dropIndex("logs", ["user_id", "id"]),
    dropIndex("logs", ["token_id", "id"]),
    dropIndex("logs", ["channel_id", "id"]),
    dropIndex("logs", ["model_name", "created_at", "id"]),
    dropIndex("logs", ["type", "created_at", "id"]),
  ],
};
