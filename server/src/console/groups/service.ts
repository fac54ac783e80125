/** Which groups somebody may use, from the options alone. */
import { AUTO_GROUP } from "../../../../contract/src/features/groups.ts";
import type { GroupEntries } from "../../../../contract/src/features/groups.ts";
import type { ConsoleContext } from "../http/handlers.ts";

type GroupContext = { readonly snapshot: Pick<ConsoleContext["snapshot"], "options" | "usableGroups" | "groupRatio"> };

/** Names of all groups that have a ratio, sorted. */
export function listGroups(context: GroupContext): string[] {
  return Object.keys(context.snapshot.options.GroupRatio).toSorted();
}

/**
 * Groups that people of `groupName` may use and that have a ratio, which calls need; their own comes first. For a visitor
 * (`groupName` undefined) these are the groups open to everybody. `auto` is among them where UserUsableGroups names it; each call
 * of it has the ratio of the group that was found.
 */
export function groupEntriesFor(context: GroupContext, groupName: string | undefined): GroupEntries {
  const { snapshot } = context;
  const usable = [...snapshot.usableGroups(groupName ?? "")].filter(([name]) => name !== "");
  const ownFirst = usable.toSorted(([a], [b]) => Number(b === groupName) - Number(a === groupName));
  const entries = ownFirst.flatMap(([name, desc]) => {
    const ratio = snapshot.groupRatio(name) ?? (name === AUTO_GROUP ? "1" : undefined);
    return ratio === undefined ? [] : [[name, { desc, ratio: Number(ratio) }] as const];
  });
  return Object.fromEntries(entries);
}
