/** Migration 31: what was found when the model lists of upstreams were fetched. */
import { integer, long, text } from "./columns.ts";
import { createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const modelWatches: Migration = {
  id: 31,
  name: "model-watches",
  steps: createTable({
    name: "model_watches",
    columns: {
      channel_id: integer(),
      added: long(),
      removed: long(),
      checked_time: integer(0),
      failure: text(300, ""),
      told_hash: text(64, ""),
    },
    primaryKey: ["channel_id"],
  }),
};
