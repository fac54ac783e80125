/** Migration 43: vital figures of each process of several, for the system page. */
import { integer, long, text } from "./columns.ts";
import { createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const processVitals: Migration = {
  id: 43,
  name: "process vitals",
  steps: createTable({
    name: "process_vitals",
    columns: { process: text(64), seen_time: integer(), vitals: long() },
    primaryKey: ["process"],
  }),
};
