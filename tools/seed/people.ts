/** Writes people straight into the database, which has no screen for them to sign up by; their opening balance goes through the books. */
import { hashPassword } from "../../server/src/console/passwords.ts";
import { insertReturningId } from "../../server/src/db/portable.ts";
import { bumpVersion } from "../../server/src/db/versions.ts";
import type { Foundation } from "../../server/src/foundation.ts";
import type { SeedPerson } from "./scenarios.ts";

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
      username: person.username,
      password_hash: passwordHash,
      display_name: person.displayName,
      role: person.role,
      status: 1,
      email: null,
      github_id: null,
      oidc_id: null,
      wechat_id: null,
      telegram_id: null,
      linux_do_id: null,
      access_token_hash: null,
      quota: 0,
      held: 0,
      used_quota: 0,
      request_count: 0,
      group_name: person.group,
      aff_code: person.username,
      aff_count: 0,
      aff_quota: 0,
      aff_history_quota: 0,
      inviter_id: 0,
      setting: "{}",
      created_time: createdTime,
      deleted_at: null,
      changed_version: await bumpVersion(transaction, "users"),
    }),
  );
  const detail = JSON.stringify({ reason: "seeded" });
  await billing.move({ entryId: `opening:${userId}`, kind: "opening", userId, quotaDelta: person.quota, detail });
  return userId;
}
