/** Migration 22: marks passwords that another person set, so that their owners must change them. */
import { flag } from "./columns.ts";
import { addColumn } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const temporaryPasswords: Migration = {
  id: 22,
  name: "temporary-passwords",
  steps: [addColumn("users", "is_password_temporary", flag())],
};
