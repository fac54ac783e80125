/** Migration 35: saved views of the log, by account. */
import { id, integer, long, text } from "./columns.ts";
import { createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const logViews: Migration = {
  id: 35,
  name: "log-views",
  steps: createTable({
    name: "log_views",
    columns: { id: id(), user_id: integer(), name: text(255), search: long() },
    indexes: [["user_id"]],
  }),
};
