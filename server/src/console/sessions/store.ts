/** Queries of the account rows that a password login and a reset read and update. */
import type { Kysely } from "kysely";
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import { foldName } from "../../../../contract/src/names.ts";
import type { Database } from "../../db/database.ts";
import { affectedRows } from "../../db/portable.ts";
import type { Queries } from "../../db/portable.ts";
import type { Schema } from "../../db/schema.ts";
import { bumpVersion } from "../../db/versions.ts";
import { endSignIns } from "../session-store.ts";

export interface Account {
  id: number;
  username: string;
  display_name: string;
  role: number;
  status: number;
  group_name: string;
  sign_in_epoch: number;
  password_hash: string | null;
}

const COLUMNS = [
  "id",
  "username",
  "display_name",
  "role",
  "status",
  "group_name",
  "sign_in_epoch",
  "password_hash",
] as const;

/** The undeleted account of this username, else of one that folds to the same, else the oldest of this e-mail address. */
export async function findAccount(queries: Kysely<Schema>, name: string): Promise<Account | undefined> {
  const living = queries.selectFrom("users").select(COLUMNS).where("deleted_at", "is", null);
  const byName = await living.where("username", "=", name).executeTakeFirst();
  const named = byName ?? (await living.where("username_key", "=", foldName(name)).executeTakeFirst());
  if (named !== undefined || !name.includes("@")) return named;
  return living.where("email", "=", name.toLowerCase()).orderBy("id").executeTakeFirst();
}

export async function findPasswordHash(queries: Kysely<Schema>, userId: number): Promise<string | null> {
  const row = await queries.selectFrom("users").select("password_hash").where("id", "=", userId).executeTakeFirst();
  return row?.password_hash ?? null;
}

/** Replaces the stored form of an unchanged password; does nothing where it was changed meanwhile. */
export async function replaceHash(queries: Kysely<Schema>, userId: number, from: string, to: string): Promise<void> {
  await queries
    .updateTable("users")
    .set({ password_hash: to })
    .where("id", "=", userId)
    .where("password_hash", "=", from)
    .execute();
}

/** The undeleted, enabled account of this address in lower case; the oldest where an import brought several. */
export function findByAddress(
  queries: Queries,
  address: string,
): Promise<Pick<Account, "id" | "sign_in_epoch"> | undefined> {
  return queries
    .selectFrom("users")
    .select(["id", "sign_in_epoch"])
    .where("email", "=", address)
    .where("status", "=", USER_STATUS.enabled)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .executeTakeFirst();
}

/**
 * Writes the temporary password of a living account that is not disabled, has still this address, and ended no sign-ins since `epoch`; its sessions and access tokens end in the same transaction, in which
 * `more` runs. False where there is no such account; then nothing has changed.
 */
export function writeResetPassword(
  database: Database,
  { userId, passwordHash, address, epoch }: { userId: number; passwordHash: string; address: string; epoch: number },
  more: (queries: Queries) => Promise<void>,
): Promise<boolean> {
  return database.kysely.transaction().execute(async (transaction) => {
    const changed_version = await bumpVersion(transaction, "users");
    const written = await transaction
      .updateTable("users")
      .set({ password_hash: passwordHash, is_password_temporary: 1, changed_version })
      .where("id", "=", userId)
      .where("email", "=", address)
      .where("sign_in_epoch", "=", epoch)
      .where("status", "=", USER_STATUS.enabled)
      .where("deleted_at", "is", null)
      .executeTakeFirstOrThrow();
    if (affectedRows(written) !== 1) return false;
    await endSignIns(transaction, userId);
    await more(transaction);
    return true;
  });
}
