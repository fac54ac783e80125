/** Migration 46: which channel and key made a response that its upstream stores, and whose it is. */
import { integer, text } from "./columns.ts";
import { createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const storedResponses: Migration = {
  id: 46,
  name: "stored-responses",
  steps: createTable({
    name: "stored_responses",
    columns: {
      id: text(200),
      user_id: integer(),
      channel_id: integer(),
      channel_key_id: integer(0),
      model: text(255),
      created_time: integer(),
    },
    primaryKey: ["id"],
    indexes: [["user_id", "created_time"], ["created_time"]],
  }),
};
