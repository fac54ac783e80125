/** User names behind ids, and ids behind a name: for lists and log rows that keep ids alone. */
import { foldName } from "../../../../contract/src/names.ts";
import type { Queries } from "../../db/portable.ts";

/** Ids of the users with this name, whichever its letters' case; of deregistered ones too. */
export async function userIdsOf(queries: Queries, username: string): Promise<number[]> {
  const rows = await queries
    .selectFrom("users")
    .select("id")
    .where((user) => user.or([user("username", "=", username), user("username_key", "=", foldName(username))]))
    .execute();
  return rows.map(({ id }) => id);
}

/** User names by id, of deregistered users too; ids without an account are left out, 0 among them. */
export async function usernamesOf(queries: Queries, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const wanted = [...new Set(ids)].filter((id) => id !== 0);
  if (wanted.length === 0) return new Map();
  const rows = await queries.selectFrom("users").select(["id", "username"]).where("id", "in", wanted).execute();
  return new Map(rows.map(({ id, username }) => [id, username]));
}
