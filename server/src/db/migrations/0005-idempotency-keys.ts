/** Migration 5: idempotency keys of clients, with the response to the first call. */
import { integer, long, text } from "./columns.ts";
import { createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const idempotencyKeys: Migration = {
  id: 5,
  name: "idempotency keys",
  steps: createTable({
    name: "idempotency_keys",
    columns: {
      token_id: integer(),
      key_hash: text(64),
      body_hash: text(64),
      request_id: text(64),
      state: integer(0),
      status: integer(0),
      content_type: text(255, ""),
      answer: long(),
      created_time: integer(),
    },
    primaryKey: ["token_id", "key_hash"],
    indexes: [["created_time"]],
  }),
};
