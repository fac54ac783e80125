/** Migration 29: which version of the user agreement and privacy policy an account accepted, and when. */
import { integer, text } from "./columns.ts";
import { createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const termsAcceptances: Migration = {
  id: 29,
  name: "terms-acceptances",
  steps: createTable({
    name: "terms_acceptances",
    columns: { user_id: integer(), version: text(64), accepted_time: integer() },
    primaryKey: ["user_id", "version"],
    indexes: [["accepted_time"]],
  }),
};
