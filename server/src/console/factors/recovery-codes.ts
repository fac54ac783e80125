/** Recovery codes for accounts whose authenticator is lost: shown once, stored as hashes, each valid for one login. */
import { randomInt } from "node:crypto";
import { RECOVERY_CODE_COUNT } from "../../../../contract/src/features/factors.ts";
import { affectedRows } from "../../db/portable.ts";
import type { Queries } from "../../db/portable.ts";
import type { Secrets } from "../../db/secrets.ts";

/** 31 letters and digits that are not mistaken for one another on paper: ten of them are 49 bits. */
const ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";
const LENGTH = 10;

type Hashing = Pick<Secrets, "hash">;

const newCode = (): string =>
  Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join("");

/** A typed code without spaces, hyphens and capitals. */
const plain = (typed: string): string => typed.toLowerCase().replaceAll(/[\s-]/g, "");

const hashOf = (secrets: Hashing, userId: number, code: string): string =>
  secrets.hash("recovery", `${userId}\0${code}`);

/** Replaces an account's codes by new ones. @returns them; nothing can show them again. */
export async function replaceRecoveryCodes(queries: Queries, secrets: Hashing, userId: number): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODE_COUNT }, newCode);
  await removeRecoveryCodes(queries, userId);
  const rows = codes.map((code) => ({ user_id: userId, code_hash: hashOf(secrets, userId, code), used_time: 0 }));
  await queries.insertInto("recovery_codes").values(rows).execute();
  return codes;
}

export async function removeRecoveryCodes(queries: Queries, userId: number): Promise<void> {
  await queries.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
}

/** Uses one up. @returns false where it is not theirs or was used; of many at once one is true. `now` in Unix seconds. */
export async function takeRecoveryCode(
  queries: Queries,
  secrets: Hashing,
  { userId, typed, now }: { userId: number; typed: string; now: number },
): Promise<boolean> {
  const used = await queries
    .updateTable("recovery_codes")
    .set({ used_time: now })
    .where("user_id", "=", userId)
    .where("code_hash", "=", hashOf(secrets, userId, plain(typed)))
    .where("used_time", "=", 0)
    .executeTakeFirstOrThrow();
  return affectedRows(used) === 1;
}

export async function countRecoveryCodes(queries: Queries, userId: number): Promise<number> {
  const row = await queries
    .selectFrom("recovery_codes")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("user_id", "=", userId)
    .where("used_time", "=", 0)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
