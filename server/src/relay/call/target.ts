/** The channels that a call may go to, and the target at one of them: the request as it will be sent. */
import type { Usage } from "../../../../contract/src/pricing/usage.ts";
import type { UpstreamFormat } from "../../dialects/dialect.ts";
import type { JsonObject, NeutralAnswer } from "../../dialects/neutral/neutral.ts";
import type { ThinkingInContent } from "../../dialects/openai-chat/thinking-in-content.ts";
import type { OperationCall } from "../../dialects/neutral/operation-codec.ts";
import type { StreamDecoder, StreamPipe } from "../../dialects/stream/stream.ts";
import type { Polling } from "../../dialects/vendor-operation.ts";
import type { Provider, ProviderCall } from "../../providers/provider.ts";
import type { ChannelTier, Snapshot, SnapshotChannel } from "../../snapshot/snapshot.ts";

/** The group that a call is routed and billed in. */
export interface Group {
  readonly name: string;
  /** Decimal text: what its calls are multiplied by for this user. */
  readonly ratio: string;
  /** The user's own group, which ratios of pairs go by. */
  readonly userGroup: string;
  /** True where the ratio is that of the pair of both groups. */
  readonly isOfPair: boolean;
}

/** The channels that a call may go to. */
export interface Routes {
  /** By priority; empty where a channel was named in the key. */
  readonly tiers: readonly ChannelTier[];
  /** Channel named in the key; 0 for none. */
  readonly pinnedChannelId: number;
  /** Where a call may be retried in further groups: each with the channels it adds to `tiers`, which has all of them. */
  readonly groups?: readonly GroupRoutes[];
}

/** The channels by which a call may be served in one of its groups. */
export interface GroupRoutes {
  readonly group: Group;
  readonly tiers: readonly ChannelTier[];
}

const idsOf = (tiers: readonly ChannelTier[]): number[] =>
  tiers.flatMap(({ channels }) => channels.map(({ id }) => id));

/** Routes through several groups, one after the other; a channel that is in several belongs to the first of them. */
export function routesThrough(groups: readonly GroupRoutes[]): Routes {
  const seen = new Set<number>();
  const ofGroups = groups.map(({ group, tiers }) => {
    const added = tiers
      .map(({ priority, channels }) => ({ priority, channels: channels.filter(({ id }) => !seen.has(id)) }))
      .filter(({ channels }) => channels.length > 0);
    for (const id of idsOf(added)) seen.add(id);
    return { group, tiers: added };
  });
  return { tiers: ofGroups.flatMap(({ tiers }) => tiers), pinnedChannelId: 0, groups: ofGroups };
}

/** The group by which a channel was reached; undefined where the call has only one. */
export const groupServedBy = ({ groups }: Routes, channelId: number): Group | undefined =>
  groups?.find(({ tiers }) => idsOf(tiers).includes(channelId))?.group;

/** All of them in one list. */
export function routableChannels(snapshot: Snapshot, { tiers, pinnedChannelId }: Routes): readonly SnapshotChannel[] {
  const pinned = pinnedChannelId === 0 ? undefined : snapshot.channelById(pinnedChannelId);
  return pinned === undefined ? tiers.flatMap((tier) => tier.channels) : [pinned];
}

/** Pictures that an answer has the addresses of, and that its client wants the bytes of. */
export interface AddressedPictures {
  addressesIn(answer: JsonObject): readonly string[];
  /** As `data:` URIs, by their addresses: those that were fetched. */
  readonly found: Map<string, string>;
}

/** The rounds of one answer that its client reads as it comes. */
export interface LiveRounds {
  /** For channels that move thinking into the words: whether it is open goes from round to round. */
  readonly thinking: ThinkingInContent;
  /** The way of one round's events to the client. */
  pipe(decoder: StreamDecoder): StreamPipe;
  /** Frames that close the answer, once its charge is committed. */
  close(usage: Usage): string;
}

/** The searches of a call whose upstream makes none: they are made here, between the rounds of its calls. */
export interface SearchRounds {
  /** Undefined where the client waits for the whole answer. */
  live: LiveRounds | undefined;
  /** Hears what each round answered, before it is over. */
  heard(answer: NeutralAnswer): void;
  /** The last round's answer with what came before it. */
  whole(answer: NeutralAnswer): NeutralAnswer;
}

/** The request to an upstream. */
export interface Target {
  channel: SnapshotChannel;
  provider: Provider;
  /** The upstream's format: the client's own where the provider speaks it. */
  dialect: UpstreamFormat;
  upstreamModel: string;
  /** As the provider was asked where it goes. */
  providerCall: ProviderCall;
  url: string;
  headers: string[];
  /** Headers that stand in the place of those, put in once the request is signed (attempt/added-headers.ts). */
  addedHeaders: readonly string[];
  body: Buffer;
  /** The body is sent unchanged, or is a form: no rule of the channel changes it. */
  isVerbatim?: true;
  /** What the channel's override did, for administrators: modes and paths, no values. Absent where the channel has none. */
  overrides?: readonly string[];
  /** OpenAI's fields of a body that is in the vendor's own words: what is held and charged is read from these. */
  meteredFields?: JsonObject;
  /** What the client and the receipt read; the answer may add to it. */
  warnings: string[];
  /** Tokens of the channel's own instructions beyond the client's input, which may be fewer than none. */
  promptTokens?: number;
  /** Effort of reasoning that the model's name stood for. */
  effort?: string;
  /** A call beside chat that was translated: its answer is too. */
  operationCall?: OperationCall;
  /** Searches that are made here: the answer may ask for one, so what came is kept until its end. */
  searches?: SearchRounds;
  /** A task that has to be polled for its answer. */
  polling?: Polling;
  /** Pictures to fetch before the answer is sent. */
  pictures?: AddressedPictures;
}
