/** Writes people straight into the database, which has no screen for them to sign up by; their opening balance goes through the ledger. */
import { nameColumns, NEW_USER } from "../../server/src/db/new-user.ts";
import { hashPassword } from "../../server/src/console/passwords.ts";
import { insertReturningId } from "../../server/src/db/portable.ts";
import { bumpVersion } from "../../server/src/db/versions.ts";
import type { Foundation } from "../../server/src/composition/foundation.ts";
import type { SeedPerson } from "./scenario.ts";

/** Makes one person. `createdTime` is in Unix seconds. */
export async function addPerson(
  { database, billing }: Foundation,
  person: SeedPerson,
  password: string,
  createdTime: number,
): Promise<number> {
  const passwordHash = await hashPassword(password);
  const userId = await database.kysely.transaction().execute(async (transaction) =>
    insertReturningId(database, transaction, "users", {
      ...NEW_USER,
      ...nameColumns(person.username),
      password_hash: passwordHash,
      display_name: person.displayName,
      role: person.role,
      group_name: person.group,
      aff_code: person.username,
      created_time: createdTime,
      changed_version: await bumpVersion(transaction, "users"),
    }),
  );
  const detail = JSON.stringify({ reason: "seeded" });
  await billing.move({ entryId: `opening:${userId}`, kind: "opening", userId, quotaDelta: person.quota, detail });
  return userId;
}
