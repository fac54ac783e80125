/** Step 4: which channels are tried, in which order: tiers by priority, weighted chance inside, each at most once, RetryTimes in all. */
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import type { SkipReason } from "../../../../contract/src/receipt-codes.ts";
import type { OpenReason } from "../../channels/health.ts";
import type { ChannelTier, SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { Call } from "../call/call.ts";
import type { Attempts } from "./attempts.ts";
import { listedOrder, weightedOrder } from "./weighted-order.ts";

/** Tiers of so many channels are looked at whole, so that the receipt names each that cannot take the call. */
const SMALL_TIER = 16;

const DISABLED: SkipReason = { code: "disabled" };
const UNKNOWN_TYPE: SkipReason = { code: "unknown_channel_type" };
export const BUSY: SkipReason = { code: "busy" };

/** Why a channel cannot take this call, now or ever; undefined where it can. */
function ineligibleReason({ call, inputTokens }: Attempts, channel: SnapshotChannel): SkipReason | undefined {
  if (channel.status !== CHANNEL_STATUS.enabled) return DISABLED;
  const provider = call.context.providers.byType(channel.type);
  if (provider === undefined) return UNKNOWN_TYPE;
  const { operation } = call;
  if (!provider.manifest.operations.includes(operation))
    return { code: "unsupported_operation", values: { operation } };
  const { maxInputTokens } = channel;
  if (maxInputTokens === 0 || inputTokens <= maxInputTokens) return undefined;
  return { code: "input_limit", values: { limit: String(maxInputTokens), tokens: String(inputTokens) } };
}

/** Bound of the calls a channel has open at a time: its own setting, else the option. */
export const openCallLimit = ({ context }: Call, { setting }: SnapshotChannel): number =>
  setting.maxConcurrency ?? context.snapshot.options.ChannelConcurrencyLimit;

/** False while a channel has as many open calls as it may; those of other processes are asked for when it is tried. */
const hasRoom = ({ call }: Attempts, channel: SnapshotChannel): boolean =>
  call.context.channelCalls.hasRoom(channel.id, openCallLimit(call, channel));

function openReason({ call }: Attempts, { id }: SnapshotChannel): OpenReason | undefined {
  const { health } = call.context;
  return health.hasRecords ? health.openReason(id, performance.now()) : undefined;
}

/** Notes why a channel cannot take this call; true where it can. */
function isEligible(attempts: Attempts, channel: SnapshotChannel): boolean {
  const reason = ineligibleReason(attempts, channel);
  if (reason !== undefined) attempts.call.trace.passOver(channel, reason);
  return reason === undefined;
}

/** The eligible channels of one tier in their order. Of a large tier those are looked at that are drawn. */
function* eligible(attempts: Attempts, { channels }: ChannelTier, random: () => number): Generator<SnapshotChannel> {
  if (channels.length > SMALL_TIER) {
    for (const channel of weightedOrder(channels, random)) if (isEligible(attempts, channel)) yield channel;
    return;
  }
  const known = channels.filter((channel) => isEligible(attempts, channel));
  yield* listedOrder(known, random);
}

/** Channels of every tier in their order; those with an open circuit breaker come last, so that a lone channel is never given up. */
function* ordered(attempts: Attempts, random: () => number): Generator<SnapshotChannel> {
  const open: SnapshotChannel[] = [];
  for (const tier of attempts.routes.tiers) {
    for (const next of eligible(attempts, tier, random)) {
      // Asked at the last moment: while another channel was tried, this one's breaker may have opened.
      const reason = openReason(attempts, next);
      if (reason === undefined) yield next;
      else {
        attempts.call.trace.passOver(next, { code: reason });
        open.push(next);
      }
    }
  }
  yield* open;
}

/** The channel named in the key, whatever its circuit breaker says: as it is now, which may be another than when the call was let in. */
function pinnedOf(attempts: Attempts): SnapshotChannel[] {
  const pinned = attempts.call.context.snapshot.channelById(attempts.routes.pinnedChannelId);
  if (pinned === undefined) return [];
  const reason = ineligibleReason(attempts, pinned);
  if (reason === undefined) return [pinned];
  attempts.call.trace.passOver(pinned, reason);
  return [];
}

const candidates = (attempts: Attempts, random: () => number): Iterable<SnapshotChannel> =>
  attempts.routes.pinnedChannelId === 0 ? ordered(attempts, random) : pinnedOf(attempts);

/**
 * The channels to try; those passed over are noted in the call's trace. A channel named in the key is the only one and is tried
 * once. The caller counts the call as open before it waits for anything.
 */
export function* route(attempts: Attempts, random: () => number = Math.random): Generator<SnapshotChannel> {
  const { RetryTimes } = attempts.call.context.snapshot.options;
  for (const channel of candidates(attempts, random)) {
    if (!hasRoom(attempts, channel)) {
      attempts.call.trace.passOver(channel, BUSY);
      continue;
    }
    yield channel;
    // A channel whose format could not express the request was not tried; asking one in a second format is not another try.
    if (attempts.call.trace.tried.length - attempts.uncountedTries > RetryTimes) return;
  }
}
