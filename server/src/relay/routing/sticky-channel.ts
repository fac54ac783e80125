/** Sticking to the channel that has a conversation's prompt cache, for as long as it has no more than its share of the open calls. */
import { placeOf } from "../../snapshot/routes.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { RoutedCall } from "./routed-call.ts";
import { shareOf } from "./weighted-order.ts";

type Channels = readonly SnapshotChannel[];

/** So many calls may be open whatever the others have: a cache is worth more than evenness among a handful. */
const FREE_CALLS = 4;
/** How many times its share of the open calls a channel may have before conversations go elsewhere. */
const SHARES = 1.5;
/** Of more channels than this some are counted for all, so that looking costs the same whatever the tier's size. */
const COUNTED = 16;

function channelIn(channels: Channels, id: number): SnapshotChannel | undefined {
  const found = channels[placeOf(channels, id)];
  return found?.id === id ? found : undefined;
}

/** Calls are those of this process: where several share the load, each sees its part of every channel's. */
function hasItsShare({ call }: RoutedCall, channels: Channels, channel: SnapshotChannel): boolean {
  const { channelCalls } = call.context;
  const open = channelCalls.count(channel.id) + 1;
  if (open <= FREE_CALLS) return true;
  let [shares, calls] = [0, 1];
  const stride = Math.max(1, Math.floor(channels.length / COUNTED));
  for (let place = 0; place < channels.length; place += stride) {
    const each = channels[place];
    if (each === undefined) continue;
    shares += shareOf(each);
    calls += channelCalls.count(each.id);
  }
  return open <= (SHARES * calls * shareOf(channel)) / shares;
}

/** The channel of these that has the call's conversation, unless it has clearly more open calls than its share. */
export function stickyChannel(routed: RoutedCall, channels: Channels): SnapshotChannel | undefined {
  const { held } = routed;
  if (held === undefined) return undefined;
  const channel = channelIn(channels, held.channelId);
  return channel !== undefined && hasItsShare(routed, channels, channel) ? channel : undefined;
}

/** The channel without which the call cannot go on from the answer it names, whatever its priority and its load. */
export function onlyStickyChannel({ held, routes }: RoutedCall): SnapshotChannel | undefined {
  if (held?.isOnlyThere !== true) return undefined;
  for (const { channels } of routes.tiers) {
    const channel = channelIn(channels, held.channelId);
    if (channel !== undefined) return channel;
  }
  return undefined;
}
