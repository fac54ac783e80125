/** Migration 13: top-up orders in several currencies, with the provider's order numbers, refunds and disputes. */
import { integer, text } from "./columns.ts";
import { addColumn, createIndex, renameColumn } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const payments: Migration = {
  id: 13,
  name: "payments",
  minimumSchema: 13,
  steps: [
    // Some currencies have no hundredths. No version before this one wrote an order.
    renameColumn("top_ups", "money_cents", "money_minor", integer()),
    addColumn("top_ups", "currency", text(8, "CNY")),
    addColumn("top_ups", "provider_reference", text(255, "")),
    addColumn("top_ups", "payment_reference", text(255, "")),
    addColumn("top_ups", "refunded_minor", integer(0)),
    addColumn("top_ups", "disputed_minor", integer(0)),
    addColumn("top_ups", "dispute_reference", text(255, "")),
    addColumn("top_ups", "dispute_status", text(16, "")),
    addColumn("top_ups", "taken_back", integer(0)),
    addColumn("top_ups", "reversals", integer(0)),
    addColumn("top_ups", "completed_by", integer(0)),
    createIndex("top_ups", ["status", "created_time"]),
    createIndex("top_ups", ["payment_reference"]),
  ],
};
