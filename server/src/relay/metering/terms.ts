/** Who pays for a call and at which terms, all of the moment of its admission (later changes are for later calls); and the estimate of its request. */
import {
  type HoldEstimate,
  type ModelPrice,
  UNPRICED_PRICE,
  chargeQuota,
} from "../../../../contract/src/pricing/pricing.ts";
import type { SurchargeRatios } from "../../../../contract/src/pricing/surcharge-ratios.ts";
import type { ToolPrices } from "../../../../contract/src/pricing/tool-prices.ts";
import type { Usage } from "../../../../contract/src/pricing/usage.ts";
import type { Snapshot, SnapshotToken, SnapshotUser } from "../../snapshot/snapshot.ts";
import { RelayError } from "../call/relay-error.ts";
import type { Group } from "../call/target.ts";
import type { AudioLength } from "../request/audio-length.ts";

/** For whom a call is counted, charged and logged. */
export interface Payer {
  readonly user: SnapshotUser;
  /** Of the playground a token that is none, with the id 0. */
  readonly token: SnapshotToken;
  /** Address of the client. */
  readonly address: string;
}

/** A group with the ratio that it has for users of `userGroup`; undefined where it has none. */
export function groupNamed(
  { groupRatio }: Pick<Snapshot, "groupRatio">,
  userGroup: string,
  name: string,
): Group | undefined {
  const applied = groupRatio(userGroup, name);
  return applied && { name, userGroup, ...applied };
}

/** The own group of users where it has no ratio of its own: their calls cost what the models cost. */
export const ownGroupAsIs = (name: string): Group => ({ name, ratio: "1", userGroup: name, isOfPair: false });

export interface Terms {
  readonly group: Group;
  readonly price: ModelPrice;
  /** True where no price is set for the model and its user accepts that. */
  readonly isUnpriced: boolean;
  /** The tables that the price came from, and since when they are in force (Unix seconds). */
  readonly priceVersion: number;
  readonly priceSince: number;
  readonly toolPrices: ToolPrices;
  readonly surchargeRatios: SurchargeRatios;
  /** Decimal text. */
  readonly quotaPerUnit: string;
}

function unpricedFor({ options }: Snapshot, model: string, user: SnapshotUser): ModelPrice {
  if (options.SelfUseModeEnabled || user.acceptsUnpricedModels) return UNPRICED_PRICE;
  const message = `No price is set for the model ${model}. An administrator can set one, or you accept unpriced models in your settings.`;
  throw new RelayError("model_price_error", { message, param: "model" });
}

/** The terms of this moment. Throws RelayError where the model has no price. */
export function termsFor(snapshot: Snapshot, model: string, user: SnapshotUser, group: Group): Terms {
  const { options, priceVersion, priceSince } = snapshot;
  const price = snapshot.priceOf(model);
  return {
    group,
    price: price ?? unpricedFor(snapshot, model, user),
    isUnpriced: price === undefined,
    priceVersion,
    priceSince,
    toolPrices: options.ToolPrices,
    surchargeRatios: options.PremiumRatios,
    quotaPerUnit: String(options.QuotaPerUnit),
  };
}

/** What a usage costs. */
export const quotaFor = ({ price, group, quotaPerUnit }: Terms, usage: Usage): number =>
  chargeQuota(usage, price, group.ratio, quotaPerUnit);

export interface TokenCounts {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface Quote {
  readonly terms: Terms;
  /** On the high side, as everything that is held. */
  readonly estimate: HoldEstimate;
  /** Tokens of the request, as near as an estimate comes: for an upstream that counts none. */
  readonly promptTokens: number;
  /** Tokens of the answer that the hold covers. */
  readonly outputTokens: number;
  /** Length of the recording in the request. */
  readonly recording: AudioLength | undefined;
}
