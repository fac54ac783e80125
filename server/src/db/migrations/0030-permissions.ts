/** Migration 30: what each administrator may do, and how a named provider without OpenID is used. */
import { long, nullable, text } from "./columns.ts";
import { addColumn } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const permissions: Migration = {
  id: 30,
  name: "permissions",
  steps: [
    addColumn("users", "permissions", nullable(text(255))),
    addColumn("identity_providers", "oauth", nullable(long())),
  ],
};
