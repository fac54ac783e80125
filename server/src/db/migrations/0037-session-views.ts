/** Migration 37: whom a session of an administrator sees the console as, and until when. */
import { integer } from "./columns.ts";
import { addColumn } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const sessionViews: Migration = {
  id: 37,
  name: "session-views",
  steps: [addColumn("sessions", "seen_user_id", integer(0)), addColumn("sessions", "seen_until", integer(0))],
};
