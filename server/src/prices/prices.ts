/** The price of a model: the operator's tables over the data set over the fixed defaults. The snapshot calls it; results are memoised. */
import { isRatioText } from "../../../contract/src/money.ts";
import {
  DEFAULT_RATIOS,
  type ModelPrice,
  type PerTokenPrice,
  type TierRatios,
} from "../../../contract/src/pricing/pricing.ts";
import { listedPrice } from "./data-set.ts";
import { DEFAULT_CALL_PRICES, DEFAULT_RATIO_ROWS } from "./default-tables.ts";

type Table = ReadonlyMap<string, string>;

/** The operator's price options, each model name to decimal text. */
export interface PriceTables {
  modelPrice: Table;
  modelRatio: Table;
  completionRatio: Table;
  cacheRatio: Table;
  cacheCreationRatio: Table;
  imageRatio: Table;
  audioRatio: Table;
  audioCompletionRatio: Table;
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

/** Reads the price options. Throws as parseTable does. */
export function parsePriceTables(options: PriceOptions): PriceTables {
  return {
    modelPrice: parseTable(options.ModelPrice),
    modelRatio: parseTable(options.ModelRatio),
    completionRatio: parseTable(options.CompletionRatio),
    cacheRatio: parseTable(options.CacheRatio),
    cacheCreationRatio: parseTable(options.CacheCreationRatio),
    imageRatio: parseTable(options.ImageRatio),
    audioRatio: parseTable(options.AudioRatio),
    audioCompletionRatio: parseTable(options.AudioCompletionRatio),
  };
}

/** Gizmo models share one price each. */
function priceName(model: string): string {
  if (model.startsWith("gpt-4-gizmo")) return "gpt-4-gizmo-*";
  return model.startsWith("gpt-4o-gizmo") ? "gpt-4o-gizmo-*" : model;
}

function defaultPrice(name: string): ModelPrice | undefined {
  const fixed = DEFAULT_CALL_PRICES.get(name);
  if (fixed !== undefined) return { kind: "per_call", price: fixed };
  const row = DEFAULT_RATIO_ROWS.get(name);
  if (row === undefined) return listedPrice(name);
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

const defaults = new Map<string, ModelPrice | undefined>();
const resolved = new WeakMap<PriceTables, Map<string, ModelPrice | undefined>>();

const defaultPriceOf = (name: string): ModelPrice | undefined => remember(defaults, name, () => defaultPrice(name));

const perTokenDefaults = (name: string): PerTokenPrice | undefined => {
  const price = defaultPriceOf(name);
  return price?.kind === "per_token" ? price : undefined;
};

/** The operator's ratios over those of the base, the prompt's aside. */
function withTables<Ratios extends Omit<TierRatios, "ratio">>(base: Ratios, name: string, tables: PriceTables): Ratios {
  return {
    ...base,
    completionRatio: tables.completionRatio.get(name) ?? base.completionRatio,
    cacheRatio: tables.cacheRatio.get(name) ?? base.cacheRatio,
    cacheCreationRatio: tables.cacheCreationRatio.get(name) ?? base.cacheCreationRatio,
  };
}

/** Whoever sets a prompt ratio sets it for every length of context: the default's tiers go with the default's ratio. */
function perTokenPrice(name: string, tables: PriceTables): PerTokenPrice | undefined {
  const base = perTokenDefaults(name);
  const own = tables.modelRatio.get(name);
  const ratio = own ?? base?.ratio;
  if (ratio === undefined) return undefined;
  const { tiers, ...plain } = base ?? { kind: "per_token", ratio, ...DEFAULT_RATIOS };
  const price: PerTokenPrice = {
    ...withTables(plain, name, tables),
    kind: "per_token",
    ratio,
    imageRatio: tables.imageRatio.get(name) ?? plain.imageRatio,
    audioRatio: tables.audioRatio.get(name) ?? plain.audioRatio,
    audioCompletionRatio: tables.audioCompletionRatio.get(name) ?? plain.audioCompletionRatio,
  };
  return tiers === undefined || own !== undefined
    ? price
    : { ...price, tiers: tiers.map((tier) => withTables(tier, name, tables)) };
}

/** Whether the operator says anything of this name. */
const hasEntry = (name: string, tables: PriceTables): boolean => Object.values(tables).some((table) => table.has(name));

/** Whether the defaults know no price of the name beside that of the model: some end like a setting and are models of their own. */
const isPricedAlike = (name: string, model: string): boolean => {
  const byDefault = defaultPriceOf(name);
  return byDefault === undefined || JSON.stringify(byDefault) === JSON.stringify(defaultPriceOf(model));
};

/** The price under the whole name where it has one of its own; else, where its end is a setting, of the model itself. */
function findPrice(name: string, tables: PriceTables): ModelPrice | undefined {
  const model = name.replace(SETTING_SUFFIX, "");
  if (model === name || model === "") return ownPrice(name, tables);
  const isOwn = hasEntry(name, tables) || !isPricedAlike(name, model);
  return (isOwn ? ownPrice(name, tables) : undefined) ?? ownPrice(model, tables);
}

function ownPrice(name: string, tables: PriceTables): ModelPrice | undefined {
  const fixed = tables.modelPrice.get(name);
  if (fixed !== undefined) return { kind: "per_call", price: fixed };
  const byDefault = defaultPriceOf(name);
  const isFixed = byDefault?.kind === "per_call" && !tables.modelRatio.has(name);
  return isFixed ? byDefault : perTokenPrice(name, tables);
}

/**
 * The price of a model under the operator's tables: their fixed price, their ratio, the default; the other ratios of the same
 * order. The same object for the same tables and name. Undefined where nobody priced it: contract/pricing.ts UNPRICED_PRICE is
 * what self-use mode or the user's setting then accept.
 */
export function resolvePrice(model: string, tables: PriceTables): ModelPrice | undefined {
  let memory = resolved.get(tables);
  if (memory === undefined) resolved.set(tables, (memory = new Map()));
  const name = priceName(model);
  return remember(memory, name, () => findPrice(name, tables));
}
