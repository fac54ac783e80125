/** Step 4: which channels are tried, in which order: tiers by priority, weighted chance inside, each at most once, RetryTimes in all. */
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

/** Why a channel is left out for now; undefined where it can be used. */
function reasonToSkip(exchange: Exchange, channel: SnapshotChannel): string | undefined {
  if (channel.status !== ENABLED) return "disabled";
  const provider = exchange.context.providers.byType(channel.type);
  if (provider === undefined) return "unknown channel type";
  if (!provider.manifest.operations.includes(exchange.operation)) return `does not serve ${exchange.operation}`;
  const { health } = exchange.context;
  return health.hasRecords && health.isResting(channel.id, performance.now()) ? RESTING : undefined;
}

const RESTING = "resting after failures";

/** Channels of every tier in their order; those at rest come last, so that a lone channel is never given up. */
function* ordered(exchange: Exchange, random: () => number): Generator<SnapshotChannel> {
  const resting: SnapshotChannel[] = [];
  for (const tier of exchange.tiers) {
    const usable: SnapshotChannel[] = [];
    for (const channel of tier.channels) {
      const reason = reasonToSkip(exchange, channel);
      if (reason === undefined) usable.push(channel);
      else if (reason === RESTING) resting.push(channel);
      else exchange.skipped.push({ id: channel.id, name: channel.name, reason });
    }
    for (let next = takeWeighted(usable, random); next !== undefined; next = takeWeighted(usable, random)) yield next;
  }
  // Only reached while nothing else is left: what rests and was not needed is told by the receipt.
  yield* resting;
}

/** The channels to try. A channel named in the key is the only one and is tried once. */
export function* route(exchange: Exchange, random: () => number = Math.random): Generator<SnapshotChannel> {
  if (exchange.pinnedChannelId !== 0) {
    const pinned = exchange.context.snapshot.channelById(exchange.pinnedChannelId);
    if (pinned !== undefined) yield pinned;
    return;
  }
  let left = exchange.context.snapshot.options.RetryTimes + 1;
  for (const channel of ordered(exchange, random)) {
    yield channel;
    left -= 1;
    if (left <= 0) return;
  }
}

/** Adds the channels at rest that were passed over to the reasons of the receipt. */
export function noteResting(exchange: Exchange): void {
  if (!exchange.context.health.hasRecords) return;
  const tried = new Set(exchange.tried.map(({ id }) => id));
  const nowMs = performance.now();
  for (const { channels } of exchange.tiers) {
    for (const { id, name } of channels) {
      if (!tried.has(id) && exchange.context.health.isResting(id, nowMs))
        exchange.skipped.push({ id, name, reason: RESTING });
    }
  }
}
