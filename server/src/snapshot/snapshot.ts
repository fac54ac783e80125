/** Users, tokens, channels, options and prices in memory, as the relay reads them; follows the version rows. */
import type { HeaderRule } from "../../../contract/src/channels/header-override.ts";
import type { AppliedRatio } from "../../../contract/src/group-rules.ts";
import type { OptionValues } from "../../../contract/src/options/options.ts";
import type { ListedFacts } from "../../../contract/src/pricing/listed-facts.ts";
import type { ModelPrice } from "../../../contract/src/pricing/pricing.ts";
import type { ChannelCosts, UpstreamPrice } from "../../../contract/src/pricing/upstream-cost.ts";
import type { ChannelSetting } from "./channel-setting.ts";

export interface SnapshotUser {
  id: number;
  username: string;
  displayName: string;
  role: number;
  /** What an administrator may do, as stored; read by contract/permissions.ts. */
  permissions: string | null;
  status: number;
  groupName: string;
  email: string;
  /** Accepts models without a price (setting accept_unset_model_ratio_model). */
  acceptsUnpricedModels: boolean;
  /** Rows of the log have the addresses of its clients (setting record_ip_log). */
  keepsClientAddresses: boolean;
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
  /** Undefined: every address. A list of only bad entries admits none. */
  isAddressAllowed: ((address: string) => boolean) | undefined;
  /** Empty: the user's group. */
  groupName: string;
  /** Groups that a token of the group `auto` tries; empty for those of the option AutoGroups. */
  autoGroups: readonly string[];
  /** Calls of such a token that fail in one group are retried in the next. */
  retriesAcrossGroups: boolean;
  /** Nothing but a hash of its key is stored, which another gateway made. */
  isKeyUnknown: boolean;
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
  setting: ChannelSetting;
  openaiOrganization: string;
  testModel: string;
  tag: string;
  priority: number;
  weight: number;
  /** Maximum input tokens of a call; 0 for no limit. */
  maxInputTokens: number;
  autoBan: boolean;
  /** Upstream prices that the operator entered. */
  costs: ChannelCosts;
  /** Rules of the header override; absent if there are none. */
  headers?: readonly HeaderRule[];
  /** The enabled keys of a channel with several; absent for a channel of one key. */
  keys?: KeyPool;
  /** Id of the key in `key`, of a channel with several; absent for a channel of one key, and for a channel with its `keys`. */
  ofKey?: ChannelKey;
}

/** One of several keys. */
export interface ChannelKey {
  id: number;
  /** Its public properties. */
  mark: string;
  /** The channel with all its keys. */
  channel: SnapshotChannel;
}

/** A channel with one of its keys in `key`; all other fields are the channel's. */
export interface KeyedChannel extends SnapshotChannel {
  ofKey: ChannelKey;
}

export interface KeyPool {
  /** Round robin instead of random. */
  isRoundRobin: boolean;
  /** By id of the key. */
  members: readonly KeyedChannel[];
  /** Id of the key in `key`, for tests and model lists; 0 if the key is in the channel's own row. */
  shownKeyId: number;
}

/** Channels of one priority, ordered by id. Tiers are ordered from the highest. */
export interface ChannelTier {
  priority: number;
  channels: readonly SnapshotChannel[];
}

export interface Snapshot {
  /** Typed values of every option (contract/options.ts); a new frozen object after each change. */
  readonly options: OptionValues;
  /** The row of price_versions for the tables in force. */
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
  /** Visits each model that enabled channels offer to the group, with these channels by id. */
  forEachOffer(groupName: string, visit: (model: string, channels: readonly SnapshotChannel[]) => void): void;
  /** Sorted names of the models that enabled channels offer to any of these groups. */
  modelsFor(groupNames: readonly string[]): readonly string[];
  /** Whether the group has a ratio, without which no call can use it. */
  hasGroup(groupName: string): boolean;
  /** What a call in `groupName` is multiplied by for a user of `userGroup`; undefined for a group without a ratio. */
  groupRatio(userGroup: string, groupName: string): AppliedRatio | undefined;
  /** Groups that a user of `userGroup` may use, to their descriptions; their own is always among them. */
  usableGroups(userGroup: string): ReadonlyMap<string, string>;
  /** Undefined where the model has neither a price nor a ratio, from the operator or the data set. */
  priceOf(model: string): ModelPrice | undefined;
  /** The price in the price list in force, without the operator's own prices; undefined if it lacks the model. */
  listPriceOf(model: string): ModelPrice | undefined;
  /** Other properties of the model in the price list in force. */
  factsOf(model: string): ListedFacts;
  /**
   * The upstream price of a channel's model, by its upstream name: as the operator entered it, else from the price list.
   * Undefined if neither has it.
   */
  upstreamPriceOf(channel: Pick<SnapshotChannel, "costs">, upstreamModel: string): UpstreamPrice | undefined;
  /** Reads changes now instead of at the next poll and notifies the other processes; every console write awaits it before its response. */
  refresh(): Promise<void>;
  /** False if the database has not responded for 5 seconds: the data may be outdated. */
  readonly isHealthy: boolean;
  /** Milliseconds since the database answered last. */
  readonly ageMs: number;
  close(): Promise<void>;
}
