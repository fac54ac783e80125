/** Queries of the console's access tokens: find by value, list without values, revoke. */
import { ACCESS_TOKEN_SCOPES } from "../../../contract/src/features/personal.ts";
import type { AccessTokenRow, AccessTokenScope } from "../../../contract/src/features/personal.ts";
import { affectedRows } from "../db/portable.ts";
import type { Queries } from "../db/portable.ts";
import type { Secrets } from "../db/secrets.ts";

/** How often the time of the last call is written. */
const USED_STEP_SECONDS = 300;

/** A scope of another version counts as the least one. */
const scopeOf = (text: string): AccessTokenScope => ACCESS_TOKEN_SCOPES.find((scope) => scope === text) ?? "read";

const LISTED = ["id", "name", "scope", "created_time", "used_time", "expires_time"] as const;

/** The tokens of a user, the latest made first. */
export async function accessTokensOf(queries: Queries, userId: number): Promise<AccessTokenRow[]> {
  const rows = await queries
    .selectFrom("personal_access_tokens")
    .select(LISTED)
    .where("user_id", "=", userId)
    .orderBy("id", "desc")
    .execute();
  return rows.map((row) => ({ ...row, scope: scopeOf(row.scope) }));
}

/** Whose a token is that has not expired, its last use kept up to five minutes. `now` in Unix seconds. */
export async function findAccessToken(
  queries: Queries,
  secrets: Pick<Secrets, "hash">,
  value: string,
  now: number,
): Promise<{ userId: number; scope: AccessTokenScope } | undefined> {
  const row = await queries
    .selectFrom("personal_access_tokens")
    .select(["id", "user_id", "scope", "used_time"])
    .where("token_hash", "=", secrets.hash("access_token", value))
    .where(({ eb, or }) => or([eb("expires_time", "=", 0), eb("expires_time", ">", now)]))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (row.used_time < now - USED_STEP_SECONDS)
    await queries.updateTable("personal_access_tokens").set({ used_time: now }).where("id", "=", row.id).execute();
  return { userId: row.user_id, scope: scopeOf(row.scope) };
}

/** Ends one token of a user. @returns false where it is not theirs. */
export async function deleteAccessToken(queries: Queries, userId: number, id: number): Promise<boolean> {
  const ended = await queries
    .deleteFrom("personal_access_tokens")
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return affectedRows(ended) === 1;
}

/** Ends every token of a user, or those of one name. */
export async function deleteAccessTokensOf(queries: Queries, userId: number, name?: string): Promise<void> {
  const all = queries.deleteFrom("personal_access_tokens").where("user_id", "=", userId);
  await (name === undefined ? all : all.where("name", "=", name)).execute();
}
