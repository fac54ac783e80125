/** HTTP handlers of groups: those that an account may use, from the options alone, how many users, tokens and channels use each, and saved lists. */
import { AUTO_GROUP, type GroupEntries, type GroupUsage } from "../../../../contract/src/features/groups.ts";
import { splitList } from "../../../../contract/src/query.ts";
import type { Queries } from "../../db/portable.ts";
import { type ConsoleContext, defineHandlers } from "../http/handlers.ts";
import { createPrefillGroup, deletePrefillGroup, listPrefillGroups, updatePrefillGroup } from "./prefill-groups.ts";

type GroupContext = { readonly snapshot: Pick<ConsoleContext["snapshot"], "options" | "usableGroups" | "groupRatio"> };

/** Names of all groups that have a ratio, sorted. */
function listGroups(context: GroupContext): string[] {
  return Object.keys(context.snapshot.options.GroupRatio).toSorted();
}

/**
 * Groups that people of `groupName` may use and that have a ratio, which calls need; their own comes first. For a visitor
 * (`groupName` undefined) these are the groups open to all users. `auto` is among them if UserUsableGroups names it; each call
 * of it has the ratio of the group that was found.
 */
function groupEntriesFor(context: GroupContext, groupName: string | undefined): GroupEntries {
  const { snapshot } = context;
  const usable = [...snapshot.usableGroups(groupName ?? "")].filter(([name]) => name !== "");
  const ownFirst = usable.toSorted(([a], [b]) => Number(b === groupName) - Number(a === groupName));
  const entries = ownFirst.flatMap(([name, desc]) => {
    const ratio = snapshot.groupRatio(groupName ?? "", name)?.ratio ?? (name === AUTO_GROUP ? "1" : undefined);
    return ratio === undefined ? [] : [[name, { desc, ratio: Number(ratio) }] as const];
  });
  return Object.fromEntries(entries);
}

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

/** Groups that a user, token, channel or option names, sorted; unused names are left out. */
async function listGroupUsage({ database }: Pick<ConsoleContext, "database">): Promise<GroupUsage[]> {
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

export const groupsHandlers = defineHandlers("groups", {
  listGroups: ({ context }) => ({ data: listGroups(context) }),
  listGroupUsage: async ({ context }) => ({ data: await listGroupUsage(context) }),
  ownGroups: ({ context, session }) => ({ data: groupEntriesFor(context, session.user.groupName) }),
  publicGroups: ({ context, session }) => ({ data: groupEntriesFor(context, session?.user.groupName) }),
  listPrefillGroups: async ({ context, query }) => ({ data: await listPrefillGroups(context, query.type) }),
  createPrefillGroup: async ({ context, session, request, body }) => ({
    data: await createPrefillGroup(context, { session, request }, body),
  }),
  updatePrefillGroup: async ({ context, session, request, body }) => ({
    data: await updatePrefillGroup(context, { session, request }, body),
  }),
  async deletePrefillGroup({ context, session, request, params }) {
    await deletePrefillGroup(context, { session, request }, params.id);
    return {};
  },
});
