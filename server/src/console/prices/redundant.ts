/** Finds own price entries that equal the price list: without them calls cost the same, and follow the list from then on. */
import type { OptionValues } from "../../../../contract/src/options/options.ts";
import {
  OWN_PRICE_OPTIONS,
  OWN_RATIO_OPTIONS,
  type OwnRatioOption,
  ownPriceTexts,
} from "../../../../contract/src/pricing/own-prices.ts";
import type { ModelPrice } from "../../../../contract/src/pricing/pricing.ts";
import type { PriceTable } from "../../../../contract/src/pricing/table-changes.ts";
import { NO_TABLES, parsePriceTables, type PriceTables, resolvePrice } from "../../prices/prices.ts";

type OwnOption = (typeof OWN_PRICE_OPTIONS)[number];

const TABLES = {
  ModelPrice: "modelPrice",
  ModelRatio: "modelRatio",
  CompletionRatio: "completionRatio",
  CacheRatio: "cacheRatio",
  CacheCreationRatio: "cacheCreationRatio",
  ImageRatio: "imageRatio",
  AudioRatio: "audioRatio",
  AudioCompletionRatio: "audioCompletionRatio",
  ContextTiers: "contextTiers",
} as const satisfies Record<OwnOption, keyof PriceTables>;

const RATIOS = {
  ModelRatio: "ratio",
  CompletionRatio: "completionRatio",
  CacheRatio: "cacheRatio",
  CacheCreationRatio: "cacheCreationRatio",
  ImageRatio: "imageRatio",
  AudioRatio: "audioRatio",
  AudioCompletionRatio: "audioCompletionRatio",
} as const satisfies Record<Exclude<OwnRatioOption, "ModelPrice">, string>;

/** What the list says where an entry of this table would stand, as JSON text. */
function listedValue(option: OwnOption, listed: ModelPrice): string | undefined {
  if (listed.kind === "per_call") return option === "ModelPrice" ? JSON.stringify(listed.price) : undefined;
  if (option === "ModelPrice") return undefined;
  return JSON.stringify(option === "ContextTiers" ? listed.tiers : listed[RATIOS[option]]);
}

const priceText = (model: string, tables: PriceTables): string =>
  JSON.stringify(resolvePrice(model, { ...tables })) ?? "";

/**
 * Takes out, one after the other, the entries of the given options that equal the list and without which their model costs the same: an
 * own ratio also sets the list's context tiers aside, so it may not go where there are any.
 */
function redundantEntries(after: OptionValues, options: readonly OwnOption[]): Map<OwnOption, Set<string>> {
  const tables = parsePriceTables(after);
  const redundant = new Map<OwnOption, Set<string>>();
  for (const option of options) {
    const table = tables[TABLES[option]] as Map<string, unknown>;
    const found = new Set<string>();
    const entries = [...table];
    for (const [model, value] of entries) {
      const listed = resolvePrice(model, NO_TABLES);
      if (listed === undefined || listedValue(option, listed) !== JSON.stringify(value)) continue;
      const cost = priceText(model, tables);
      table.delete(model);
      if (priceText(model, tables) === cost) found.add(model);
      else table.set(model, value);
    }
    if (found.size > 0) redundant.set(option, found);
  }
  return redundant;
}

const isOwnOption = (key: PriceTable): key is OwnOption => (OWN_PRICE_OPTIONS as readonly string[]).includes(key);

/** How many entries of the given tables the list makes redundant, and the texts of those tables without them. */
export function leanTables(after: OptionValues, keys: readonly PriceTable[]) {
  // Ratios before the tiers that may stand in their place.
  const options = OWN_PRICE_OPTIONS.filter((option) => keys.some((key) => isOwnOption(key) && key === option));
  const redundant = redundantEntries(after, options);
  const kept = <Value>(option: OwnOption, map: Readonly<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(map).filter(([model]) => redundant.get(option)?.has(model) !== true));
  const ratios = OWN_RATIO_OPTIONS.map((option) => [option, kept(option, after[option])] as const);
  const lean: OptionValues = {
    ...after,
    ...(Object.fromEntries(ratios) as Partial<OptionValues>),
    ContextTiers: kept("ContextTiers", after.ContextTiers),
  };
  const texts = ownPriceTexts(lean);
  return {
    redundant_count: [...redundant.values()].reduce((sum, models) => sum + models.size, 0),
    lean: [...redundant.keys()].map((key) => ({ key, value: texts.get(key) ?? "{}" })),
  };
}
