/** Migration 41: saved lists of models, tags and endpoints, which forms of the console are filled from. */
import { id, integer, long, text } from "./columns.ts";
import { createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const prefillGroups: Migration = {
  id: 41,
  name: "prefill-groups",
  steps: createTable({
    name: "prefill_groups",
    columns: {
      id: id(),
      name: text(64),
      type: text(32),
      items: long(),
      description: text(255),
      created_time: integer(),
      updated_time: integer(),
    },
    unique: [["name"]],
  }),
};
