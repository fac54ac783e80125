/** What the tests of configuration files share: parts of files, callers by token, and a site without anything configured. */
import type { AccessTokenScope } from "../../../contract/src/features/personal.ts";
import { bumpVersion } from "../../../server/src/db/versions.ts";
import type { Caller, TestConsole } from "../systems/console.ts";

export const SECRET = "sk-never-to-be-seen-0123456789";
export const MAIL_PASSWORD = "mail-password-never-seen";

export type Fields = Record<string, unknown>;

export const channel = (name: string, more: Fields = {}): Fields => ({
  name,
  type: "openai",
  key: { secret: `${SECRET}-${name}` },
  models: ["gpt-4o"],
  ...more,
});
export const file = (more: Fields): Fields => ({ version: 1, managed_by: "main", ...more });

/** Deletes what files describe and what was done with them. */
export async function forgetConfigured(site: TestConsole): Promise<void> {
  const { kysely } = site.foundation.database;
  for (const table of [
    "managed_things",
    "channels",
    "channel_keys",
    "abilities",
    "identity_providers",
    "options",
    "price_changes",
    "audit_entries",
    "personal_access_tokens",
  ] as const)
    await kysely.deleteFrom(table).execute();
  await kysely.transaction().execute(async (transaction) => {
    for (const name of ["options", "channels"] as const) await bumpVersion(transaction, name);
  });
}

/** A caller with an access token of that scope, of the person or of another. */
export async function callerByToken(
  site: TestConsole,
  root: Caller,
  { scope, userId }: { scope: AccessTokenScope; userId: number },
): Promise<Caller> {
  const value = `token-${scope}-${userId}`;
  const { secrets, database } = site.foundation;
  await database.kysely
    .insertInto("personal_access_tokens")
    .values({
      user_id: userId,
      name: scope,
      scope,
      token_hash: secrets.hash("access_token", value),
      created_time: 1,
      used_time: 0,
      expires_time: 0,
    })
    .execute();
  const call: Caller["call"] = (method, path, body) =>
    root.call(method, path, body, { Cookie: "", "New-Api-User": "", Authorization: `Bearer ${value}` });
  return { ...root, call };
}
