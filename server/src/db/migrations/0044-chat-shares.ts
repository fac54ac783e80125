/** Migration 44: share links of chats, each with its snapshot. */
import { flag, integer, long, text } from "./columns.ts";
import { createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const chatShares: Migration = {
  id: 44,
  name: "chat-shares",
  steps: createTable({
    name: "chat_shares",
    columns: {
      id: text(22),
      user_id: integer(),
      title: text(120),
      created_time: integer(),
      expires_time: integer(),
      bytes: integer(),
      has_system: flag(),
      content: long(),
    },
    primaryKey: ["id"],
    indexes: [["user_id"], ["expires_time"]],
  }),
};
