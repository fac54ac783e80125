/** Migration 15: each refund and dispute of an order has a row with its own number, in place of one of each kind. */
import { createTable, dropColumn } from "./steps.ts";
import type { Migration } from "./steps.ts";
import { integer, text } from "./columns.ts";

export const orderEvents: Migration = {
  id: 15,
  name: "order-events",
  minimumSchema: 15,
  steps: [
    ...createTable({
      name: "order_events",
      columns: {
        order_id: integer(),
        number: integer(),
        kind: text(16),
        reference: text(255),
        status: text(16),
        amount_minor: integer(),
        told_time: integer(0),
        quota_delta: integer(0),
        created_time: integer(),
      },
      primaryKey: ["order_id", "number"],
    }),
    dropColumn("top_ups", "dispute_reference"),
  ],
};
