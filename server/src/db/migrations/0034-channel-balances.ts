/** Migration 34: the last known balance of each channel and day. */
import { integer, text } from "./columns.ts";
import { createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const channelBalances: Migration = {
  id: 34,
  name: "channel-balances",
  steps: createTable({
    name: "channel_balances",
    columns: {
      channel_id: integer(),
      day: integer(),
      account: text(64),
      balance_micros: integer(),
      currency: text(16),
    },
    primaryKey: ["channel_id", "day"],
    indexes: [["day"]],
  }),
};
