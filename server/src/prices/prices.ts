/** The price of a model: the operator's tables over the price list over the fixed defaults. The snapshot calls it; results are memoised. */
import { isRatioText } from "../../../contract/src/money.ts";
import type { OptionValues } from "../../../contract/src/options/options.ts";
import { type OwnEntries, priceTiersOf, priceUnderOwn } from "../../../contract/src/pricing/own-prices.ts";
import { DEFAULT_RATIOS, type ModelPrice, type PriceTier } from "../../../contract/src/pricing/pricing.ts";
import { listedPrice } from "./data-set.ts";
import { DEFAULT_CALL_PRICES, DEFAULT_RATIO_ROWS } from "./default-tables.ts";
import type { PriceList } from "./listed-models.ts";
import { listInForce } from "./shipped-list.ts";

type Table = ReadonlyMap<string, string>;
type TierTable = ReadonlyMap<string, readonly PriceTier[]>;

/** The operator's price options, each model name to decimal text, and the list beneath them. */
export interface PriceTables extends OwnTables {
  /** What is in force where the operator says nothing. */
  list: () => PriceList;
}

interface OwnTables {
  modelPrice: Table;
  modelRatio: Table;
  completionRatio: Table;
  cacheRatio: Table;
  cacheCreationRatio: Table;
  imageRatio: Table;
  audioRatio: Table;
  audioCompletionRatio: Table;
  contextTiers: TierTable;
}

/** An option's value: JSON text as it is stored, or the parsed object. */
export type TableSource = string | Readonly<Record<string, number | string>> | undefined;

/** The options by their wire names; absent ones are empty tables. */
export interface PriceOptions {
  ModelPrice?: TableSource;
  ModelRatio?: TableSource;
  CompletionRatio?: TableSource;
  CacheRatio?: TableSource;
  CacheCreationRatio?: TableSource;
  ImageRatio?: TableSource;
  AudioRatio?: TableSource;
  AudioCompletionRatio?: TableSource;
  ContextTiers?: OptionValues["ContextTiers"];
}

interface ReviverContext {
  source?: string;
}

/** Keeps numbers as the digits the operator typed: 0.1 stays "0.1" and never passes through binary. */
const keepDigits = (_key: string, value: unknown, context?: ReviverContext): unknown =>
  typeof value === "number" ? (context?.source ?? String(value)) : value;

/** Reads one option. Throws a RangeError naming the first model whose value is no decimal of at least 0. */
function parseTable(source: TableSource): Table {
  if (source === undefined || source === "") return new Map();
  const parsed: unknown = typeof source === "string" ? JSON.parse(source, keepDigits) : source;
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new RangeError("a price table is a JSON object");
  const table = new Map<string, string>();
  for (const [model, value] of Object.entries(parsed)) {
    const text = String(value);
    if (!isRatioText(text)) throw new RangeError(`${model}: a price or ratio is a number of at least 0`);
    table.set(model, text);
  }
  return table;
}

/**
 * Reads the price options. Throws as parseTable does.
 * @param list the price list beneath them, asked with every price; the one in force in this process where none is given
 */
export function parsePriceTables(options: PriceOptions, list: () => PriceList = listInForce): PriceTables {
  return {
    list,
    modelPrice: parseTable(options.ModelPrice),
    modelRatio: parseTable(options.ModelRatio),
    completionRatio: parseTable(options.CompletionRatio),
    cacheRatio: parseTable(options.CacheRatio),
    cacheCreationRatio: parseTable(options.CacheCreationRatio),
    imageRatio: parseTable(options.ImageRatio),
    audioRatio: parseTable(options.AudioRatio),
    audioCompletionRatio: parseTable(options.AudioCompletionRatio),
    contextTiers: tierTable(options.ContextTiers),
  };
}

const tierTable = (tiersByModel: PriceOptions["ContextTiers"] = {}): TierTable =>
  new Map(Object.entries(tiersByModel).map(([model, tiers]) => [model, priceTiersOf(tiers)]));

/** No own prices at all: what resolvePrice gives under these is the price of the list in force. */
export const NO_TABLES: PriceTables = parsePriceTables({});

function defaultPrice(list: PriceList, name: string): ModelPrice | undefined {
  const fixed = DEFAULT_CALL_PRICES.get(name);
  if (fixed !== undefined) return { kind: "per_call", price: fixed };
  const row = DEFAULT_RATIO_ROWS.get(name);
  if (row === undefined) return listedPrice(list, name);
  return {
    kind: "per_token",
    ...DEFAULT_RATIOS,
    ratio: row.ratio,
    completionRatio: row.completionRatio ?? DEFAULT_RATIOS.completionRatio,
    cacheRatio: row.cacheRatio ?? DEFAULT_RATIOS.cacheRatio,
  };
}

/** Suffixes that stand for settings of the model before them: it costs the same. */
const SETTING_SUFFIX = /-(?:(?:no)?thinking(?:-\d{1,6})?|none|minimal|low|medium|high|xhigh)$/;

/** Names come from callers, so the memory of them is bounded; beyond it they are looked up afresh. */
const MAX_REMEMBERED = 10_000;

function remember<Value>(memory: Map<string, Value>, name: string, find: () => Value): Value {
  const known = memory.get(name);
  if (known !== undefined || memory.has(name)) return known as Value;
  if (memory.size >= MAX_REMEMBERED) memory.clear();
  const found = find();
  memory.set(name, found);
  return found;
}

type Memory = Map<string, ModelPrice | undefined>;

/** By list, so that under another list nothing is found of the one before. */
const defaults = new WeakMap<PriceList, Memory>();
const resolved = new WeakMap<PriceTables, WeakMap<PriceList, Memory>>();

/** What the memory has for the key, made where it has nothing yet. */
function kept<Key extends object, Value>(memory: WeakMap<Key, Value>, key: Key, make: () => Value): Value {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const made = make();
  memory.set(key, made);
  return made;
}

const newMemory = (): Memory => new Map();

function defaultPriceOf(name: string, tables: PriceTables): ModelPrice | undefined {
  const list = tables.list();
  return remember(kept(defaults, list, newMemory), name, () => defaultPrice(list, name));
}

/** Gizmo models share one price each. */
const SHARED = ["gpt-4-gizmo-*", "gpt-4o-gizmo-*"];

/** The name whose price holds for a model that has none of its own: that of all gizmos, or of the model before a setting. */
function nameBehind(name: string): string | undefined {
  const shared = SHARED.find((pattern) => name.startsWith(pattern.slice(0, -2)));
  if (shared !== undefined) return shared === name ? undefined : shared;
  const model = name.replace(SETTING_SUFFIX, "");
  return model === name || model === "" ? undefined : model;
}

/** Whether the defaults know no price of the name beside that of the model: some end like a setting and are models of their own. */
const isPricedAlike = (name: string, model: string, tables: PriceTables): boolean => {
  const byDefault = defaultPriceOf(name, tables);
  return byDefault === undefined || JSON.stringify(byDefault) === JSON.stringify(defaultPriceOf(model, tables));
};

/** What the tables say of exactly this name. */
const entriesOf = (name: string, tables: PriceTables): OwnEntries => ({
  price: tables.modelPrice.get(name),
  ratio: tables.modelRatio.get(name),
  completionRatio: tables.completionRatio.get(name),
  cacheRatio: tables.cacheRatio.get(name),
  cacheCreationRatio: tables.cacheCreationRatio.get(name),
  imageRatio: tables.imageRatio.get(name),
  audioRatio: tables.audioRatio.get(name),
  audioCompletionRatio: tables.audioCompletionRatio.get(name),
  tiers: tables.contextTiers.get(name),
});

/**
 * What a model costs where the operator says nothing of exactly its name: the price by default or, where its end is a setting, that of
 * the model before it, the operator's own included.
 */
export function basePrice(name: string, tables: PriceTables): ModelPrice | undefined {
  const behind = nameBehind(name);
  if (behind === undefined || !isPricedAlike(name, behind, tables)) return defaultPriceOf(name, tables);
  return priceUnderOwn(defaultPriceOf(behind, tables), entriesOf(behind, tables));
}

const findPrice = (name: string, tables: PriceTables): ModelPrice | undefined =>
  priceUnderOwn(basePrice(name, tables), entriesOf(name, tables));

/**
 * The price of a model under the operator's tables: their fixed price, their ratio, the default; the other ratios of the same
 * order. The same object for the same tables and name. Undefined for an unpriced model: contract/pricing.ts UNPRICED_PRICE is
 * what self-use mode or the user's setting then accept.
 */
export function resolvePrice(model: string, tables: PriceTables): ModelPrice | undefined {
  const ofTables = kept(resolved, tables, () => new WeakMap<PriceList, Memory>());
  return remember(kept(ofTables, tables.list(), newMemory), model, () => findPrice(model, tables));
}

/** The name whose rule prices a model: its own, or that of the model behind it that the list does not price apart. */
export function listedName(model: string, tables: PriceTables): string {
  const behind = nameBehind(model);
  const isBehind = behind !== undefined && isPricedAlike(model, behind, tables);
  return isBehind && defaultPriceOf(behind, tables) !== undefined ? behind : model;
}

/** Whether the product itself prices a model beside the list: no rule of a list changes that. */
export const hasFixedDefault = (name: string): boolean => DEFAULT_CALL_PRICES.has(name) || DEFAULT_RATIO_ROWS.has(name);
