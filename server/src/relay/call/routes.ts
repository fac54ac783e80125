/** The channels that a call may go to. */
import type { ChannelTier, Snapshot, SnapshotChannel } from "../../snapshot/snapshot.ts";

export interface Routes {
  /** By priority; empty where a channel was named in the key. */
  readonly tiers: readonly ChannelTier[];
  /** Channel named in the key; 0 for none. */
  readonly pinnedChannelId: number;
}

/** All of them in one list. */
export function routableChannels(snapshot: Snapshot, { tiers, pinnedChannelId }: Routes): readonly SnapshotChannel[] {
  const pinned = pinnedChannelId === 0 ? undefined : snapshot.channelById(pinnedChannelId);
  return pinned === undefined ? tiers.flatMap((tier) => tier.channels) : [pinned];
}
