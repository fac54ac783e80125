/** Migration 47: tokens of which another gateway kept nothing but a hash of the key; the first call that brings the key says it. */
import { flag } from "./columns.ts";
import { addColumn } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const hashedKeys: Migration = {
  id: 47,
  name: "hashed-keys",
  steps: [addColumn("tokens", "key_unknown", flag())],
};
