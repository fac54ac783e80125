/** Reads the prices that another site of the API family publishes, and compares them with a price here. Pure. */
import { isSameNumber } from "../../../contract/src/family/ratio-sync.ts";
import { hasUnseen } from "../../../contract/src/names.ts";
import type { OwnPrice } from "../../../contract/src/pricing/own-prices.ts";
import { decimalTextOf, ratioOfPrices } from "../../../contract/src/pricing/price-display.ts";
import { SITE_PRICE_FIELDS, type SitePrice, type SitePriceField } from "../../../contract/src/pricing/site-prices.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface SitePrices {
  prices: ReadonlyMap<string, SitePrice>;
  /** Entries that are no price, or under a name that no model can have. */
  refused: number;
}

/** Models read of one site; more than any has. */
const MOST_MODELS = 5_000;
const NAME_LENGTH = 128;
/** No real ratio or price is higher; the options refuse it too. */
const MOST = 1_000_000;
/** USD a call of one unit of one-hub's prices by call, which are ratios of $0.002. */
const ONE_HUB_USD = 0.002;

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isModelName = (name: unknown): name is string =>
  typeof name === "string" && name !== "" && name.length <= NAME_LENGTH && name !== "__proto__" && !hasUnseen(name);

/** A number of JSON as decimal text; undefined for what is no price: NaN, negative, beyond all prices, or too small to be written. */
function decimalOf(value: unknown): string | undefined {
  if (typeof value !== "number" || !(value >= 0) || value > MOST) return undefined;
  const text = decimalTextOf(value);
  return value > 0 && Number(text) === 0 ? undefined : text;
}

const FIELDS = Object.keys(SITE_PRICE_FIELDS) as SitePriceField[];

/** Prices by model, and how many entries were refused. */
function createReading() {
  const prices = new Map<string, SitePrice>();
  let refused = 0;
  return {
    /** Fields that are absent say nothing; one that is no price takes the model's whole entry with it. */
    add(model: unknown, values: Fields): void {
      const known = FIELDS.filter((field) => values[field] !== undefined && values[field] !== null);
      const read = known.map((field) => [field, decimalOf(values[field])] as const);
      if (!isModelName(model) || read.some(([, text]) => text === undefined)) {
        refused += 1;
        return;
      }
      if (read.length > 0 && (prices.size < MOST_MODELS || prices.has(model)))
        prices.set(model, Object.fromEntries(read) as SitePrice);
    },
    done: (): SitePrices => ({ prices, refused }),
  };
}

type Reading = ReturnType<typeof createReading>;

/** `/api/ratio_config`: a map from models to numbers for each field. A price by call stands over ratios of the same model. */
function readTables(data: Fields, reading: Reading): void {
  const tables = FIELDS.map((field) => [field, isObject(data[field]) ? data[field] : {}] as const);
  const models = new Set(tables.flatMap(([, table]) => Object.keys(table)));
  for (const model of models) {
    const values = Object.fromEntries(
      tables.flatMap(([field, table]) => (Object.hasOwn(table, model) ? [[field, table[model]]] : [])),
    );
    const { model_price: fixed } = values;
    reading.add(model, fixed === undefined ? values : { model_price: fixed });
  }
}

/** An entry of `/api/pricing` of new-api and of this program: `quota_type` 1 is a price by call. */
function readEntry(entry: Fields, reading: Reading): void {
  if (entry["has_price"] === false) return;
  const { model_price, ...ratios } = entry;
  reading.add(entry["model_name"], entry["quota_type"] === 1 ? { model_price } : ratios);
}

const EXTRA_RATIOS = [
  ["cached_read_tokens", "cache_ratio"],
  ["cached_tokens", "cache_ratio"],
  ["cached_write_tokens", "create_cache_ratio"],
] as const;

/** An entry of one-hub's `/api/prices`: input and output are ratios of $0.002 for 1,000 tokens, by call (`times`) of $0.002. */
function readHubEntry({ model, type, input, output, extra_ratios }: Fields, reading: Reading): void {
  const [base, answer] = [decimalOf(input), decimalOf(output)];
  if (base === undefined || (type !== "times" && answer === undefined)) return reading.add(model, { model_ratio: -1 });
  if (type === "times") return reading.add(model, { model_price: Number((Number(base) * ONE_HUB_USD).toFixed(12)) });
  // Output that costs something while input is free cannot be said by a ratio.
  if (Number(base) === 0 && Number(answer) > 0) return reading.add(model, { model_ratio: -1 });
  const extra = isObject(extra_ratios) ? extra_ratios : {};
  reading.add(model, {
    model_ratio: input,
    completion_ratio: Number(ratioOfPrices(answer ?? "0", base)),
    ...Object.fromEntries(
      EXTRA_RATIOS.flatMap(([name, field]) => (extra[name] === undefined ? [] : [[field, extra[name]]])),
    ),
  });
}

function readList(list: readonly unknown[], reading: Reading): void {
  for (const entry of list) {
    if (!isObject(entry)) continue;
    if (typeof entry["model_name"] === "string") readEntry(entry, reading);
    else if (typeof entry["model"] === "string") readHubEntry(entry, reading);
  }
}

/**
 * Reads an answer of `/api/ratio_config`, `/api/pricing` or one-hub's `/api/prices`.
 * @returns undefined where it is none of them
 */
export function readSitePrices(text: string): SitePrices | undefined {
  const reading = createReading();
  try {
    const body: unknown = JSON.parse(text);
    if (!isObject(body) || body["success"] === false) return undefined;
    const { data } = body;
    if (Array.isArray(data)) readList(data, reading);
    else if (isObject(data)) readTables(data, reading);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const done = reading.done();
  return done.prices.size === 0 && done.refused === 0 ? undefined : done;
}

/** Whether two say the same in every field that the second one has. */
export const saysTheSame = (own: SitePrice, said: SitePrice): boolean =>
  FIELDS.every((field) => {
    const there = said[field];
    return there === undefined || isSameNumber(own[field], there);
  });

/** A key that is equal for equal prices. */
export const priceKey = (price: SitePrice): string => FIELDS.map((field) => price[field] ?? "").join(" ");

/**
 * One's own entries after a site's price is taken. What the site does not say stays; own tiers of long contexts go with the price they were
 * made for, and a price by call goes with a price by tokens.
 */
export function ownAfterTaking(own: OwnPrice, price: SitePrice): OwnPrice {
  const { ModelPrice: _fixed, ...ratios } = own.ratios;
  const taken = Object.entries(SITE_PRICE_FIELDS).flatMap(([field, option]) => {
    const decimal = price[field as SitePriceField];
    return decimal === undefined ? [] : [[option, decimal] as const];
  });
  return { ratios: { ...ratios, ...Object.fromEntries(taken) }, tools: own.tools };
}
