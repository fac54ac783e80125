/** Migration 42: which options, prices, channels and providers of sign-in a configuration file manages. */
import { flag, integer, text } from "./columns.ts";
import { createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const managedThings: Migration = {
  id: 42,
  name: "managed-things",
  steps: createTable({
    name: "managed_things",
    columns: {
      kind: text(16),
      name: text(128),
      target_id: integer(0),
      managed_by: text(64),
      is_locked: flag(),
      updated_time: integer(),
      updated_by: integer(0),
    },
    primaryKey: ["kind", "name"],
    indexes: [["kind", "target_id"]],
  }),
};
