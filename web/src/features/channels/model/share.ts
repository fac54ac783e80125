/** What share of its tier's calls a channel gets. Pure. */
import { CHANNEL_STATUS, type ChannelRow } from "../../../../../contract/src/features/channels.ts";
import { groupsOf, modelsOf } from "./rows.ts";

/** The relay adds it to every weight, so that weight 0 still gets calls. */
const WEIGHT_BASE = 10;

export interface TierShare {
  /** Other enabled channels of the tier. */
  others: number;
  /** 0 to 1. */
  share: number;
}

export interface TierPlace {
  id: number | undefined;
  priority: number;
  weight: number;
  models: readonly string[];
  groups: readonly string[];
}

const overlaps = (left: readonly string[], right: readonly string[]): boolean =>
  left.some((item) => right.includes(item));

/**
 * The share of `place` among the enabled channels that have its priority and compete with it: some model and some group in common.
 * Exact where all of them offer the same models; "about" is the word to show.
 */
export function tierShare(place: TierPlace, channels: readonly ChannelRow[]): TierShare {
  const rivals = channels.filter(
    (channel) =>
      channel.id !== place.id &&
      channel.status === CHANNEL_STATUS.enabled &&
      channel.priority === place.priority &&
      overlaps(groupsOf(channel), place.groups) &&
      overlaps(modelsOf(channel), place.models),
  );
  const own = Math.max(0, place.weight) + WEIGHT_BASE;
  const total = rivals.reduce((sum, { weight }) => sum + weight + WEIGHT_BASE, own);
  return { others: rivals.length, share: own / total };
}
