/** Migration 39: of a change of prices whether and how many people are notified of it, and the ratios of groups that it replaced. */
import { integer, long, nullable, text } from "./columns.ts";
import { addColumn } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const priceNotices: Migration = {
  id: 39,
  name: "price-notices",
  steps: [
    addColumn("price_changes", "notify", text(16, "")),
    addColumn("price_changes", "notified", integer(0)),
    addColumn("price_changes", "ratios_before", nullable(long())),
  ],
};
