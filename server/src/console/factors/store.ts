/** Queries of authenticator apps, and of the accounts that a second step or a passkey signs in. */
import { affectedRows, upsert } from "../../db/portable.ts";
import type { Queries } from "../../db/portable.ts";
import type { Database } from "../../db/database.ts";
import type { SignedInAccount } from "../accounts/login-answer.ts";

interface StoredTotp {
  secret_cipher: string;
  confirmed_time: number;
  last_step: number;
}

export const findTotp = (queries: Queries, userId: number): Promise<StoredTotp | undefined> =>
  queries
    .selectFrom("totp_factors")
    .select(["secret_cipher", "confirmed_time", "last_step"])
    .where("user_id", "=", userId)
    .executeTakeFirst();

/** Keeps a secret that is not confirmed yet, in place of one that never was. @returns false where a confirmed one stands. */
export async function writeNewTotp(
  database: Pick<Database, "engine">,
  queries: Queries,
  { userId, secretCipher, now }: { userId: number; secretCipher: string; now: number },
): Promise<boolean> {
  const known = await findTotp(queries, userId);
  if (known !== undefined && known.confirmed_time > 0) return false;
  const change = { secret_cipher: secretCipher, confirmed_time: 0, last_step: 0, created_time: now };
  await upsert(database, queries, "totp_factors", { user_id: userId, ...change }, ["user_id"], change);
  return true;
}

/** Confirms the secret that `secretCipher` is; of many at once one does. */
export async function writeConfirmed(
  queries: Queries,
  { userId, secretCipher, step, now }: { userId: number; secretCipher: string; step: number; now: number },
): Promise<boolean> {
  const confirmed = await queries
    .updateTable("totp_factors")
    .set({ confirmed_time: now, last_step: step })
    .where("user_id", "=", userId)
    .where("secret_cipher", "=", secretCipher)
    .where("confirmed_time", "=", 0)
    .executeTakeFirstOrThrow();
  return affectedRows(confirmed) === 1;
}

/** Takes the code of a step, once: false where this one or a later one was taken before. */
export async function takeStep(
  queries: Queries,
  { userId, secretCipher, step }: { userId: number; secretCipher: string; step: number },
): Promise<boolean> {
  const taken = await queries
    .updateTable("totp_factors")
    .set({ last_step: step })
    .where("user_id", "=", userId)
    .where("secret_cipher", "=", secretCipher)
    .where("confirmed_time", ">", 0)
    .where("last_step", "<", step)
    .executeTakeFirstOrThrow();
  return affectedRows(taken) === 1;
}

/** @returns whether a confirmed one was there. */
export async function deleteTotp(queries: Queries, userId: number): Promise<boolean> {
  const known = await findTotp(queries, userId);
  await queries.deleteFrom("totp_factors").where("user_id", "=", userId).execute();
  return known !== undefined && known.confirmed_time > 0;
}

export async function hasPassword(queries: Queries, userId: number): Promise<boolean> {
  const row = await queries.selectFrom("users").select("password_hash").where("id", "=", userId).executeTakeFirst();
  return (row?.password_hash ?? "") !== "";
}

/** The account as it is now, unless it was deregistered. */
export const undeletedAccount = (queries: Queries, userId: number): Promise<SignedInAccount | undefined> =>
  queries
    .selectFrom("users")
    .select(["id", "username", "display_name", "role", "status", "group_name", "sign_in_epoch"])
    .where("id", "=", userId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
