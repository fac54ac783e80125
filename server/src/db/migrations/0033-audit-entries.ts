/** Migration 33: what administrators changed, from what to what. */
import { id, integer, long, text } from "./columns.ts";
import { createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const auditEntries: Migration = {
  id: 33,
  name: "audit-entries",
  steps: createTable({
    name: "audit_entries",
    columns: {
      id: id(),
      created_time: integer(),
      actor_id: integer(),
      actor: text(255),
      kind: text(16),
      object_id: text(255),
      object_name: text(255),
      user_id: integer(0),
      event: long(),
      changes: long(),
    },
    indexes: [["kind", "object_id", "id"], ["created_time"], ["actor", "id"]],
  }),
};
