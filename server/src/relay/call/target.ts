/** The channels that a call may go to, and what is asked of the one it goes to: the request as it will be sent. */
import type { UpstreamFormat } from "../../dialects/dialect.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import type { OperationCall } from "../../dialects/neutral/operation-codec.ts";
import type { Polling } from "../../dialects/vendor-operation.ts";
import type { Provider, ProviderCall } from "../../providers/provider.ts";
import type { ChannelTier, Snapshot, SnapshotChannel } from "../../snapshot/snapshot.ts";

/** The channels that a call may go to. */
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

/** Pictures that an answer has the addresses of, and that its client wants the bytes of. */
export interface AddressedPictures {
  addressesIn(answer: JsonObject): readonly string[];
  /** As `data:` URIs, by their addresses: those that were fetched. */
  readonly found: Map<string, string>;
}

/** What is asked of an upstream. */
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
  /** The body goes on as it came, or is a form: no rule of the channel changes it. */
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
  /** A task that has to be asked for its answer. */
  polling?: Polling;
  /** Pictures to fetch before the answer goes on. */
  pictures?: AddressedPictures;
}
