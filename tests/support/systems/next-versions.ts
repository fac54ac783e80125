/** A server of a later version: this program with further migrations, as NEXT_VERSION names them. Started as a process of its own. */
import { run } from "../../../server/src/composition/run.ts";
import { integer, text } from "../../../server/src/db/migrations/columns.ts";
import { MIGRATIONS } from "../../../server/src/db/migrations/migrate.ts";
import { addColumn, createIndex, createTable, dropColumn } from "../../../server/src/db/migrations/steps.ts";
import type { Migration } from "../../../server/src/db/migrations/steps.ts";

const LAST = MIGRATIONS.at(-1)?.id ?? 0;

/** Adds to the tables that every call writes, with an index on the one with the most rows. */
const expand: Migration = {
  id: LAST + 1,
  name: "expand",
  steps: [
    addColumn("ledger", "region", text(16, "")),
    addColumn("logs", "region", text(16, "")),
    addColumn("users", "seen_region", text(16, "")),
    createIndex("logs", ["region", "created_at", "id"]),
    ...createTable({ name: "regions", columns: { name: text(16), calls: integer(0) }, primaryKey: ["name"] }),
  ],
};

/** Takes away what this program still writes. */
const contract: Migration = {
  id: LAST + 2,
  name: "contract",
  minimumSchema: LAST + 1,
  steps: [dropColumn("redemptions", "redeemed_time")],
};

const VERSIONS: Readonly<Record<string, readonly Migration[]>> = {
  expand: [...MIGRATIONS, expand],
  contract: [...MIGRATIONS, expand, contract],
};

const migrations = VERSIONS[process.env["NEXT_VERSION"] ?? ""];
if (migrations === undefined) throw new Error("NEXT_VERSION must be expand or contract");
await run({ migrations });
