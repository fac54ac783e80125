/** Queries of the own account: named columns only, never a whole row and never a balance. */
import type { Selectable, Transaction } from "kysely";
import type { Database } from "../../db/database.ts";
import { affectedRows, type Queries } from "../../db/portable.ts";
import type { Schema, UserTable } from "../../db/schema.ts";
import { bumpVersion } from "../../db/versions.ts";
import { refuseLookAlike } from "../accounts/look-alikes.ts";
import { deleteChatSharesOf } from "../chat-share-store.ts";
import { endSignIns, requireOpenSession } from "../session-store.ts";

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

export type ProfileChange = Partial<
  Pick<StoredUser, "username" | "username_key" | "display_name" | "password_hash" | "is_password_temporary">
>;

async function write(transaction: Transaction<Schema>, userId: number, change: object): Promise<boolean> {
  const changed_version = await bumpVersion(transaction, "users");
  const update = transaction.updateTable("users").set({ ...change, changed_version });
  return (
    affectedRows(await update.where("id", "=", userId).where("deleted_at", "is", null).executeTakeFirstOrThrow()) === 1
  );
}

/** The columns that a change of the own account was decided on. */
interface ProfileBasis {
  userId: number;
  /** The hash that the old password was checked against; null where there was none. */
  passwordHash: string | null;
  /** The session that asks, the one that a new password keeps. */
  sessionId: string | undefined;
}

/**
 * Writes these columns; with a new password every access token and every session but the one that asks end in the same transaction, in
 * which `notify` runs too. False where the account is gone, or has another password by now than the change was decided on.
 * Throws the driver's unique violation where the username is taken, AppError not_logged_in where the session has ended.
 */
export function writeProfile(
  database: Database,
  { userId, passwordHash, sessionId }: ProfileBasis,
  change: ProfileChange,
  notify: (queries: Queries) => Promise<unknown>,
): Promise<boolean> {
  return database.kysely.transaction().execute(async (transaction) => {
    // Taken first: all writers of users stand in this line.
    await bumpVersion(transaction, "users");
    if (change.username !== undefined) await refuseLookAlike(transaction, change.username, userId);
    if (change.password_hash === undefined) return write(transaction, userId, change);
    const row = await transaction
      .selectFrom("users")
      .select("password_hash")
      .where("id", "=", userId)
      .executeTakeFirst();
    if (row === undefined || row.password_hash !== passwordHash) return false;
    const isThere = await write(transaction, userId, change);
    await endSignIns(transaction, userId, sessionId);
    await notify(transaction);
    return isThere;
  });
}

/** Stores what `decide` makes of the stored setting; false where the account is gone. What `decide` throws undoes everything. */
export function writeSetting(database: Database, userId: number, decide: (stored: string) => string): Promise<boolean> {
  return database.kysely.transaction().execute(async (transaction) => {
    // Taken first: all writers of users stand in this line, so no other change of the setting comes between read and write.
    await bumpVersion(transaction, "users");
    const row = await transaction.selectFrom("users").select("setting").where("id", "=", userId).executeTakeFirst();
    return row !== undefined && (await write(transaction, userId, { setting: decide(row.setting) }));
  });
}

/**
 * Marks the account deleted and ends its sessions and access tokens, in one transaction with `notify`; its tokens are refused by the
 * mark. False where it was gone already.
 */
export function markDeleted(
  database: Database,
  userId: number,
  now: number,
  notify: (queries: Queries) => Promise<unknown>,
): Promise<boolean> {
  return database.kysely.transaction().execute(async (transaction) => {
    if (!(await write(transaction, userId, { deleted_at: now }))) return false;
    await endSignIns(transaction, userId);
    await deleteChatSharesOf(transaction, userId);
    await notify(transaction);
    return true;
  });
}

/**
 * Gives the account this address, in one transaction with `notify`, which runs before it. False where another account has the address,
 * deregistered ones too, or this one is gone.
 */
export function writeEmail(
  database: Database,
  { userId, sessionId }: { userId: number; sessionId: string | undefined },
  email: string,
  notify: (queries: Queries) => Promise<unknown>,
): Promise<boolean> {
  return database.kysely.transaction().execute(async (transaction) => {
    // Taken first: all writers of users stand in this line, so that of two accounts one gets the address.
    await bumpVersion(transaction, "users");
    await requireOpenSession(transaction, { userId, sessionId });
    const others = transaction.selectFrom("users").select("id").where("email", "=", email).where("id", "!=", userId);
    if ((await others.limit(1).executeTakeFirst()) !== undefined) return false;
    await notify(transaction);
    return write(transaction, userId, { email });
  });
}
