/** Migration 18: a passkey stores the origin at which it was registered. "" for earlier ones: their next use sets it. */
import { text } from "./columns.ts";
import { addColumn } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const passkeyOrigins: Migration = {
  id: 18,
  name: "passkey-origins",
  steps: [addColumn("passkeys", "origin", text(255, ""))],
};
