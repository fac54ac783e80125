/** Users, tokens, channels, options and prices in memory, as the relay reads them; follows the version rows. */
import type { AppliedRatio } from "../../../contract/src/group-rules.ts";
import type { OptionValues } from "../../../contract/src/options/options.ts";
import type { ListedFacts } from "../../../contract/src/pricing/listed-facts.ts";
import type { ModelPrice } from "../../../contract/src/pricing/pricing.ts";
import type { ChannelCosts, UpstreamPrice } from "../../../contract/src/pricing/upstream-cost.ts";

export interface SnapshotUser {
  id: number;
  username: string;
  displayName: string;
  role: number;
  status: number;
  groupName: string;
  email: string;
  /** Accepts models without a price (setting accept_unset_model_ratio_model). */
  acceptsUnpricedModels: boolean;
  isDeleted: boolean;
}

export interface SnapshotToken {
  id: number;
  userId: number;
  name: string;
  status: number;
  /** Unix seconds; -1 never. */
  expiredTime: number;
  isUnlimited: boolean;
  /** Undefined: all models. */
  modelLimits: ReadonlySet<string> | undefined;
  /** Undefined: every address. A list that has only bad entries admits nobody. */
  isAddressAllowed: ((address: string) => boolean) | undefined;
  /** Empty: the user's group. */
  groupName: string;
  /** Groups that a token of the group `auto` tries; empty for those of the option AutoGroups. */
  autoGroups: readonly string[];
  /** Calls of such a token that fail in one group are retried in the next. */
  retriesAcrossGroups: boolean;
  keyFirst: string;
  keyLast: string;
}

export interface SnapshotChannel {
  id: number;
  type: number;
  name: string;
  key: string;
  status: number;
  baseUrl: string;
  other: string;
  models: ReadonlySet<string>;
  groupNames: readonly string[];
  modelMapping: Readonly<Record<string, string>>;
  statusCodeMapping: Readonly<Record<string, number>>;
  paramOverride: Readonly<Record<string, unknown>>;
  /**
   * `maxConcurrency`: open calls at a time, 0 for no bound; absent where the option decides. `allowsServiceTier`: clients may ask for
   * what costs the upstream more than the model's price. `forcesFormat`: answers in the client's own format lose what the format does
   * not have. `movesThinking`: clients of chat completions get the thinking among the words.
   */
  setting: {
    proxy?: string;
    maxConcurrency?: number;
    allowsServiceTier?: boolean;
    forcesFormat?: boolean;
    movesThinking?: boolean;
  };
  openaiOrganization: string;
  testModel: string;
  tag: string;
  priority: number;
  weight: number;
  /** Most input tokens of a call that it takes; 0 for no limit. */
  maxInputTokens: number;
  autoBan: boolean;
  /** What the operator typed of its upstream's prices. */
  costs: ChannelCosts;
  /** The enabled keys of a channel that has several; absent for a channel of one key. */
  keys?: KeyPool;
  /** Which of several keys `key` is; absent for a channel of one key, and for a channel with its `keys`. */
  ofKey?: ChannelKey;
}

/** One of several keys. */
export interface ChannelKey {
  id: number;
  /** What may be told of it. */
  mark: string;
  /** The channel with all its keys. */
  channel: SnapshotChannel;
}

/** A channel with one of its keys in `key`; all else is the channel's. */
export interface KeyedChannel extends SnapshotChannel {
  ofKey: ChannelKey;
}

export interface KeyPool {
  /** One after the other instead of by chance. */
  isRoundRobin: boolean;
  /** By id of the key. */
  members: readonly KeyedChannel[];
  /** Id of the key that stands in `key`, for tests and lists of models; 0 where the channel's own row has it alone. */
  shownKeyId: number;
}

/** Channels of one priority, ordered by id. Tiers come highest first. */
export interface ChannelTier {
  priority: number;
  channels: readonly SnapshotChannel[];
}

export interface Snapshot {
  /** Typed values of every option (contract/options.ts); a new frozen object after each change. */
  readonly options: OptionValues;
  /** Row of price_versions that the tables in force have. */
  readonly priceVersion: number;
  /** When these tables came into force; Unix seconds. */
  readonly priceSince: number;
  userById(id: number): SnapshotUser | undefined;
  /** `key` without `sk-`. */
  tokenByKey(key: string): SnapshotToken | undefined;
  tokenById(id: number): SnapshotToken | undefined;
  channelById(id: number): SnapshotChannel | undefined;
  channels(): readonly SnapshotChannel[];
  /** Enabled channels that offer `model` to `group`, by tier. */
  tiersFor(groupName: string, model: string): readonly ChannelTier[];
  /** Sorted names of the models some enabled channel offers to any of these groups. */
  modelsFor(groupNames: readonly string[]): readonly string[];
  /** Whether the group has a ratio, without which no call can use it. */
  hasGroup(groupName: string): boolean;
  /** What a call in `groupName` is multiplied by for a user of `userGroup`; undefined for a group without a ratio. */
  groupRatio(userGroup: string, groupName: string): AppliedRatio | undefined;
  /** Groups that a user of `userGroup` may use, to their descriptions; their own is always among them. */
  usableGroups(userGroup: string): ReadonlyMap<string, string>;
  /** Undefined where the model has neither a price nor a ratio, from the operator or the data set. */
  priceOf(model: string): ModelPrice | undefined;
  /** What the price list in force says, whatever the operator's own prices are; undefined where it does not have the model. */
  listPriceOf(model: string): ModelPrice | undefined;
  /** What the price list in force knows of the model besides. */
  factsOf(model: string): ListedFacts;
  /**
   * What a channel's upstream asks for a model, by the name it has there: as the operator typed it, else as the price list says.
   * Undefined where neither does.
   */
  upstreamPriceOf(channel: Pick<SnapshotChannel, "costs">, upstreamModel: string): UpstreamPrice | undefined;
  /** Reads what changed now instead of at the next poll and tells the other processes; awaited by every console write before it answers. */
  refresh(): Promise<void>;
  /** False once the database has not answered for 5 seconds: what is served may be old. */
  readonly isHealthy: boolean;
  close(): Promise<void>;
}
