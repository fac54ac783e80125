/** Migration 19: for how long an upstream has been polled for a task without an answer; earlier polls are unknown and do not count. */
import { integer } from "./columns.ts";
import { addColumn } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const taskVainSeconds: Migration = {
  id: 19,
  name: "task-vain-seconds",
  steps: [addColumn("tasks", "vain_seconds", integer(0))],
};
