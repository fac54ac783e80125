/** Computes which offers remain after a change to channels: a pure function of the routing table, in one pass over their groups. */
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import { type ModelKind, modelKind } from "../../../../contract/src/pricing/model-kind.ts";
import type { Snapshot, SnapshotChannel } from "../../snapshot/snapshot.ts";

/** Names of models to the groups concerned. */
export type Offers = Map<string, Set<string>>;

/** What the channels of an act have after it; what is absent stays as each of them has it. */
export interface NewOffer {
  models?: ReadonlySet<string>;
  /** A model that each loses of its own. */
  without?: string;
  groupNames?: ReadonlySet<string>;
  type?: number;
  priority?: number;
  weight?: number;
}

/** Whether a channel of this type answers calls to the model. */
export type Serves = (type: number, model: string) => boolean;

/** The effects of an act: models that no channel offers to a group any more, those that a single one does, and those whose first channels differ. */
interface Effects {
  lost: Offers;
  single: Offers;
  /** Calls go to other channels first, or to the first ones in other shares. Models that are lost are not among them. */
  moved: Offers;
}

/** Adds a model with one of the groups concerned. */
export const addTo = (offers: Offers, groupName: string, model: string): unknown =>
  offers.getOrInsertComputed(model, () => new Set()).add(groupName);

/** What a provider has to serve, one of these, for a model of the kind. */
const OPERATIONS: Readonly<Record<ModelKind, readonly string[]>> = {
  chat: ["chat", "completions"],
  embeddings: ["embeddings"],
  rerank: ["rerank"],
  // Several chat models draw in their answers.
  image: ["images", "image_edits", "image_variations", "drawings", "chat"],
  video: ["videos"],
  audio: ["speech", "transcriptions", "translations", "realtime", "songs", "chat"],
  moderation: ["moderations"],
};

/** By the operations of a type's provider, and by what calls of a model are; a type without a provider serves nothing. */
export function servesBy(providers: readonly { manifest: { id: number; operations: readonly string[] } }[]): Serves {
  const operationsOf = new Map(providers.map(({ manifest }) => [manifest.id, new Set(manifest.operations)]));
  const kinds = new Map<string, ModelKind>();
  return (type, model) => {
    const served = operationsOf.get(type);
    if (served === undefined) return false;
    const kind = kinds.getOrInsertComputed(model, () => modelKind(model));
    return OPERATIONS[kind].some((operation) => served.has(operation));
  };
}

type Channels = readonly SnapshotChannel[];

/** Whether calls of an offer that stays are spread otherwise once the acted channels have their new priority or weight. Allocates nothing. */
function isMoved(channels: Channels, acted: ReadonlySet<number>, { priority, weight }: NewOffer): boolean {
  let [highest, nextHighest, hasActed] = [-Infinity, -Infinity, false];
  for (const { id, priority: old } of channels) {
    const isActed = acted.has(id);
    hasActed ||= isActed;
    highest = Math.max(highest, old);
    nextHighest = Math.max(nextHighest, isActed ? (priority ?? old) : old);
  }
  if (!hasActed) return false;
  let [count, hasNewWeight] = [0, false];
  for (const { id, priority: old, weight: oldWeight } of channels) {
    const isActed = acted.has(id);
    const isFirst = old === highest;
    if (isFirst !== ((isActed ? (priority ?? old) : old) === nextHighest)) return true;
    if (!isFirst) continue;
    count += 1;
    hasNewWeight ||= isActed && weight !== undefined && weight !== oldWeight;
  }
  // A single one gets all calls, whatever its weight.
  return hasNewWeight && count > 1;
}

/** How many of the channels go on offering what they offer, up to two. */
function countLeft(channels: Channels, staysWith: (channel: SnapshotChannel) => boolean): number {
  let left = 0;
  for (const channel of channels) {
    if (staysWith(channel)) left += 1;
    if (left > 1) break;
  }
  return left;
}

/**
 * What is left once the channels with these ids are out of service, or have what `next` says, of what they offer now. A channel whose new
 * type does not serve a model that its old one did no longer counts for it. Pure but for the snapshot.
 */
export function effectsOf(
  snapshot: Pick<Snapshot, "channelById" | "forEachOffer">,
  ids: readonly number[],
  next: NewOffer | undefined,
  serves: Serves,
): Effects {
  const acted = new Set<number>();
  const groupNames = new Set<string>();
  for (const id of ids) {
    const channel = snapshot.channelById(id);
    if (channel?.status !== CHANNEL_STATUS.enabled) continue;
    acted.add(id);
    for (const groupName of channel.groupNames) groupNames.add(groupName);
  }
  const movesCalls = next?.priority !== undefined || next?.weight !== undefined;
  const effects: Effects = { lost: new Map(), single: new Map(), moved: new Map() };
  for (const groupName of groupNames) {
    const isGroupKept = next !== undefined && (next.groupNames?.has(groupName) ?? true);
    snapshot.forEachOffer(groupName, (model, channels) => {
      const isKept = isGroupKept && (next.models?.has(model) ?? true) && model !== next.without;
      const type = next?.type;
      // Then each channel that offers it goes on, whatever others may take over besides.
      const isWhole = isKept && (type === undefined || serves(type, model));
      const stays = ({ id, type: old }: SnapshotChannel) => !acted.has(id) || (isKept && !serves(old, model));
      const left = isWhole ? channels.length : countLeft(channels, stays);
      if (left === 0) addTo(effects.lost, groupName, model);
      else if (left === 1 && channels.length > 1) addTo(effects.single, groupName, model);
      if (isWhole && movesCalls && isMoved(channels, acted, next)) addTo(effects.moved, groupName, model);
    });
  }
  return effects;
}
