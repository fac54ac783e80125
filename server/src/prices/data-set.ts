/** Converts a price list's USD for 1M tokens to exact ratios, one set for each context tier. Nothing is fetched. */
import { toExactText } from "../../../contract/src/money.ts";
import { ratioFromUsdPerMillion, ratioOfPrices } from "../../../contract/src/pricing/price-display.ts";
import {
  DEFAULT_RATIOS,
  type PerTokenPrice,
  type PriceTier,
  type TierRatios,
  productOf,
} from "../../../contract/src/pricing/pricing.ts";
import { AUDIO_RATIOS_BY_NAME, LISTED_AS } from "./default-tables.ts";
import {
  type ConditionalUsd,
  findRule,
  type FoundRule,
  type ListedRule,
  type PriceList,
  PROVIDERS_IN_ORDER,
  type TieredUsd,
  type UsdPrices,
} from "./listed-models.ts";

/** USD in force above so many input tokens; -1 for the base tier. Undefined where the list has no such price. */
function usdAbove(value: number | TieredUsd | undefined, bound: number): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number") return String(value);
  const reached = value.tiers.filter(({ start }) => start <= bound).toSorted((a, b) => b.start - a.start);
  return String(reached[0]?.price ?? value.base);
}

const baseUsd = (value: number | TieredUsd | undefined): string | undefined => usdAbove(value, -1);

/**
 * One price of a model that changes with date or hour: the newest that has no hours, or the dearest hour of the day where there
 * are hours, so that the same tables always give the same charge and the operator never loses.
 */
function timelessPrice(prices: ListedRule["prices"]): UsdPrices {
  if (!isConditional(prices)) return prices;
  const hourly = prices.filter((entry) => entry.constraint?.type === "time_of_date");
  const candidates = hourly.length > 0 ? hourly : prices.slice(-1);
  const inputOf = (price: UsdPrices): number => Number(baseUsd(price["input_mtok"]) ?? 0);
  return candidates.map((entry) => entry.prices).reduce((most, own) => (inputOf(own) > inputOf(most) ? own : most), {});
}

const isConditional = (prices: ListedRule["prices"]): prices is readonly ConditionalUsd[] => Array.isArray(prices);

interface AudioRatios {
  audioRatio: string;
  audioCompletionRatio: string;
}

/** Sound as the list prices it, else as models of that name are priced, else as words: speech models list what they say as their output. */
function audioRatiosOf(model: string, listed: UsdPrices, input: string): AudioRatios {
  const [heard, spoken] = [baseUsd(listed["input_audio_mtok"]), baseUsd(listed["output_audio_mtok"])];
  const byName = AUDIO_RATIOS_BY_NAME.find(({ parts }) => parts.every((part) => model.includes(part)));
  const audioRatio = heard === undefined ? (byName?.ratio ?? "1") : ratioOfPrices(heard, input);
  const said = spoken ?? (byName === undefined ? baseUsd(listed["output_mtok"]) : undefined);
  const base = heard ?? toExactText(productOf([input, audioRatio]));
  return { audioRatio, audioCompletionRatio: relativeTo(base, said, DEFAULT_RATIOS.audioCompletionRatio) };
}

const relativeTo = (base: string, usd: string | undefined, otherwise: string): string =>
  usd === undefined ? otherwise : ratioOfPrices(usd, base);

/** Prices of the list that a tier may change. */
const TIERED_PRICES = ["input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok"] as const;

/** The ratios of one tier; undefined where it has no prompt price, or only the answer costs: ratios cannot say that. */
function tierRatios(listed: UsdPrices, bound: number): TierRatios | undefined {
  const [input, output, cacheRead, cacheWrite] = TIERED_PRICES.map((name) => usdAbove(listed[name], bound));
  if (input === undefined || (Number(input) === 0 && Number(output ?? 0) > 0)) return undefined;
  return {
    ratio: ratioFromUsdPerMillion(input),
    completionRatio: relativeTo(input, output, "1"),
    cacheRatio: relativeTo(input, cacheRead, "1"),
    cacheCreationRatio: relativeTo(input, cacheWrite, "1"),
  };
}

/** A bound of the list is the largest input that the tier below it has: `start` tokens are not above `start`. */
function tiersOf(listed: UsdPrices): PriceTier[] {
  const starts = TIERED_PRICES.flatMap((name) => {
    const value = listed[name];
    return typeof value === "object" ? value.tiers.map(({ start }) => start) : [];
  });
  return [...new Set(starts)]
    .toSorted((a, b) => a - b)
    .flatMap((aboveInputTokens) => {
      const ratios = tierRatios(listed, aboveInputTokens);
      return ratios === undefined ? [] : [{ aboveInputTokens, ...ratios }];
    });
}

/** Parts that only some models price apart. */
function optionalParts(listed: UsdPrices, input: string): Partial<PerTokenPrice> {
  const drawn = baseUsd(listed["output_image_mtok"]);
  const tiers = tiersOf(listed);
  return {
    ...(drawn === undefined ? {} : { imageOutputRatio: ratioOfPrices(drawn, input) }),
    ...(tiers.length === 0 ? {} : { tiers }),
  };
}

/** Undefined where the listed price has no prompt price. */
function toRatios(model: string, listed: UsdPrices): PerTokenPrice | undefined {
  const ratios = tierRatios(listed, -1);
  const input = baseUsd(listed["input_mtok"]);
  if (ratios === undefined || input === undefined) return undefined;
  return {
    kind: "per_token",
    ...ratios,
    imageRatio: relativeTo(input, baseUsd(listed["input_image_mtok"]), "1"),
    ...audioRatiosOf(model, listed, input),
    ...optionalParts(listed, input),
  };
}

/** The price of a rule for the models that it fits; undefined where it has no price of input tokens. */
export const priceOfRule = (model: string, { prices }: ListedRule): PerTokenPrice | undefined =>
  toRatios(model, timelessPrice(prices));

/** Every rule of the list for a model, that of its maker before those of resellers. */
export function rulesFor(list: PriceList, model: string): FoundRule[] {
  const name = LISTED_AS.get(model) ?? model;
  return PROVIDERS_IN_ORDER.flatMap((provider) => findRule(list, provider, name) ?? []);
}

/** A rule and the price that it gives the model. */
export interface PricedRule extends FoundRule {
  price: PerTokenPrice;
}

/** The rule by which a model is priced: its maker's, or else a reseller's; undefined if no provider lists it. */
export function pricingRule(list: PriceList, model: string): PricedRule | undefined {
  const name = LISTED_AS.get(model) ?? model;
  for (const provider of PROVIDERS_IN_ORDER) {
    const found = findRule(list, provider, name);
    const price = found && priceOfRule(name, found.rule);
    if (found !== undefined && price !== undefined) return { ...found, price };
  }
  return undefined;
}

/** The price of a model in the list; undefined where it has none. */
export const listedPrice = (list: PriceList, model: string): PerTokenPrice | undefined =>
  pricingRule(list, model)?.price;
