/** Migration 2: indexes of the log for its filters by type and by model, and a covering one by time for the others. */
import { createIndex, dropIndex } from "./steps.ts";
import type { Migration } from "./steps.ts";

/** The new index by time has the old one as its prefix, which is dropped only if it exists. */
export const logIndexes: Migration = {
  id: 2,
  name: "log indexes",
  steps: [
    createIndex("logs", ["created_at", "id", "type", "model_name", "group_name"]),
    createIndex("logs", ["type", "created_at", "id"]),
    createIndex("logs", ["model_name", "created_at", "id"]),
    dropIndex("logs", ["created_at", "id"]),
  ],
};
