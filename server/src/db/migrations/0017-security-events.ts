/** Migration 17: the security log, one row an action, and one row an hour for equal refusals. */
import { flag, id, integer, text } from "./columns.ts";
import { createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const securityEvents: Migration = {
  id: 17,
  name: "security-events",
  steps: createTable({
    name: "security_events",
    columns: {
      id: id(),
      event_key: text(255),
      kind: text(32),
      is_refusal: flag(0),
      user_id: integer(0),
      actor_id: integer(0),
      network: text(64, ""),
      way: text(64, ""),
      reason: text(64, ""),
      count: integer(1),
      created_time: integer(),
      last_time: integer(),
    },
    unique: [["event_key"]],
    indexes: [["user_id", "id"], ["created_time"]],
  }),
};
