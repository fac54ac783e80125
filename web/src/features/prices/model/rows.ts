/** The price table's rows: what each model costs in dollars, which rows a search and filters leave, and their order. Pure. */
import type { PriceRow } from "../../../../../contract/src/features/prices.ts";
import { parseRatio } from "../../../../../contract/src/money.ts";
import { fromPriceFields, type PriceFields } from "../../../../../contract/src/pricing/price-fields.ts";
import { usdPerMillionText } from "../../../../../contract/src/pricing/price-display.ts";
import type { ModelPrice, Part } from "../../../../../contract/src/pricing/pricing.ts";

export const PRICE_FILTERS = ["keyword", "origin", "differs", "enabled"] as const;
export type PriceFilters = Partial<Record<(typeof PRICE_FILTERS)[number], string | undefined>>;

/** The price on the wire as charges read it; the same object for the same fields. */
const prices = new WeakMap<PriceFields, ModelPrice>();
export function priceOf(fields: PriceFields | null | undefined): ModelPrice | undefined {
  if (fields === null || fields === undefined) return undefined;
  let price = prices.get(fields);
  if (price === undefined) prices.set(fields, (price = fromPriceFields(fields)));
  return price;
}

/** The price without the row's own entries. */
export const basePriceOf = (row: PriceRow): ModelPrice | undefined =>
  priceOf(row.base_price === undefined ? row.list_price : row.base_price);

/** USD per 1M tokens of a part without a group; undefined for a fixed price or none. */
export function usdOf(row: PriceRow, part: Part, quotaPerUnit: string): string | undefined {
  const price = priceOf(row.price);
  return price?.kind === "per_token" ? usdPerMillionText(part, price, "1", quotaPerUnit, 12) : undefined;
}

/** Whether calls cost something else than by the price list, which knows the model. */
export const differs = (row: PriceRow): boolean =>
  row.list_price !== null && JSON.stringify(row.price) !== JSON.stringify(row.list_price);

export const isUnpriced = (row: PriceRow): boolean => row.is_enabled && row.origin === "none";

/** Small letters, so that a search need not know how a vendor spells its models. */
const plain = (text: string): string => text.normalize("NFKC").toLowerCase();
const plainNames = new WeakMap<PriceRow, string>();
function plainName(row: PriceRow): string {
  let name = plainNames.get(row);
  if (name === undefined) plainNames.set(row, (name = plain(row.model)));
  return name;
}

/** Rows whose name has every word of the search, in any order. */
export function searched(rows: readonly PriceRow[], keyword: string | undefined): readonly PriceRow[] {
  const words = plain(keyword ?? "")
    .split(/\s+/)
    .filter((word) => word !== "");
  return words.length === 0 ? rows : rows.filter((row) => words.every((word) => plainName(row).includes(word)));
}

/** Rows that match every filter. */
export const filtered = (rows: readonly PriceRow[], { keyword, origin, differs: other, enabled }: PriceFilters) =>
  searched(rows, keyword).filter(
    (row) =>
      (origin === undefined || row.origin === origin) &&
      (other === undefined || differs(row)) &&
      (enabled === undefined || row.is_enabled === (enabled === "yes")),
  );

/** Columns that the table sorts by. */
const SORTS = ["model", "input", "output", "cacheRead", "call"] as const;
type SortName = (typeof SORTS)[number];

/** Large enough for every price the server stores, exact enough to order them. */
const numberOf = (decimal: string): number => {
  const { numerator, denominator } = parseRatio(decimal);
  return Number(numerator) / Number(denominator);
};

function sortValue(row: PriceRow, by: Exclude<SortName, "model">, quotaPerUnit: string): number | undefined {
  if (by !== "call") {
    const usd = usdOf(row, by, quotaPerUnit);
    return usd === undefined ? undefined : numberOf(usd);
  }
  return row.price?.kind === "per_call" ? numberOf(row.price.price) : undefined;
}

const byName = (a: PriceRow, b: PriceRow): number => {
  const [left, right] = [plainName(a), plainName(b)];
  return left < right ? -1 : left > right ? 1 : 0;
};

/** Rows in order; those without a price of this kind stand last, whichever way the others are turned. */
export function sorted(
  rows: readonly PriceRow[],
  sort: { by: string; isDescending: boolean } | undefined,
  quotaPerUnit: string,
): readonly PriceRow[] {
  const by = SORTS.find((name) => name === sort?.by) ?? "model";
  const sign = sort?.isDescending === true ? -1 : 1;
  if (by === "model") return rows.toSorted((a, b) => sign * byName(a, b));
  const values = new Map(rows.map((row) => [row, sortValue(row, by, quotaPerUnit)]));
  return rows.toSorted((a, b) => {
    const [left, right] = [values.get(a), values.get(b)];
    if (left === undefined || right === undefined)
      return Number(left === undefined) - Number(right === undefined) || byName(a, b);
    return sign * (left - right) || byName(a, b);
  });
}

/** One page of rows, counted from 1. */
export const pageOf = <Row>(rows: readonly Row[], page: number, size: number): readonly Row[] =>
  rows.slice((page - 1) * size, page * size);
