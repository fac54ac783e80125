/** Migration 36: an index of the call statistics by model, so that the page of one model reads its own rows alone. */
import { createIndex } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const callsByModel: Migration = {
  id: 36,
  name: "calls by model",
  steps: [createIndex("call_hours", ["model", "hour"])],
};
