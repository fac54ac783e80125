/** Step 4: which channels are tried, in which order: tiers by priority, in each the operator's choice, each at most once, RetryTimes in all. */
import { placeOf } from "../../snapshot/routes.ts";
import type { ChannelTier, SnapshotChannel } from "../../snapshot/snapshot.ts";
import { BUSY, hasRoom, ineligibleReason, openReason } from "./eligibility.ts";
import type { RoutedCall } from "./routed-call.ts";
import { stepsOf } from "./steps.ts";
import { listedOrder, shareOf, weightedOrder } from "./weighted-order.ts";

// Sticking to the channel that has a conversation's prompt cache, for as long as it has no more than its share of the open calls.

type Channels = readonly SnapshotChannel[];

/** Calls that may be open whatever the others have: a cache is worth more than evenness among a handful. */
const FREE_CALLS = 4;
/** How many times its share of the open calls a channel may have before conversations go elsewhere. */
const SHARES = 1.5;
/** Of more channels than this some are counted for all, so that the check costs the same whatever the tier's size. */
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
function stickyChannel(routed: RoutedCall, channels: Channels): SnapshotChannel | undefined {
  const { held } = routed;
  if (held === undefined) return undefined;
  const channel = channelIn(channels, held.channelId);
  return channel !== undefined && hasItsShare(routed, channels, channel) ? channel : undefined;
}

/** The only channel that has the answer which the call continues, whatever its priority and its load. */
function onlyStickyChannel({ held, routes }: RoutedCall): SnapshotChannel | undefined {
  if (held?.isOnlyThere !== true) return undefined;
  for (const { channels } of routes.tiers) {
    const channel = channelIn(channels, held.channelId);
    if (channel !== undefined) return channel;
  }
  return undefined;
}

/** Channels that are checked together, so that the receipt names each that cannot take the call. */
const FEW = 16;

/** Notes why a channel cannot take this call; true where it can. */
function isEligible(routed: RoutedCall, channel: SnapshotChannel): boolean {
  const reason = ineligibleReason(routed, channel);
  if (reason !== undefined) routed.call.trace.skip(channel, reason);
  return reason === undefined;
}

/** The eligible channels in their order, by chance and weight. Of many those are looked at that are drawn. */
function* eligible(routed: RoutedCall, channels: Channels, random: () => number): Generator<SnapshotChannel> {
  if (channels.length > FEW) {
    for (const channel of weightedOrder(channels, random)) if (isEligible(routed, channel)) yield channel;
    return;
  }
  const known = channels.filter((channel) => isEligible(routed, channel));
  yield* listedOrder(known, random);
}

/** The eligible channels of one tier: where the operator chose so, those first that are cheaper or sooner with the first word. */
function inTier(routed: RoutedCall, { channels }: ChannelTier, random: () => number): Iterable<SnapshotChannel> {
  const steps = stepsOf(routed, channels, random);
  if (steps !== undefined) return inSteps(routed, steps, random);
  // Most tiers are of one channel, among which there is nothing to draw.
  return channels.length === 1
    ? channels.filter((only) => isEligible(routed, only))
    : eligible(routed, channels, random);
}

function* inSteps(routed: RoutedCall, steps: readonly Channels[], random: () => number): Generator<SnapshotChannel> {
  for (const step of steps) yield* eligible(routed, step, random);
}

/** The eligible channels of all tiers; the one that has the conversation comes before its tier, or before all where no other has it. */
function* acrossTiers(routed: RoutedCall, random: () => number): Generator<SnapshotChannel> {
  const only = onlyStickyChannel(routed);
  if (only !== undefined && isEligible(routed, only)) yield only;
  for (const tier of routed.routes.tiers) {
    const held = only ?? stickyChannel(routed, tier.channels);
    if (held !== undefined && held !== only && isEligible(routed, held)) yield held;
    for (const channel of inTier(routed, tier, random)) if (channel !== held) yield channel;
  }
}

/** Those with an open circuit breaker come last, so that a lone channel is never given up. */
function* ordered(routed: RoutedCall, random: () => number): Generator<SnapshotChannel> {
  const open: SnapshotChannel[] = [];
  for (const next of acrossTiers(routed, random)) {
    // Asked at the last moment: while another channel was tried, this one's breaker may have opened.
    const reason = openReason(routed, next);
    if (reason === undefined) yield next;
    else {
      routed.call.trace.skip(next, { code: reason });
      open.push(next);
    }
  }
  yield* open;
}

/** The channel named in the key, whatever its circuit breaker says: as it is now, which may be another than when the call was let in. */
function pinnedOf(routed: RoutedCall): Channels {
  const pinned = routed.call.context.snapshot.channelById(routed.routes.pinnedChannelId);
  return pinned !== undefined && isEligible(routed, pinned) ? [pinned] : [];
}

const candidates = (routed: RoutedCall, random: () => number): Iterable<SnapshotChannel> =>
  routed.routes.pinnedChannelId === 0 ? ordered(routed, random) : pinnedOf(routed);

/**
 * The channels to try, a channel with several keys again for each that may answer; those skipped are noted in the call's trace. A
 * channel named in the key is the only one. The caller counts the call as open before it waits for anything. `random` gives numbers of at
 * least 0 and below 1.
 */
export function* route(routed: RoutedCall, random: () => number = Math.random): Generator<SnapshotChannel> {
  for (const channel of candidates(routed, random)) {
    if (!hasRoom(routed, channel)) {
      routed.call.trace.skip(channel, BUSY);
      continue;
    }
    yield channel;
    while (routed.retries.takesAnotherKey(channel)) yield channel;
    const isAlone = routed.held?.skipsRetry === true && routed.held.channelId === channel.id;
    if (isAlone || routed.retries.isSpent) return;
  }
}
