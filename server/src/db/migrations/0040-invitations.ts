/** Migration 40: invitations by mail, of which each makes one account. */
import { id, integer, text } from "./columns.ts";
import { createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const invitations: Migration = {
  id: 40,
  name: "invitations",
  steps: createTable({
    name: "invitations",
    columns: {
      id: id(),
      email: text(254),
      token_hash: text(128),
      group_name: text(64),
      quota: integer(),
      created_by: integer(),
      created_time: integer(),
      expires_time: integer(),
      used_time: integer(0),
      used_by: integer(0),
      revoked_time: integer(0),
    },
    unique: [["token_hash"]],
    indexes: [["email"], ["created_by", "created_time"]],
  }),
};
