/** Migration 23: for how long a task has been polled since its last change, without the time in which the upstream did not answer; earlier polls do not count. */
import { integer } from "./columns.ts";
import { addColumn } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const taskAskedSeconds: Migration = {
  id: 23,
  name: "task-asked-seconds",
  steps: [addColumn("tasks", "asked_seconds", integer(0))],
};
