/** Names of people for lists whose rows have ids alone. */
import { foldName } from "../../../contract/src/names.ts";
import type { Database } from "../db/database.ts";

/** Ids of whoever has this user name, whichever its letters' case; of deregistered accounts too. */
export async function findUserIds({ kysely }: Database, username: string): Promise<number[]> {
  const rows = await kysely
    .selectFrom("users")
    .select("id")
    .where((user) => user.or([user("username", "=", username), user("username_key", "=", foldName(username))]))
    .execute();
  return rows.map(({ id }) => id);
}

/** User names by id; an account that is gone has none. */
export async function findUsernames(
  { kysely }: Database,
  rows: readonly { user_id: number }[],
): Promise<ReadonlyMap<number, string>> {
  const ids = [...new Set(rows.map(({ user_id }) => user_id))];
  if (ids.length === 0) return new Map();
  const people = await kysely.selectFrom("users").select(["id", "username"]).where("id", "in", ids).execute();
  return new Map(people.map(({ id, username }) => [id, username]));
}
