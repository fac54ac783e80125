/** Migration 9: the result of a channel's last test, so that a failed one differs from a fast one. */
import { integer, text } from "./columns.ts";
import { addColumn } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const channelTests: Migration = {
  id: 9,
  name: "channel tests",
  // The result of earlier tests is unknown.
  steps: [addColumn("channels", "test_result", integer(0)), addColumn("channels", "test_failure", text(2048, ""))],
};
