/** Competitors of a channel: the enabled ones of its priority that share a model and a group with it. Pure. */
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";

export interface TierPlace {
  /** Of the channel itself, where it is stored. */
  id?: number | undefined;
  priority: number;
  models: readonly string[];
  groups: readonly string[];
}

type Rival = Pick<SnapshotChannel, "id" | "status" | "priority" | "weight" | "models" | "groupNames">;

/** How many others there are, and the sum of their weights. */
export function tierOf(channels: Iterable<Rival>, place: TierPlace): { others: number; weight: number } {
  const [models, groups] = [new Set(place.models), new Set(place.groups)];
  const tier = { others: 0, weight: 0 };
  for (const { id, status, priority, weight, models: offered, groupNames } of channels) {
    if (id === place.id || status !== CHANNEL_STATUS.enabled || priority !== place.priority) continue;
    if (!groupNames.some((name) => groups.has(name)) || models.isDisjointFrom(offered)) continue;
    tier.others += 1;
    tier.weight += weight;
  }
  return tier;
}
