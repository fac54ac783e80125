/** Migration 18: a passkey knows the origin it was made at. "" for earlier ones: the origin of their next use is theirs from then on. */
import { text } from "./columns.ts";
import { addColumn } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const passkeyOrigins: Migration = {
  id: 18,
  name: "passkey-origins",
  steps: [addColumn("passkeys", "origin", text(255, ""))],
};
