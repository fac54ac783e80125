/** Which group a call is routed and billed in: the token's, the user's, or the first of AutoGroups that has a channel for the model. */
import { AUTO_GROUP } from "../../../contract/src/features/groups.ts";
import type { SnapshotToken, SnapshotUser } from "../snapshot/snapshot.ts";
import { type Exchange, type RelayContext, known } from "./exchange.ts";
import { Refusal } from "./refusal.ts";

interface Group {
  name: string;
  /** Decimal text. */
  ratio: string;
}

/** What a token and its owner decide on; an exchange after authentication is one. */
export interface GroupAsker {
  context: Pick<RelayContext, "snapshot">;
  token: SnapshotToken;
  user: SnapshotUser;
}

/** Groups that a token of the group `auto` walks: those of the option that exist and that its owner may use. */
function autoGroups({ context: { snapshot }, user }: GroupAsker): readonly Group[] {
  const usable = snapshot.usableGroups(user.groupName);
  return snapshot.options.AutoGroups.flatMap((name) => {
    const ratio = usable.has(name) ? snapshot.groupRatio(name) : undefined;
    return ratio === undefined ? [] : [{ name, ratio }];
  });
}

function namedGroup({ context: { snapshot }, token, user }: GroupAsker): Group {
  const name = token.groupName;
  if (name === "") return { name: user.groupName, ratio: snapshot.groupRatio(user.groupName) ?? "1" };
  if (name !== user.groupName && !snapshot.usableGroups(user.groupName).has(name))
    throw new Refusal("group_not_allowed");
  const ratio = snapshot.groupRatio(name);
  if (ratio === undefined) throw new Refusal("group_unknown");
  return { name, ratio };
}

/** Every group whose models a token may name. Throws Refusal where its group cannot be used. */
export function groupsOf(asker: GroupAsker): readonly string[] {
  const groups = asker.token.groupName === AUTO_GROUP ? autoGroups(asker) : [namedGroup(asker)];
  return groups.map(({ name }) => name);
}

/** The group of a call, whose ratio it is billed by. Throws Refusal 403 where the token's group cannot be used. */
export function groupFor(exchange: Exchange): Group {
  const { context, model } = exchange;
  const asker = { context, token: known(exchange.token, "token"), user: known(exchange.user, "user") };
  if (asker.token.groupName !== AUTO_GROUP) return namedGroup(asker);
  const groups = autoGroups(asker);
  const group = groups.find(({ name }) => context.snapshot.tiersFor(name, model).length > 0) ?? groups[0];
  if (group === undefined) throw new Refusal("group_not_allowed");
  return group;
}
