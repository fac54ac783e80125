/** Writes users straight into the database, with a past that no screen can give them; balances and rewards go through the ledger. */
import { insertIdentity } from "../../server/src/console/identity-store.ts";
import { nameColumns, NEW_USER } from "../../server/src/db/new-user.ts";
import { hashPassword } from "../../server/src/console/passwords.ts";
import { insertReturningId } from "../../server/src/db/portable.ts";
import { bumpVersion } from "../../server/src/db/versions.ts";
import type { Foundation } from "../../server/src/composition/foundation.ts";
import type { SeedPerson } from "./scenario.ts";

/** Makes one user. `createdTime` is in Unix seconds. */
export async function addPerson(
  { database, billing }: Foundation,
  person: SeedPerson,
  password: string,
  createdTime: number,
): Promise<number> {
  const passwordHash = await hashPassword(password);
  const inviterId = await inviterOf(database, person);
  const userId = await database.kysely.transaction().execute(async (transaction) => {
    const id = await insertReturningId(database, transaction, "users", {
      ...NEW_USER,
      ...nameColumns(person.username),
      password_hash: passwordHash,
      display_name: person.displayName,
      role: person.role,
      group_name: person.group,
      aff_code: person.username,
      inviter_id: inviterId,
      email: person.email ?? null,
      created_time: createdTime,
      changed_version: await bumpVersion(transaction, "users"),
    });
    for (const [provider, subject] of Object.entries(person.bound ?? {}))
      await insertIdentity(transaction, { provider, subject, user_id: id, login: "", created_time: createdTime });
    return id;
  });
  const detail = JSON.stringify({ reason: "seeded" });
  await billing.move({ entryId: `opening:${userId}`, kind: "opening", userId, quotaDelta: person.quota, detail });
  if (inviterId !== 0) await reward({ database, billing }, inviterId, userId);
  return userId;
}

/** Quota for an invitation: a dollar. */
const REWARD = 500_000;

async function inviterOf(database: Foundation["database"], { invitedBy }: SeedPerson): Promise<number> {
  if (invitedBy === undefined) return 0;
  const found = database.kysely.selectFrom("users").select("id").where("username", "=", invitedBy);
  return (await found.executeTakeFirstOrThrow()).id;
}

async function reward(
  { database, billing }: Pick<Foundation, "database" | "billing">,
  userId: number,
  invited: number,
) {
  const detail = JSON.stringify({ reason: "seeded" });
  await billing.move({ entryId: `inviter_reward:${invited}`, kind: "reward", userId, affQuotaDelta: REWARD, detail });
  await database.kysely
    .updateTable("users")
    .set((row) => ({ aff_count: row("aff_count", "+", 1) }))
    .where("id", "=", userId)
    .execute();
}
