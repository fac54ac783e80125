/** Queries of passkeys. */
import type { Insertable, Selectable } from "kysely";
import { affectedRows } from "../../db/portable.ts";
import type { Queries } from "../../db/portable.ts";
import type { Schema } from "../../db/schema.ts";

export type StoredPasskey = Selectable<Schema["passkeys"]>;

export const passkeysOf = (queries: Queries, userId: number): Promise<StoredPasskey[]> =>
  queries
    .selectFrom("passkeys")
    .selectAll()
    .where("user_id", "=", userId)
    .orderBy("created_time")
    .orderBy("credential_hash")
    .execute();

export const findPasskey = (queries: Queries, credentialHash: string): Promise<StoredPasskey | undefined> =>
  queries.selectFrom("passkeys").selectAll().where("credential_hash", "=", credentialHash).executeTakeFirst();

export async function insertPasskey(queries: Queries, row: Insertable<Schema["passkeys"]>): Promise<void> {
  await queries.insertInto("passkeys").values(row).execute();
}

/**
 * Notes a use, and the origin of a key that had none. Authenticators that count must have counted on; those that do not always say 0.
 * @returns false where the counter was overtaken meanwhile, or the key is gone or was shown at another origin.
 */
export async function noteUse(
  queries: Queries,
  key: Pick<StoredPasskey, "credential_hash" | "origin">,
  { counter, origin, now }: { counter: number; origin: string; now: number },
): Promise<boolean> {
  const noted = await queries
    .updateTable("passkeys")
    .set({ counter, used_time: now, ...(key.origin === "" ? { origin } : {}) })
    .where("credential_hash", "=", key.credential_hash)
    .where("origin", "=", key.origin)
    .where("counter", counter === 0 ? "=" : "<", counter)
    .executeTakeFirstOrThrow();
  return affectedRows(noted) === 1;
}

/** @returns false where this account has no such key. */
export async function writeName(
  queries: Queries,
  { userId, id, name }: { userId: number; id: string; name: string },
): Promise<boolean> {
  const renamed = await queries
    .updateTable("passkeys")
    .set({ name })
    .where("credential_hash", "=", id)
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return affectedRows(renamed) === 1;
}

/** @returns how many went: all of the account, or the one of `id`. */
export async function deletePasskeys(queries: Queries, userId: number, id?: string): Promise<number> {
  const all = queries.deleteFrom("passkeys").where("user_id", "=", userId);
  const chosen = id === undefined ? all : all.where("credential_hash", "=", id);
  return affectedRows(await chosen.executeTakeFirstOrThrow());
}
