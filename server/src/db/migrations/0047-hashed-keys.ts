/** Migration 47: marks tokens imported with a hash of their key alone; the first call with the key stores it. */
import { flag } from "./columns.ts";
import { addColumn } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const hashedKeys: Migration = {
  id: 47,
  name: "hashed-keys",
  steps: [addColumn("tokens", "key_unknown", flag())],
};
