/** The routing table: which channels offer which model to which group, as maps over the enabled channels, updated channel by channel. */
import { CHANNEL_STATUS } from "../../../contract/src/features/channels.ts";
import type { ChannelTier, SnapshotChannel } from "./snapshot.ts";

const NO_TIERS: readonly ChannelTier[] = Object.freeze([]);

/** The channels of one model in one group. */
interface Offer {
  /** By id. */
  readonly channels: SnapshotChannel[];
  /** Built on demand and never changed: running calls keep the lists they have. */
  tiers: readonly ChannelTier[] | undefined;
}

function tiersOf(channels: readonly SnapshotChannel[]): readonly ChannelTier[] {
  const byPriority = Map.groupBy(channels, (channel) => channel.priority);
  return [...byPriority]
    .sort(([left], [right]) => right - left)
    .map(([priority, members]) => ({ priority, channels: members }));
}

/** Index of the first channel whose id is at least `id`; the length if there is none. */
export function placeOf(channels: readonly SnapshotChannel[], id: number): number {
  let [low, high] = [0, channels.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((channels[middle]?.id ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class RouteIndex {
  readonly #groups = new Map<string, Map<string, Offer>>();

  /** Replaces the previous state of a channel; undefined stands for a channel that did not exist or was deleted. */
  replace(before: SnapshotChannel | undefined, after: SnapshotChannel | undefined): void {
    if (after !== undefined) this.#eachOffer(after, (models, model) => put(models, model, after));
    if (before === undefined) return;
    this.#eachOffer(before, (models, model) => take(models, model, before));
    for (const group of before.groupNames) if (this.#groups.get(group)?.size === 0) this.#groups.delete(group);
  }

  #eachOffer(
    { status, groupNames, models }: SnapshotChannel,
    visit: (models: Map<string, Offer>, model: string) => void,
  ): void {
    if (status !== CHANNEL_STATUS.enabled) return;
    for (const group of groupNames) {
      const offers = this.#groups.getOrInsertComputed(group, () => new Map<string, Offer>());
      for (const model of models) visit(offers, model);
    }
  }

  /** Enabled channels that offer `model` to the group, by tier; the same list object until one of them changes. */
  tiersFor(groupName: string, model: string): readonly ChannelTier[] {
    const offer = this.#groups.get(groupName)?.get(model);
    return offer === undefined ? NO_TIERS : (offer.tiers ??= tiersOf(offer.channels));
  }

  /** Visits each model of the group with the enabled channels that offer it, by id; for questions about many models at once. */
  forEachOffer(groupName: string, visit: (model: string, channels: readonly SnapshotChannel[]) => void): void {
    for (const [model, { channels }] of this.#groups.get(groupName) ?? []) visit(model, channels);
  }

  /** Sorted names of the models that enabled channels offer to these groups. */
  modelsFor(groupNames: readonly string[]): readonly string[] {
    const names = new Set(groupNames.flatMap((groupName) => [...(this.#groups.get(groupName)?.keys() ?? [])]));
    return [...names].sort();
  }
}

/** Adds the channel to the model's list, or replaces the one with its id. */
function put(models: Map<string, Offer>, model: string, channel: SnapshotChannel): void {
  const offer = models.getOrInsertComputed(model, () => ({ channels: [], tiers: undefined }));
  const place = placeOf(offer.channels, channel.id);
  offer.channels.splice(place, offer.channels[place]?.id === channel.id ? 1 : 0, channel);
  offer.tiers = undefined;
}

/** Removes the channel from the model's list, and the model from the group if it was the last one. */
function take(models: Map<string, Offer>, model: string, channel: SnapshotChannel): void {
  const offer = models.get(model);
  if (offer === undefined) return;
  const place = placeOf(offer.channels, channel.id);
  if (offer.channels[place] !== channel) return;
  offer.channels.splice(place, 1);
  offer.tiers = undefined;
  if (offer.channels.length === 0) models.delete(model);
}
