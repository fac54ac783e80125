/** Rows of options, secrets encrypted. */
import type { OptionName } from "../../../../contract/src/options/options.ts";
import type { Database } from "../../db/database.ts";
import { upsert } from "../../db/portable.ts";
import { bumpVersion } from "../../db/versions.ts";

/** Stored texts by name; secrets as cipher texts. */
export async function readRows(database: Database): Promise<ReadonlyMap<string, string>> {
  const rows = await database.kysely.selectFrom("options").select(["name", "value"]).execute();
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/** Writes one option and tells every process. `stored` is encrypted already where it is a secret; `now` in Unix seconds. */
export async function writeRow(database: Database, name: OptionName, stored: string, now: number): Promise<void> {
  await database.kysely.transaction().execute(async (transaction) => {
    await bumpVersion(transaction, "options");
    const change = { value: stored, updated_time: now };
    await upsert(database, transaction, "options", { name, ...change }, ["name"], change);
  });
}

/** Takes an option back to its default. */
export async function deleteRow(database: Database, name: OptionName): Promise<void> {
  await database.kysely.transaction().execute(async (transaction) => {
    await bumpVersion(transaction, "options");
    await transaction.deleteFrom("options").where("name", "=", name).execute();
  });
}
