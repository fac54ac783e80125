/** Options written straight into the database for tests, in effect when this resolves. */
import { upsert } from "../../../server/src/db/portable.ts";
import { bumpVersion } from "../../../server/src/db/versions.ts";
import type { Foundation } from "../../../server/src/composition/foundation.ts";

/** Writes them as they are: nothing checks them, and a secret has to come encrypted. */
export async function setOptions(
  { database, snapshot }: Pick<Foundation, "database" | "snapshot">,
  options: Readonly<Record<string, string>>,
): Promise<void> {
  await database.kysely.transaction().execute(async (transaction) => {
    await bumpVersion(transaction, "options");
    for (const [name, value] of Object.entries(options))
      await upsert(database, transaction, "options", { name, value, updated_time: 1 }, ["name"], { value });
  });
  await snapshot.refresh();
}
