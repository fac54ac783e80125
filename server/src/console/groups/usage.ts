/** How many users, tokens and channels name each group: what stands in the way of renaming or removing one. */
import type { GroupUsage } from "../../../../contract/src/features/groups.ts";
import { splitList } from "../../../../contract/src/query.ts";
import type { Queries } from "../../db/portable.ts";
import type { ConsoleContext } from "../http/handlers.ts";

/** Rows of people or tokens that are still there, by group. */
async function countRows(queries: Queries, table: "users" | "tokens"): Promise<ReadonlyMap<string, number>> {
  const rows = await queries
    .selectFrom(table)
    .select(({ fn }) => ["group_name", fn.countAll().as("count")])
    .where("deleted_at", "is", null)
    .groupBy("group_name")
    .execute();
  return new Map(rows.map(({ group_name, count }) => [group_name, Number(count)]));
}

async function countChannels(queries: Queries): Promise<ReadonlyMap<string, number>> {
  const rows = await queries.selectFrom("channels").select("group_names").execute();
  const counts = new Map<string, number>();
  for (const { group_names: names } of rows)
    for (const group of new Set(splitList(names))) counts.set(group, (counts.get(group) ?? 0) + 1);
  return counts;
}

/** Groups that somebody or something names, sorted; a group that is named nowhere is left out. */
export async function listGroupUsage({ database }: Pick<ConsoleContext, "database">): Promise<GroupUsage[]> {
  const { kysely } = database;
  const users = await countRows(kysely, "users");
  const tokens = await countRows(kysely, "tokens");
  const channels = await countChannels(kysely);
  const names = new Set([...users.keys(), ...tokens.keys(), ...channels.keys()]);
  names.delete(""); // Tokens that follow their user.
  return [...names].toSorted().map((group) => ({
    group,
    users: users.get(group) ?? 0,
    tokens: tokens.get(group) ?? 0,
    channels: channels.get(group) ?? 0,
  }));
}
