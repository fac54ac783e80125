/** Migration 48: numbers that an import gave to rows of a system that names them by texts, so that each run gives the same. */
import { integer, text } from "./columns.ts";
import { createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const importNumbers: Migration = {
  id: 48,
  name: "import-numbers",
  steps: createTable({
    name: "import_numbers",
    columns: { kind: text(16), name_hash: text(64), number: integer() },
    primaryKey: ["kind", "name_hash"],
    unique: [["kind", "number"]],
  }),
};
