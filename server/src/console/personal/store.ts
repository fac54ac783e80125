/** Queries of the own account: named columns only, never a whole row and never a balance. */
import type { Selectable, Transaction } from "kysely";
import type { Database } from "../../db/database.ts";
import { affectedRows } from "../../db/portable.ts";
import type { Queries } from "../../db/portable.ts";
import type { Schema, UserTable } from "../../db/schema.ts";
import { bumpVersion } from "../../db/versions.ts";
import { endSessionsOf } from "../session-store.ts";

export type StoredUser = Selectable<UserTable>;

/** The account of a logged-in user; undefined where it was deleted meanwhile. */
export function findSelf(database: Database, userId: number): Promise<StoredUser | undefined> {
  return database.kysely
    .selectFrom("users")
    .selectAll()
    .where("id", "=", userId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
}

export type ProfileChange = Partial<Pick<StoredUser, "username" | "username_key" | "display_name" | "password_hash">>;

async function write(transaction: Transaction<Schema>, userId: number, change: object): Promise<boolean> {
  const changed_version = await bumpVersion(transaction, "users");
  const update = transaction.updateTable("users").set({ ...change, changed_version });
  return (
    affectedRows(await update.where("id", "=", userId).where("deleted_at", "is", null).executeTakeFirstOrThrow()) === 1
  );
}

/**
 * Writes these columns; with a new password every session but `keptSession` ends in the same transaction, in which `tell` runs too.
 * False where the account is gone. Throws the driver's unique violation where the username is taken.
 */
export function writeProfile(
  database: Database,
  userId: number,
  change: ProfileChange,
  keptSession: string | undefined,
  tell: (queries: Queries) => Promise<unknown>,
): Promise<boolean> {
  return database.kysely.transaction().execute(async (transaction) => {
    const isThere = await write(transaction, userId, change);
    if (change.password_hash === undefined) return isThere;
    await bumpVersion(transaction, "sessions");
    await endSessionsOf(transaction, userId, keptSession);
    await tell(transaction);
    return isThere;
  });
}

/** Replaces the access token; false where the account is gone. */
export function writeAccessToken(database: Database, userId: number, hash: string): Promise<boolean> {
  return database.kysely
    .transaction()
    .execute((transaction) => write(transaction, userId, { access_token_hash: hash }));
}

/** Lets `decide` turn the stored setting into the new one; false where the account is gone. What `decide` throws undoes everything. */
export function writeSetting(database: Database, userId: number, decide: (stored: string) => string): Promise<boolean> {
  return database.kysely.transaction().execute(async (transaction) => {
    // Taken first: all writers of users stand in this line, so no other change of the setting comes between read and write.
    await bumpVersion(transaction, "users");
    const row = await transaction.selectFrom("users").select("setting").where("id", "=", userId).executeTakeFirst();
    return row !== undefined && (await write(transaction, userId, { setting: decide(row.setting) }));
  });
}

/**
 * Marks the account deleted and ends its sessions and its access token, in one transaction with `tell`; its tokens are refused by the
 * mark. False where it was gone already.
 */
export function markDeleted(
  database: Database,
  userId: number,
  now: number,
  tell: (queries: Queries) => Promise<unknown>,
): Promise<boolean> {
  return database.kysely.transaction().execute(async (transaction) => {
    if (!(await write(transaction, userId, { deleted_at: now, access_token_hash: null }))) return false;
    await bumpVersion(transaction, "sessions");
    await endSessionsOf(transaction, userId);
    await tell(transaction);
    return true;
  });
}

/**
 * Gives the account this address, in one transaction with `tell`, which runs before it. False where another account has the address,
 * deregistered ones too, or this one is gone.
 */
export function writeEmail(
  database: Database,
  userId: number,
  email: string,
  tell: (queries: Queries) => Promise<unknown>,
): Promise<boolean> {
  return database.kysely.transaction().execute(async (transaction) => {
    // Taken first: all writers of users stand in this line, so that of two accounts one gets the address.
    await bumpVersion(transaction, "users");
    const others = transaction.selectFrom("users").select("id").where("email", "=", email).where("id", "!=", userId);
    if ((await others.limit(1).executeTakeFirst()) !== undefined) return false;
    await tell(transaction);
    return write(transaction, userId, { email });
  });
}
