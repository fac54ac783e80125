/** Migration 43: how each process of several is, for the page of the system. */
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
