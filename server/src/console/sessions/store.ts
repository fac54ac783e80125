/** The account rows that a password login reads and rewrites. */
import type { Kysely } from "kysely";
import { foldName } from "../../../../contract/src/names.ts";
import type { Schema } from "../../db/schema.ts";

export interface Account {
  id: number;
  username: string;
  display_name: string;
  role: number;
  status: number;
  group_name: string;
  password_hash: string | null;
}

const COLUMNS = ["id", "username", "display_name", "role", "status", "group_name", "password_hash"] as const;

/** The living account of this username, else of one that folds to the same, else the oldest of this e-mail address. */
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
