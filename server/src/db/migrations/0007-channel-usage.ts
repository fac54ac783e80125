/** Migration 7: charges by channel, as sums of batches that are added to the channels' rows later. */
import { id, integer } from "./columns.ts";
import { createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const channelUsage: Migration = {
  id: 7,
  name: "channel usage",
  steps: createTable({ name: "channel_usage", columns: { id: id(), channel_id: integer(), used: integer() } }),
};
