/** Migration 23: for how long an upstream has been asked since a task last changed, apart from the time in which it said nothing; earlier questions do not count. */
import { integer } from "./columns.ts";
import { addColumn } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const taskAskedSeconds: Migration = {
  id: 23,
  name: "task-asked-seconds",
  steps: [addColumn("tasks", "asked_seconds", integer(0))],
};
