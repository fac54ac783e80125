/** The order in which a call tries one tier's channels: at random by weight, each once; a draw costs the same whatever the tier's size. */
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";

/** Added to every weight, so that weight 0 still gets calls. */
const SMOOTHING = 10;
/** Repeated draws of channels that were drawn already, before the others are listed. */
const MAX_MISSES = 32;

type Channels = readonly SnapshotChannel[];

/** Parts that a channel has in the draw among others. */
export const shareOf = ({ weight }: Pick<SnapshotChannel, "weight">): number => weight + SMOOTHING;

/** Sums of the shares up to each channel. A snapshot's list of channels is never changed, so its sums are worked out once. */
const sumsOfChannels = new WeakMap<Channels, Float64Array>();

function sumsOf(channels: Channels): Float64Array {
  const known = sumsOfChannels.get(channels);
  if (known !== undefined) return known;
  let sum = 0;
  const sums = Float64Array.from(channels, (channel) => (sum += shareOf(channel)));
  sumsOfChannels.set(channels, sums);
  return sums;
}

/** Place of the first sum above `value`; the last place for a value that rounding put past the end. */
function firstAbove(sums: Float64Array, value: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sums[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Takes one channel out of the list, by chance in proportion to its share. */
function takeWeighted(channels: SnapshotChannel[], random: () => number): SnapshotChannel | undefined {
  if (channels.length < 2) return channels.pop();
  const total = channels.reduce((sum, channel) => sum + shareOf(channel), 0);
  let rest = random() * total;
  const found = channels.findIndex((channel) => (rest -= shareOf(channel)) < 0);
  return channels.splice(found < 0 ? channels.length - 1 : found, 1)[0];
}

/** All channels, each once, by a list of those that are left: for few. */
export function* listedOrder(channels: Channels, random: () => number): Generator<SnapshotChannel> {
  const rest = [...channels];
  for (let next = takeWeighted(rest, random); next !== undefined; next = takeWeighted(rest, random)) yield next;
}

/**
 * All channels, each once; `random` gives numbers of at least 0 and below 1. A draw that leads to a channel which was drawn before is made
 * again: what comes then has the chances that the others have among themselves. After MAX_MISSES of them the others are listed, and
 * their chances stay the same.
 */
export function* weightedOrder(channels: Channels, random: () => number): Generator<SnapshotChannel> {
  const sums = sumsOf(channels);
  const total = sums.at(-1) ?? 0;
  const had = new Set<number>();
  for (let misses = 0; misses < MAX_MISSES && had.size < channels.length;) {
    const place = firstAbove(sums, random() * total);
    const channel = channels[place];
    if (channel === undefined || had.has(place)) {
      misses += 1;
      continue;
    }
    had.add(place);
    yield channel;
  }
  yield* listedOrder(
    channels.filter((_, place) => !had.has(place)),
    random,
  );
}
