/** Rows of identities: who of ours somebody of another site is. The five built-in sites have a column of users each; `identities` knows logins. */
import type { Selectable } from "kysely";
import type { BuiltInWay } from "../../../../contract/src/ways-in.ts";
import { BUILT_IN_WAYS, isBuiltInWay } from "../../../../contract/src/ways-in.ts";
import type { Database } from "../../db/database.ts";
import type { IdentityTable } from "../../db/user-tables.ts";
import { affectedRows, upsert } from "../../db/portable.ts";
import type { Queries } from "../../db/portable.ts";

const ACCOUNT = [
  "id",
  "username",
  "display_name",
  "role",
  "status",
  "group_name",
  "email",
  "deleted_at",
  "sign_in_epoch",
] as const;

/** Whoever has this identity, deregistered accounts too; undefined where nobody has. */
export async function findOwner(queries: Queries, way: string, subject: string) {
  const users = queries.selectFrom("users").select(ACCOUNT.map((name) => `users.${name}` as const));
  if (isBuiltInWay(way)) return users.where(BUILT_IN_WAYS[way].column, "=", subject).executeTakeFirst();
  return users
    .innerJoin("identities", "identities.user_id", "users.id")
    .where("identities.provider", "=", way)
    .where("identities.subject", "=", subject)
    .executeTakeFirst();
}
export type Owner = NonNullable<Awaited<ReturnType<typeof findOwner>>>;

const USER = [
  "id",
  "email",
  "password_hash",
  "github_id",
  "oidc_id",
  "linux_do_id",
  "wechat_id",
  "telegram_id",
] as const;

/** The columns of a living account that say how it may be entered; undefined where it is gone. */
export const findUser = (queries: Queries, userId: number) =>
  queries.selectFrom("users").select(USER).where("id", "=", userId).where("deleted_at", "is", null).executeTakeFirst();
export type EntryColumns = NonNullable<Awaited<ReturnType<typeof findUser>>>;

export type IdentityRow = Selectable<IdentityTable>;

export const identitiesOf = (queries: Queries, userId: number): Promise<IdentityRow[]> =>
  queries.selectFrom("identities").selectAll().where("user_id", "=", userId).execute();

/** Keeps what somebody is called there; for a named provider this is the identity itself. */
export async function writeIdentity(database: Database, queries: Queries, row: IdentityRow): Promise<void> {
  const { user_id, login } = row;
  await upsert(database, queries, "identities", row, ["provider", "subject"], { user_id, login });
}

/** Sets the column of a built-in site; `null` takes the identity away. */
export async function writeColumn(
  queries: Queries,
  change: { userId: number; way: BuiltInWay; subject: string | null; changedVersion: number },
): Promise<void> {
  const { userId, way, subject, changedVersion } = change;
  await queries
    .updateTable("users")
    .set({ [BUILT_IN_WAYS[way].column]: subject, changed_version: changedVersion })
    .where("id", "=", userId)
    .execute();
}

/** An import's GitHub login becomes the number; false where somebody else was quicker. */
export async function replaceGithubLogin(
  queries: Queries,
  login: string,
  subject: string,
  changedVersion: number,
): Promise<boolean> {
  const result = await queries
    .updateTable("users")
    .set({ github_id: subject, changed_version: changedVersion })
    .where("github_id", "=", login)
    .executeTakeFirstOrThrow();
  return affectedRows(result) === 1;
}

export async function deleteIdentity(queries: Queries, userId: number, provider: string): Promise<void> {
  await queries.deleteFrom("identities").where("user_id", "=", userId).where("provider", "=", provider).execute();
}

/** Whether the account has a passkey beside the one of this hash. */
export async function hasOtherPasskey(queries: Queries, userId: number, credentialHash: string): Promise<boolean> {
  const row = await queries
    .selectFrom("passkeys")
    .select("user_id")
    .where("user_id", "=", userId)
    .where("credential_hash", "!=", credentialHash)
    .executeTakeFirst();
  return row !== undefined;
}
