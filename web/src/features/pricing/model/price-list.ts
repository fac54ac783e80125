/** The price list as the page shows it for one group: dollars of every model, order, search and filters. Pure. */
import type { PricingEntry } from "../../../../../contract/src/features/pricing.ts";
import {
  decimalTextOf,
  priceOfEntry,
  usdPerCallText,
  usdPerMillionText,
} from "../../../../../contract/src/pricing/price-display.ts";
import type { Part } from "../../../../../contract/src/pricing/pricing.ts";

/** What the list is seen through. */
export interface PriceView {
  /** The group whose prices are shown. */
  group: string;
  /** Its ratio, as a number of the list. */
  groupRatio: number;
  quotaPerUnit: number;
  /** Models without a price are charged all the same (self-use mode). */
  chargesUnpriced: boolean;
}

/** USD as decimal text, without a sign: of 1M tokens of each kind, or of one call. */
export type ShownPrice =
  | { kind: "tokens"; input: string; cacheRead: string; cacheWrite: string; output: string }
  | { kind: "call"; call: string }
  | { kind: "none" };

export interface PriceRow {
  entry: PricingEntry;
  name: string;
  /** The viewed group can call it: a channel offers it there, and it has a price. */
  isAvailable: boolean;
  price: ShownPrice;
  /** Median over a week; undefined where it is not known, and for visitors. */
  firstTokenMs: number | undefined;
  /** Share of a week's answered calls, in thousandths; undefined where it is not published, or too few. */
  usePermille: number | undefined;
}

/** At least so many decimals: 1.60, 0.400, 0.0125. */
export function padDecimals(text: string, decimals: number): string {
  const [whole = "0", fraction = ""] = text.split(".");
  return `${whole}.${fraction.padEnd(decimals, "0")}`;
}

/** Cents, and further decimals only where they say something: a card has no column whose numbers stand below each other. */
export const withoutZeros = (usd: string): string => usd.replace(/(\.\d\d\d*?)0+$/, "$1");

/** USD of one part for 1M tokens in the viewed group; undefined for a price by call. */
export function usdOfPart(
  entry: PricingEntry,
  part: Part,
  { groupRatio, quotaPerUnit }: Pick<PriceView, "groupRatio" | "quotaPerUnit">,
  digits?: number,
): string | undefined {
  const price = priceOfEntry(entry);
  return price.kind === "per_call"
    ? undefined
    : usdPerMillionText(part, price, decimalTextOf(groupRatio), decimalTextOf(quotaPerUnit), digits);
}

/** The tiers of an entry, each as the entry it makes of it; none where every length of context has one price. */
export const tiersOfEntry = ({ tiers = [], ...entry }: PricingEntry): { above: number; entry: PricingEntry }[] =>
  tiers.map(({ above_input_tokens: above, ...ratios }) => ({ above, entry: { ...entry, ...ratios } }));

/** The price of an entry in the viewed group. */
export function shownPrice(entry: PricingEntry, view: PriceView): ShownPrice {
  if (!entry.has_price && !view.chargesUnpriced) return { kind: "none" };
  const price = priceOfEntry(entry);
  if (price.kind === "per_call")
    return { kind: "call", call: padDecimals(usdPerCallText(price.price, decimalTextOf(view.groupRatio)), 3) };
  const of = (part: Part, decimals: number): string => padDecimals(usdOfPart(entry, part, view) ?? "0", decimals);
  return {
    kind: "tokens",
    input: of("input", 2),
    cacheRead: of("cacheRead", 3),
    cacheWrite: of("cacheWrite", 2),
    output: of("output", 2),
  };
}

const isGpt = (name: string): boolean => name.toLowerCase().startsWith("gpt");

/** By usage first, then names that start with gpt, then by the alphabet. */
export function compareRows(a: PriceRow, b: PriceRow): number {
  return (
    a.entry.quota_type - b.entry.quota_type ||
    Number(isGpt(b.name)) - Number(isGpt(a.name)) ||
    a.name.localeCompare(b.name, "en", { numeric: true })
  );
}

/** All rows in the page's order: what the viewed group can use first, or last. */
export function priceRows(
  entries: readonly PricingEntry[],
  view: PriceView,
  isAvailableFirst = true,
  speeds: Readonly<Record<string, number>> = {},
  uses: Readonly<Record<string, number>> = {},
): PriceRow[] {
  const rows = entries.map((entry): PriceRow => {
    const price = shownPrice(entry, view);
    const isAvailable = price.kind !== "none" && entry.enable_groups.includes(view.group);
    const { model_name: name } = entry;
    return { entry, name, isAvailable, price, firstTokenMs: speeds[name], usePermille: uses[name] };
  });
  const side = isAvailableFirst ? 1 : -1;
  return rows.toSorted((a, b) => side * (Number(b.isAvailable) - Number(a.isAvailable)) || compareRows(a, b));
}

const plain = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s\-_./:@]+/g, "");

/** Letters left out between two that were typed, at most: "cldsonnet" finds claude-sonnet, "ce" does not find every name with c and e. */
const MAX_GAPS = 3;
const LEAST_FUZZY = 4;

/** Whether the letters stand in the name in this order with few others between them. */
function isNear(name: string, word: string): boolean {
  for (let start = name.indexOf(word.charAt(0)); start !== -1; start = name.indexOf(word.charAt(0), start + 1)) {
    let at = start;
    const isFound = Array.from(word.slice(1)).every((letter) => (at = name.indexOf(letter, at + 1)) !== -1);
    if (!isFound) return false;
    if (at - start + 1 - word.length <= MAX_GAPS) return true;
  }
  return false;
}

/** Fuzzy search in model names: upper case, hyphens, dots and slashes do not matter, words may come in any order, letters may be missing. */
export function isMatch(name: string, text: string): boolean {
  const target = plain(name);
  return text
    .split(/\s+/)
    .map(plain)
    .filter((word) => word !== "")
    .every((word) => target.includes(word) || (word.length >= LEAST_FUZZY && isNear(target, word)));
}

export interface PriceFilters {
  keyword: string;
  /** quota_type of the rows to show; undefined: both. */
  billing: number | undefined;
  /** Vendors to show; none: all. */
  vendors: readonly string[];
  /** Kinds of models to show; none: all. */
  kinds: readonly string[];
  /** What a model must take besides text, any of these; none: all. */
  takes?: readonly string[];
  /** Only what the viewed group can call. */
  isUsableOnly?: boolean;
}

const isAmong = (chosen: readonly string[], value: string): boolean => chosen.length === 0 || chosen.includes(value);

/** What the price list says that a model takes besides text. */
export const takenBy = ({ input_modalities: inputs = [] }: PricingEntry): readonly string[] =>
  inputs.filter((each) => each !== "text");

const isTaking = (entry: PricingEntry, wanted: readonly string[]): boolean =>
  wanted.length === 0 || takenBy(entry).some((each) => wanted.includes(each));

/** The rows the filters leave. @param vendorOf who makes a model */
export const filterRows = (
  rows: readonly PriceRow[],
  filters: PriceFilters,
  vendorOf: (entry: PricingEntry) => string,
): PriceRow[] =>
  rows.filter(
    ({ entry, name, isAvailable }) =>
      (filters.billing === undefined || entry.quota_type === filters.billing) &&
      isAmong(filters.vendors, vendorOf(entry)) &&
      isAmong(filters.kinds, entry.kind) &&
      isTaking(entry, filters.takes ?? []) &&
      (filters.isUsableOnly !== true || isAvailable) &&
      isMatch(name, filters.keyword),
  );

/** How often each value occurs, the most frequent first, equal ones by name. */
export function countBy(values: readonly string[]): { value: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .toSorted((a, b) => b.count - a.count || a.value.localeCompare(b.value, "en"));
}

/** The words of a list with a capital at its beginning, as they stand alone beside a title: "Text, images". */
export const capitalised = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
