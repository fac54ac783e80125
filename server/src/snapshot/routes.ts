/** Which channels offer which model to which group: the abilities as maps, made anew whenever a channel changes. */
import { CHANNEL_STATUS } from "../../../contract/src/features/channels.ts";
import type { ChannelTier, SnapshotChannel } from "./snapshot.ts";

export interface AbilityRow {
  group_name: string;
  model: string;
  channel_id: number;
}

export interface Routes {
  tiersFor(groupName: string, model: string): readonly ChannelTier[];
  modelsFor(groupNames: readonly string[]): readonly string[];
}

const NO_TIERS: readonly ChannelTier[] = Object.freeze([]);

function toTiers(channels: readonly SnapshotChannel[]): readonly ChannelTier[] {
  const byPriority = Map.groupBy(channels, (channel) => channel.priority);
  return [...byPriority]
    .sort(([left], [right]) => right - left)
    .map(([priority, members]) => ({ priority, channels: members.toSorted((left, right) => left.id - right.id) }));
}

/** Makes the maps from the enabled abilities; those of a channel that is not enabled, or not there, count for nothing. */
export function createRoutes(abilities: readonly AbilityRow[], channels: ReadonlyMap<number, SnapshotChannel>): Routes {
  const offers = new Map<string, Map<string, SnapshotChannel[]>>();
  for (const { group_name, model, channel_id } of abilities) {
    const channel = channels.get(channel_id);
    if (channel === undefined || channel.status !== CHANNEL_STATUS.enabled) continue;
    const models = offers.getOrInsertComputed(group_name, () => new Map<string, SnapshotChannel[]>());
    models.getOrInsertComputed(model, () => []).push(channel);
  }
  const tiers = new Map<SnapshotChannel[], readonly ChannelTier[]>();
  const tiersFor = (groupName: string, model: string) => {
    const members = offers.get(groupName)?.get(model);
    return members === undefined ? NO_TIERS : tiers.getOrInsertComputed(members, toTiers);
  };
  const modelsFor = (groupNames: readonly string[]) => {
    const names = new Set(groupNames.flatMap((groupName) => [...(offers.get(groupName)?.keys() ?? [])]));
    return [...names].sort();
  };
  return { tiersFor, modelsFor };
}
