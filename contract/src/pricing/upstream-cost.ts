/** What a call costs at its upstream: by the channel's own figures, or by the price list. Pure; chargeQuota converts it to quota. */
import { toExactText } from "../money.ts";
import { ratioFromUsdPerMillion, ratioOfPrices } from "./price-display.ts";
import { DEFAULT_RATIOS, type ModelPrice, type PerTokenPrice, productOf } from "./pricing.ts";

/** USD for 1M tokens as decimal text; what is absent has the price list's ratio to the input. */
export interface TokenCost {
  input: string;
  output: string;
  cache_read?: string | undefined;
  cache_write?: string | undefined;
}

/** USD for one call as decimal text. */
export interface RequestCost {
  request: string;
}

export type ModelCost = TokenCost | RequestCost;

/** What an operator typed of one channel. */
export interface ChannelCosts {
  /** Of the price list's price; 1 where absent. Decimal text. */
  factor?: string | undefined;
  /** By the upstream's own name of a model. */
  models?: Readonly<Record<string, ModelCost>> | undefined;
}

export const NO_COSTS: ChannelCosts = Object.freeze({});

/** Where a cost comes from: the operator typed it for this model and channel, or the price list says it. */
export type CostOrigin = "typed" | "list";

/** The price that an upstream asks for one model, and by how much all of it is multiplied. */
export interface UpstreamPrice {
  price: ModelPrice;
  /** In the place of a group's ratio in a charge: tokens, a fixed price and tools are multiplied. Decimal text. */
  factor: string;
  origin: CostOrigin;
}

/** What is not typed keeps the list's proportions; a typed price holds for every length of context. */
function typedPrice(cost: ModelCost, listed: ModelPrice | undefined): ModelPrice {
  if ("request" in cost) return { kind: "per_call", price: cost.request };
  const { tiers: _tiers, ...base }: PerTokenPrice =
    listed?.kind === "per_token" ? listed : { kind: "per_token", ratio: "1", ...DEFAULT_RATIOS };
  const { input, output, cache_read: read, cache_write: write } = cost;
  return {
    ...base,
    ratio: ratioFromUsdPerMillion(input),
    completionRatio: ratioOfPrices(output, input),
    ...(read === undefined ? {} : { cacheRatio: ratioOfPrices(read, input) }),
    ...(write === undefined ? {} : { cacheCreationRatio: ratioOfPrices(write, input) }),
  };
}

interface Typed {
  listed: ModelPrice | undefined;
  price: ModelPrice;
}

/** One object for the same figures over the same list, so that charges find the price they compiled before. */
const typedPrices = new WeakMap<ModelCost, Typed>();

function rememberedPrice(cost: ModelCost, listed: ModelPrice | undefined): ModelPrice {
  const known = typedPrices.get(cost);
  if (known !== undefined && known.listed === listed) return known.price;
  const price = typedPrice(cost, listed);
  typedPrices.set(cost, { listed, price });
  return price;
}

/**
 * What a channel's upstream asks for `model`, by its own name there. `listed` is the price list's price of it. Undefined where it is
 * neither typed nor listed: the cost is unknown, which is not 0.
 */
export function upstreamPrice(
  { factor = "1", models = {} }: ChannelCosts,
  model: string,
  listed: ModelPrice | undefined,
): UpstreamPrice | undefined {
  const typed = Object.hasOwn(models, model) ? models[model] : undefined;
  if (typed !== undefined) return { price: rememberedPrice(typed, listed), factor: "1", origin: "typed" };
  return listed === undefined ? undefined : { price: listed, factor, origin: "list" };
}

/** The price with its factor taken in, for those who show it. */
export function wholePrice({ price, factor }: UpstreamPrice): ModelPrice {
  const times = (decimal: string): string => toExactText(productOf([decimal, factor]));
  if (price.kind === "per_call") return { ...price, price: times(price.price) };
  const tiers = price.tiers?.map((tier) => ({ ...tier, ratio: times(tier.ratio) }));
  return { ...price, ratio: times(price.ratio), ...(tiers === undefined ? {} : { tiers }) };
}
