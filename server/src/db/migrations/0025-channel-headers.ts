/** Migration 25: headers and settings of what a channel sends, remarks on channels and users, and saved lists for forms. */
import { id, integer, long, nullable, type TableDefinition, text } from "./columns.ts";
import { addColumn, createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

const SAVED_LISTS: TableDefinition = {
  name: "prefill_groups",
  columns: {
    id: id(),
    name: text(64),
    type: text(16),
    items: long(),
    description: text(255, ""),
    created_time: integer(),
    updated_time: integer(),
  },
  unique: [["name"]],
};

export const channelHeaders: Migration = {
  id: 25,
  name: "channel-headers",
  steps: [
    addColumn("channels", "header_override", nullable(long())),
    addColumn("channels", "settings", nullable(long())),
    addColumn("channels", "remark", text(255, "")),
    addColumn("users", "remark", text(255, "")),
    ...createTable(SAVED_LISTS),
  ],
};
