/** Migration 26: redemption codes may expire; those that exist never do. */
import { integer } from "./columns.ts";
import { addColumn } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const redemptionExpiry: Migration = {
  id: 26,
  name: "redemption-expiry",
  steps: [addColumn("redemptions", "expired_time", integer(0))],
};
