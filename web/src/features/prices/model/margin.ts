/** The margin of a model's price over its channels' upstream costs, for the price table. Pure. */
import type { PriceRow, UpstreamCost } from "../../../../../contract/src/features/prices.ts";
import { chargeQuota, type ModelPrice } from "../../../../../contract/src/pricing/pricing.ts";
import { usdPerMillionText } from "../../../../../contract/src/pricing/price-display.ts";
import { NO_USAGE } from "../../../../../contract/src/pricing/usage.ts";
import { priceOf } from "./rows.ts";

/** A call by which prices of any kind are compared: 1M tokens in and as many out, as the server orders the costs. */
const COMPARED = { ...NO_USAGE, inputTokens: 1_000_000, outputTokens: 1_000_000 };

export interface PriceMargin {
  /** Whole percent of the price that are left at the dearest and at the cheapest channel; below 0 for a loss. */
  worst: number;
  best: number;
  /** "Lane: $2 in, $8 out", or "Lane: $0.04 per request"; the cheapest first, one where they are the same. */
  costs: readonly { channel: string; input?: string; output?: string; request?: string }[];
}

function costOf(
  { channel_name: channel, price: fields }: UpstreamCost,
  quotaPerUnit: string,
): PriceMargin["costs"][number] {
  const price = priceOf(fields);
  if (price?.kind !== "per_token") return { channel, request: price?.price ?? "" };
  const usd = (part: "input" | "output") => usdPerMillionText(part, price, "1", quotaPerUnit);
  return { channel, input: usd("input"), output: usd("output") };
}

type ShownCosts = PriceMargin["costs"];

/** Costs of the channels for a model, the cheapest first; one where they pay the same, none where it is not known. */
export function upstreamCosts({ costs }: PriceRow, quotaPerUnit: string): ShownCosts {
  if (costs === null) return [];
  const isOne = costs.min.channel === costs.max.channel;
  return (isOne ? [costs.min] : [costs.min, costs.max]).map((cost) => costOf(cost, quotaPerUnit));
}

/** The margin of a row without any group's ratio; undefined where it has no price, costs nothing, or no upstream cost is known. */
export function marginOf(row: PriceRow, quotaPerUnit: string): PriceMargin | undefined {
  const { price: fields, costs } = row;
  const price = priceOf(fields);
  if (price === undefined || costs === null) return undefined;
  const quotaOf = (of: ModelPrice | undefined): number =>
    of === undefined ? 0 : chargeQuota(COMPARED, of, "1", quotaPerUnit);
  const charged = quotaOf(price);
  if (charged === 0) return undefined;
  const left = (cost: UpstreamCost): number => Math.round(((charged - quotaOf(priceOf(cost.price))) / charged) * 100);
  return { worst: left(costs.max), best: left(costs.min), costs: upstreamCosts(row, quotaPerUnit) };
}
