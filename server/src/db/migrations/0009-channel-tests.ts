/** Migration 9: what the last test of a channel said, so that a failed one is told from a fast one. */
import { integer, text } from "./columns.ts";
import { addColumn } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const channelTests: Migration = {
  id: 9,
  name: "channel tests",
  // Of rows tested before nobody knows what their test said.
  steps: [addColumn("channels", "test_result", integer(0)), addColumn("channels", "test_failure", text(2048, ""))],
};
