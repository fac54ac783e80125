/** Migration 27: the days on which users checked in; the primary key lets each have one a day. */
import { integer, text } from "./columns.ts";
import { createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const checkins: Migration = {
  id: 27,
  name: "checkins",
  steps: createTable({
    name: "checkins",
    columns: { user_id: integer(), day: text(10), quota: integer(), created_time: integer() },
    primaryKey: ["user_id", "day"],
  }),
};
