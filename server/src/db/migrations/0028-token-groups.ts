/** Migration 28: a token's own list of groups (JSON), and whether its calls are retried across them. */
import { flag, text } from "./columns.ts";
import { addColumn } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const tokenGroups: Migration = {
  id: 28,
  name: "token-groups",
  steps: [addColumn("tokens", "auto_groups", text(4_000, "[]")), addColumn("tokens", "cross_group_retry", flag())],
};
