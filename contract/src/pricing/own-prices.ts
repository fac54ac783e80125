/** The operator's own model prices: the options that hold them, and the entries of one model in all of them. */
import { z } from "zod";
import type { OptionName, OptionValues } from "../options/options.ts";
import { DEFAULT_RATIOS, type ModelPrice, type PerTokenPrice, type PriceTier, type TierRatios } from "./pricing.ts";
import { defaultToolPrice, type ToolPrice, type ToolPrices, toolPricesText } from "./tool-prices.ts";
import { CHARGED_TOOLS } from "./usage.ts";

/** Options that map a model to one decimal: fixed price in USD, prompt ratio, and the ratios to it. */
export const OWN_RATIO_OPTIONS = [
  "ModelPrice",
  "ModelRatio",
  "CompletionRatio",
  "CacheRatio",
  "CacheCreationRatio",
  "ImageRatio",
  "AudioRatio",
  "AudioCompletionRatio",
] as const satisfies readonly OptionName[];
export type OwnRatioOption = (typeof OWN_RATIO_OPTIONS)[number];

/** All options that hold own prices of models; an entry of a model stands over the price list. */
export const OWN_PRICE_OPTIONS = [...OWN_RATIO_OPTIONS, "ContextTiers"] as const satisfies readonly OptionName[];

/** Options whose change gives the same call another price. */
export const PRICE_OPTIONS = [
  ...OWN_PRICE_OPTIONS,
  "ToolPrices",
  "PremiumRatios",
  "GroupRatio",
  "GroupGroupRatio",
  "QuotaPerUnit",
] as const satisfies readonly OptionName[];

/** No real ratio or price is higher; the options refuse it too. */
const MAX_DECIMAL = 1_000_000;
/** More tiers than any vendor has. */
const MAX_TIERS = 8;

/** Plain digits: it is written into JSON tables as it is. */
const typedDecimal = z
  .string()
  .regex(/^\d{1,12}(?:\.\d{1,20})?$/, "Please enter a number of at least 0")
  .refine((text) => Number(text) <= MAX_DECIMAL, `The largest value is ${MAX_DECIMAL}`);
/** As it was stored by whatever way, such as more digits than a form takes. */
const storedDecimal = z.string();

const typedBound = z.string().regex(/^[1-9]\d{0,8}$/, "Please enter a whole number of tokens from 1 to 999999999");

/** A price of a tool: USD per 1,000 calls, one for all or one for each size. */
const toolPriceOf = (decimal: z.ZodType<string, string>) =>
  z.union([decimal, z.strictObject({ low: decimal, medium: decimal, high: decimal })]);

const tiersOf = (decimal: z.ZodType<string, string>, above: z.ZodType<string, string>) =>
  z.array(z.strictObject({ above, ratio: decimal, completion: decimal, cache: decimal, cache_creation: decimal }));

/** The shape of a model's own entries, over the schema of their decimals and tiers. */
const ownPriceOfParts = <Tiers extends z.ZodType>(decimal: z.ZodType<string, string>, tiers: Tiers) =>
  z.strictObject({
    ratios: z.partialRecord(z.enum(OWN_RATIO_OPTIONS), decimal),
    /** Of long contexts; the option ContextTiers. */
    tiers: tiers.optional(),
    tools: z.partialRecord(z.enum(CHARGED_TOOLS), toolPriceOf(decimal)),
  });

/**
 * What the operator's tables say of one model, as decimal texts; what they do not say is absent. The names are those of the options:
 * ModelPrice is USD a call, the others are ratios. `tools` are the entries of ToolPrices under exactly this name.
 */
export const storedOwnPrice = ownPriceOfParts(storedDecimal, tiersOf(storedDecimal, z.string()));
export type OwnPrice = z.output<typeof storedOwnPrice>;

/** The same to be stored. */
export const typedOwnPrice = ownPriceOfParts(
  typedDecimal,
  tiersOf(typedDecimal, typedBound)
    .min(1)
    .max(MAX_TIERS)
    .refine((tiers) => new Set(tiers.map(({ above }) => above)).size === tiers.length, "Each bound may stand once"),
);

/** JSON of names to decimals, each as it was written. */
export const decimalMapText = (map: Readonly<Record<string, string>>): string => {
  const lines = Object.entries(map).map(([model, decimal]) => `  ${JSON.stringify(model)}: ${decimal}`);
  return lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n}`;
};

type ContextTiers = OptionValues["ContextTiers"];

const tierText = (tier: ContextTiers[string][number]): string =>
  `{ "above": ${tier.above}, "ratio": ${tier.ratio}, "completion": ${tier.completion}, "cache": ${tier.cache}, "cache_creation": ${tier.cache_creation} }`;

const contextTiersText = (tiers: ContextTiers): string =>
  decimalMapText(
    Object.fromEntries(
      Object.entries(tiers).map(([model, list]) => [model, `[\n    ${list.map(tierText).join(",\n    ")}\n  ]`]),
    ),
  );

/** Texts of the options that hold own prices, with every decimal as it was written. */
export const ownPriceTexts = (values: OwnPriceTables): ReadonlyMap<OptionName, string> =>
  new Map<OptionName, string>([
    ...OWN_RATIO_OPTIONS.map((name) => [name, decimalMapText(values[name])] as const),
    ["ContextTiers", contextTiersText(values.ContextTiers)],
    ["ToolPrices", toolPricesText(values.ToolPrices)],
  ]);

/** The options that hold what the operator says of single models. */
export type OwnPriceTables = Pick<OptionValues, (typeof OWN_PRICE_OPTIONS)[number] | "ToolPrices">;

const isSameToolPrice = (a: ToolPrice | undefined, b: ToolPrice | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

/** What the tables say of one model; entries of ToolPrices that are the vendors' own do not count. */
export function ownPriceOf(values: OwnPriceTables, model: string): OwnPrice {
  const ratios = OWN_RATIO_OPTIONS.flatMap((name) => {
    const decimal = values[name][model];
    return decimal === undefined ? [] : [[name, decimal] as const];
  });
  const tools = CHARGED_TOOLS.flatMap((tool) => {
    const price = values.ToolPrices[tool][model];
    return price === undefined || isSameToolPrice(price, defaultToolPrice(tool, model)) ? [] : [[tool, price] as const];
  });
  const tiers = values.ContextTiers[model];
  return {
    ratios: Object.fromEntries(ratios),
    ...(tiers === undefined ? {} : { tiers: [...tiers] }),
    tools: Object.fromEntries(tools),
  };
}

/** Whether two models' own entries say the same, whatever their order. */
export const isSameOwnPrice = (a: OwnPrice, b: OwnPrice): boolean =>
  OWN_RATIO_OPTIONS.every((name) => a.ratios[name] === b.ratios[name]) &&
  CHARGED_TOOLS.every((tool) => isSameToolPrice(a.tools[tool], b.tools[tool])) &&
  isSameTiers(a.tiers, b.tiers);

const tierKey = (tier: ContextTiers[string][number]): string => tierText(tier);
const isSameTiers = (a: OwnPrice["tiers"] = [], b: OwnPrice["tiers"] = []): boolean =>
  a.length === b.length && a.every((tier, index) => tierKey(tier) === tierKey(b[index] ?? tier));

/** One table with entries set, or taken out where there is none; it has no prototype, so that no model name can collide with one. */
function withEntries<Value>(
  map: Readonly<Record<string, Value>>,
  entries: Iterable<readonly [string, Value | undefined]>,
): Readonly<Record<string, Value>> {
  const copy = Object.assign(Object.create(null) as Record<string, Value>, map);
  for (const [model, value] of entries) {
    if (value === undefined) delete copy[model];
    else copy[model] = value;
  }
  return copy;
}

/** The tables with the own entries of these models replaced. */
export function withOwnPrices(values: OwnPriceTables, own: ReadonlyMap<string, OwnPrice>): OwnPriceTables {
  const entriesOf = <Value>(read: (price: OwnPrice, model: string) => Value) =>
    [...own].map(([model, price]) => [model, read(price, model)] as const);
  const ratios = OWN_RATIO_OPTIONS.map(
    (name) =>
      [
        name,
        withEntries(
          values[name],
          entriesOf(({ ratios: each }) => each[name]),
        ),
      ] as const,
  );
  const tools = CHARGED_TOOLS.map(
    (tool) =>
      [
        tool,
        withEntries(
          values.ToolPrices[tool],
          entriesOf(({ tools: each }, model) => each[tool] ?? defaultToolPrice(tool, model)),
        ),
      ] as const,
  );
  return {
    ...(Object.fromEntries(ratios) as Pick<OptionValues, OwnRatioOption>),
    ContextTiers: withEntries(
      values.ContextTiers,
      entriesOf(({ tiers }) => tiers),
    ),
    ToolPrices: Object.fromEntries(tools) as ToolPrices,
  };
}

/** Whether a name in ToolPrices is one model's: `*` stands for many, and after a blank follows the variant of a tool. */
const isModelName = (name: string): boolean => !/[* ]/.test(name);

/** Models of which the tables say anything. */
export const modelsWithOwnPrice = (values: OwnPriceTables): ReadonlySet<string> =>
  new Set([
    ...OWN_PRICE_OPTIONS.flatMap((name) => Object.keys(values[name])),
    ...CHARGED_TOOLS.flatMap((tool) =>
      Object.entries(values.ToolPrices[tool]).flatMap(([name, price]) =>
        isModelName(name) && !isSameToolPrice(price, defaultToolPrice(tool, name)) ? [name] : [],
      ),
    ),
  ]);

/** No own entries at all, which is the price list's price. */
export const NO_OWN_PRICE: OwnPrice = Object.freeze({ ratios: Object.freeze({}), tools: Object.freeze({}) });

export const hasOwnPrice = (own: OwnPrice): boolean => !isSameOwnPrice(own, NO_OWN_PRICE);

/** The tables without what they say of single models; patterns of ToolPrices stay. */
export const withoutOwnPrices = (values: OwnPriceTables): OwnPriceTables =>
  withOwnPrices(values, new Map([...modelsWithOwnPrice(values)].map((model) => [model, NO_OWN_PRICE])));

/** Own entries as charges read them: decimal texts by the names of a price, and the tiers in ascending order. */
export type OwnEntries = {
  [Name in keyof Omit<PerTokenPrice, "kind" | "imageOutputRatio">]?: PerTokenPrice[Name] | undefined;
} & {
  /** USD a call. */
  price?: string | undefined;
};

/** Ascending tiers from the entries of ContextTiers. */
export const priceTiersOf = (tiers: ContextTiers[string]): readonly PriceTier[] =>
  tiers
    .map(({ above, ratio, completion, cache, cache_creation }) => ({
      aboveInputTokens: Number(above),
      ratio,
      completionRatio: completion,
      cacheRatio: cache,
      cacheCreationRatio: cache_creation,
    }))
    .toSorted((a, b) => a.aboveInputTokens - b.aboveInputTokens);

/** A model's own entries as charges read them. */
export const ownEntriesOf = ({ ratios, tiers }: OwnPrice): OwnEntries => ({
  price: ratios.ModelPrice,
  ratio: ratios.ModelRatio,
  completionRatio: ratios.CompletionRatio,
  cacheRatio: ratios.CacheRatio,
  cacheCreationRatio: ratios.CacheCreationRatio,
  imageRatio: ratios.ImageRatio,
  audioRatio: ratios.AudioRatio,
  audioCompletionRatio: ratios.AudioCompletionRatio,
  tiers: tiers === undefined ? undefined : priceTiersOf(tiers),
});

/** The own ratios that hold in every tier over those of the base. */
const withTierRatios = <Ratios extends Omit<TierRatios, "ratio">>(base: Ratios, own: OwnEntries): Ratios => ({
  ...base,
  completionRatio: own.completionRatio ?? base.completionRatio,
  cacheRatio: own.cacheRatio ?? base.cacheRatio,
  cacheCreationRatio: own.cacheCreationRatio ?? base.cacheCreationRatio,
});

/**
 * The price of a model under its own entries; `base` is what holds without them. A fixed price wins. Who sets a prompt ratio sets it
 * for every length of context: the base's tiers go with the base's ratio, while own tiers stand beside either. The base itself where the
 * entries say nothing; undefined if the model has no price.
 */
export function priceUnderOwn(base: ModelPrice | undefined, own: OwnEntries): ModelPrice | undefined {
  if (own.price !== undefined) return { kind: "per_call", price: own.price };
  if (Object.values(own).every((value) => value === undefined)) return base;
  if (base?.kind === "per_call" && own.ratio === undefined) return base;
  const tokens = base?.kind === "per_token" ? base : undefined;
  const ratio = own.ratio ?? tokens?.ratio;
  if (ratio === undefined) return undefined;
  const { tiers, ...plain } = tokens ?? { kind: "per_token" as const, ratio, ...DEFAULT_RATIOS };
  const price: PerTokenPrice = {
    ...withTierRatios(plain, own),
    ratio,
    imageRatio: own.imageRatio ?? plain.imageRatio,
    audioRatio: own.audioRatio ?? plain.audioRatio,
    audioCompletionRatio: own.audioCompletionRatio ?? plain.audioCompletionRatio,
  };
  if (own.tiers !== undefined) return { ...price, tiers: own.tiers };
  if (tiers === undefined || own.ratio !== undefined) return price;
  return { ...price, tiers: tiers.map((tier) => withTierRatios(tier, own)) };
}
