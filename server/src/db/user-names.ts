/** The user names behind ids, for lists and log rows that name somebody. */
import type { Queries } from "./portable.ts";

/** User names by id, of deregistered users too; ids that nobody has are left out, 0 among them. */
export async function usernamesOf(queries: Queries, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const wanted = [...new Set(ids)].filter((id) => id !== 0);
  if (wanted.length === 0) return new Map();
  const rows = await queries.selectFrom("users").select(["id", "username"]).where("id", "in", wanted).execute();
  return new Map(rows.map(({ id, username }) => [id, username]));
}
