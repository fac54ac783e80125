/** Migration 38: rules of automatic top-up with their saved cards, and which orders they made. */
import { flag, integer, text } from "./columns.ts";
import { addColumn, createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const autoTopUps: Migration = {
  id: 38,
  name: "auto-top-ups",
  steps: [
    ...createTable({
      name: "auto_top_ups",
      columns: {
        user_id: integer(),
        customer: text(255, ""),
        payment_method: text(255, ""),
        card_brand: text(32, ""),
        card_last4: text(4, ""),
        setup_session: text(255, ""),
        is_enabled: flag(),
        threshold: integer(0),
        amount: integer(0),
        month_minor: integer(0),
        currency: text(3, ""),
        paused: text(16, ""),
        order_id: integer(0),
      },
      primaryKey: ["user_id"],
      indexes: [["setup_session"]],
    }),
    addColumn("top_ups", "is_automatic", flag()),
  ],
};
