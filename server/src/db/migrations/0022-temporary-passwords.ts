/** Migration 22: a password that somebody else chose is known as such, so that its owner can be made to change it. */
import { flag } from "./columns.ts";
import { addColumn } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const temporaryPasswords: Migration = {
  id: 22,
  name: "temporary-passwords",
  steps: [addColumn("users", "is_password_temporary", flag())],
};
