/** Which group a call is routed and billed in: the token's, the user's, or the first of AutoGroups that has a channel for the model. */
import { AUTO_GROUP } from "../../../../contract/src/features/groups.ts";
import type { Snapshot, SnapshotToken, SnapshotUser } from "../../snapshot/snapshot.ts";
import { RelayError } from "../call/relay-error.ts";
import { groupNamed, ownGroupAsIs, type Group } from "../metering/terms.ts";

/** Who decides on a group; every caller is one. */
export interface GroupAsker {
  token: SnapshotToken;
  user: SnapshotUser;
}

/** Groups that a token of the group `auto` walks: those of the option that exist and that its owner may use. */
function autoGroups(snapshot: Snapshot, { user }: GroupAsker): readonly Group[] {
  const usable = snapshot.usableGroups(user.groupName);
  return snapshot.options.AutoGroups.flatMap((name) => {
    const group = usable.has(name) ? groupNamed(snapshot, user.groupName, name) : undefined;
    return group === undefined ? [] : [group];
  });
}

function namedGroup(snapshot: Snapshot, { token, user }: GroupAsker): Group {
  const name = token.groupName;
  if (name === "") return groupNamed(snapshot, user.groupName, user.groupName) ?? ownGroupAsIs(user.groupName);
  if (name !== user.groupName && !snapshot.usableGroups(user.groupName).has(name))
    throw new RelayError("group_not_allowed");
  const group = groupNamed(snapshot, user.groupName, name);
  if (group === undefined) throw new RelayError("group_unknown");
  return group;
}

/** Every group whose models a token may name. Throws RelayError where its group cannot be used. */
export function groupsOf(snapshot: Snapshot, asker: GroupAsker): readonly string[] {
  const groups = asker.token.groupName === AUTO_GROUP ? autoGroups(snapshot, asker) : [namedGroup(snapshot, asker)];
  return groups.map(({ name }) => name);
}

/** The group of a call, whose ratio it is billed by. Throws RelayError 403 where the token's group cannot be used. */
export function groupFor(snapshot: Snapshot, asker: GroupAsker, model: string): Group {
  if (asker.token.groupName !== AUTO_GROUP) return namedGroup(snapshot, asker);
  const groups = autoGroups(snapshot, asker);
  const group = groups.find(({ name }) => snapshot.tiersFor(name, model).length > 0) ?? groups[0];
  if (group === undefined) throw new RelayError("group_not_allowed");
  return group;
}
