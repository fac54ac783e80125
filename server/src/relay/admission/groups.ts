/** Which group a call is routed and billed in: the token's, the user's, or of `auto` the first that has a channel for the model, with those that a retry may go on to. */
import { AUTO_GROUP } from "../../../../contract/src/features/groups.ts";
import type { Snapshot, SnapshotToken, SnapshotUser } from "../../snapshot/snapshot.ts";
import { RelayError } from "../call/relay-error.ts";
import type { Group } from "../call/target.ts";
import { groupNamed, ownGroupAsIs } from "../metering/terms.ts";

/** The token and user that decide on a group; every caller has both. */
export interface GroupAsker {
  token: SnapshotToken;
  user: SnapshotUser;
}

/** Groups that a token of the group `auto` walks: those of its own list, else of the option, that exist and that its owner may use now. */
function autoGroups(snapshot: Snapshot, { token, user }: GroupAsker): readonly Group[] {
  const usable = snapshot.usableGroups(user.groupName);
  const names = token.autoGroups.length > 0 ? token.autoGroups : snapshot.options.AutoGroups;
  return names.flatMap((name) => {
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

/**
 * The groups in which a call may be retried after `first`, in their order: of a token of the group `auto` that retries across its groups.
 * A session of realtime stays in its first group, whose terms it was opened by.
 */
export function furtherGroups(
  snapshot: Snapshot,
  asker: GroupAsker,
  first: Group,
  { model, operation }: { model: string; operation: string },
): readonly Group[] {
  const { token } = asker;
  if (token.groupName !== AUTO_GROUP || !token.retriesAcrossGroups || operation === "realtime") return [];
  const groups = autoGroups(snapshot, asker);
  const place = groups.findIndex(({ name }) => name === first.name);
  return groups.slice(place + 1).filter(({ name }) => snapshot.tiersFor(name, model).length > 0);
}
