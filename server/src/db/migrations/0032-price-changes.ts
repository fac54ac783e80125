/** Migration 32: changes of prices that are applied at once or wait for their date. */
import { id, integer, long, text } from "./columns.ts";
import { createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const priceChanges: Migration = {
  id: 32,
  name: "price-changes",
  steps: createTable({
    name: "price_changes",
    columns: {
      id: id(),
      state: text(16),
      draft: long(),
      apply_time: integer(),
      created_time: integer(),
      created_by: integer(),
      ended_time: integer(0),
      failure: text(64, ""),
    },
    indexes: [["state", "apply_time"]],
  }),
};
