/** Step 4: which channels are tried, in which order: tiers by priority, weighted chance inside, each at most once, RetryTimes in all. */
import type { Operation } from "../providers/provider.ts";
import type { SnapshotChannel } from "../snapshot/snapshot.ts";
import type { Exchange } from "./exchange.ts";

/** Added to every weight, so that weight 0 still gets calls (reference 3). */
const SMOOTHING = 10;
const ENABLED = 1;

/** Takes one channel out of the list, by chance in proportion to its weight. */
function takeWeighted(channels: SnapshotChannel[], random: () => number): SnapshotChannel | undefined {
  if (channels.length < 2) return channels.pop();
  const total = channels.reduce((sum, { weight }) => sum + weight + SMOOTHING, 0);
  let rest = random() * total;
  const found = channels.findIndex(({ weight }) => (rest -= weight + SMOOTHING) < 0);
  return channels.splice(found < 0 ? channels.length - 1 : found, 1)[0];
}

/** The reason of a channel that has no such operation. */
export const lackOf = (operation: Operation): string => `does not serve ${operation}`;

/** Why a channel cannot take this call, now or ever; undefined where it can. */
function reasonAgainst(exchange: Exchange, channel: SnapshotChannel): string | undefined {
  if (channel.status !== ENABLED) return "disabled";
  const provider = exchange.context.providers.byType(channel.type);
  if (provider === undefined) return "unknown channel type";
  if (!provider.manifest.operations.includes(exchange.operation)) return lackOf(exchange.operation);
  return undefined;
}

/** Bound of the calls a channel has open at a time: its own setting, else the option. */
export const openCallLimit = ({ context }: Exchange, { setting }: SnapshotChannel): number =>
  setting.maxConcurrency ?? context.snapshot.options.ChannelConcurrencyLimit;

/** "busy" while a channel has as many open calls as it may; those of other processes are asked for when it is tried. */
function busyReason(exchange: Exchange, channel: SnapshotChannel): "busy" | undefined {
  const limit = openCallLimit(exchange, channel);
  return exchange.context.channelCalls.hasRoom(channel.id, limit) ? undefined : "busy";
}

function restReason({ context: { health } }: Exchange, { id }: SnapshotChannel): string | undefined {
  return health.hasRecords ? health.restReason(id, performance.now()) : undefined;
}

export const skip = (exchange: Exchange, { id, name }: SnapshotChannel, reason: string): void =>
  void exchange.skipped.push({ id, name, reason });

/** Channels of every tier in their order; those at rest come last, so that a lone channel is never given up. */
function* ordered(exchange: Exchange, random: () => number): Generator<SnapshotChannel> {
  const resting: SnapshotChannel[] = [];
  for (const tier of exchange.tiers) {
    const usable: SnapshotChannel[] = [];
    for (const channel of tier.channels) {
      const reason = reasonAgainst(exchange, channel);
      if (reason === undefined) usable.push(channel);
      else skip(exchange, channel, reason);
    }
    for (let next = takeWeighted(usable, random); next !== undefined; next = takeWeighted(usable, random)) {
      // Asked at the last moment: while another channel was tried, this one may have begun to rest or to be probed.
      const reason = restReason(exchange, next);
      if (reason === undefined) yield next;
      else {
        skip(exchange, next, reason);
        resting.push(next);
      }
    }
  }
  yield* resting;
}

/** The channel named in the key, whatever its rest: as it is now, which may be another than when the call was let in. */
function pinnedOf(exchange: Exchange): SnapshotChannel[] {
  const pinned = exchange.context.snapshot.channelById(exchange.pinnedChannelId);
  if (pinned === undefined) return [];
  const reason = reasonAgainst(exchange, pinned);
  if (reason === undefined) return [pinned];
  skip(exchange, pinned, reason);
  return [];
}

const candidates = (exchange: Exchange, random: () => number): Iterable<SnapshotChannel> =>
  exchange.pinnedChannelId === 0 ? ordered(exchange, random) : pinnedOf(exchange);

/**
 * The channels to try; those passed over are noted in `exchange.skipped`. A channel named in the key is the only one and is tried
 * once. The caller counts the call as open before it waits for anything.
 */
export function* route(exchange: Exchange, random: () => number = Math.random): Generator<SnapshotChannel> {
  const { RetryTimes } = exchange.context.snapshot.options;
  for (const channel of candidates(exchange, random)) {
    const busy = busyReason(exchange, channel);
    if (busy !== undefined) {
      skip(exchange, channel, busy);
      continue;
    }
    yield channel;
    // A channel whose format could not express the request was not tried; asking one in a second format is not another try.
    if (exchange.tried.length - exchange.formatTries > RetryTimes) return;
  }
}

/** What was passed over and not tried after all, for the receipt; the last reason of each channel. */
export function finallySkipped({ tried, skipped }: Exchange): Exchange["skipped"] {
  if (skipped.length === 0) return skipped;
  const wasTried = new Set(tried.map(({ id }) => id));
  return [...new Map(skipped.map((each) => [each.id, each])).values()].filter(({ id }) => !wasTried.has(id));
}
