/** How models are compared: in a list sorted by one of their numbers, or up to four of them side by side. Pure. */
import type { PriceRow } from "./price-list.ts";

/** What the list can be sorted by besides its own order. */
const SORTED_VALUES = {
  input: ({ price }: PriceRow) => (price.kind === "tokens" ? Number(price.input) : undefined),
  output: ({ price }: PriceRow) => (price.kind === "tokens" ? Number(price.output) : undefined),
  context: ({ entry }: PriceRow) => entry.context_length,
  firstToken: ({ firstTokenMs }: PriceRow) => firstTokenMs,
  use: ({ usePermille }: PriceRow) => usePermille,
} as const;

const isSortedValue = (by: string): by is keyof typeof SORTED_VALUES => Object.hasOwn(SORTED_VALUES, by);

/** Rows by one of their numbers; those without it last in both directions, equal ones as they were. Any other name keeps the order. */
export function sortRows(rows: readonly PriceRow[], by: string, isDescending: boolean): readonly PriceRow[] {
  if (!isSortedValue(by)) return rows;
  const valueOf = SORTED_VALUES[by];
  const side = isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [left, right] = [valueOf(a), valueOf(b)];
    if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
    return side * (left - right);
  });
}

/** More are not readable beside each other. */
export const MOST_COMPARED = 4;

/** Names in the order of the address. @param text joined by commas */
export const comparedNames = (text: string | undefined): string[] =>
  [...new Set((text ?? "").split(",").filter((name) => name !== ""))].slice(0, MOST_COMPARED);

/** The text of the address; undefined for none. */
export const comparedText = (names: readonly string[]): string | undefined => names.join(",") || undefined;

/** Places of the lowest of these numbers, where they differ; absent ones are no rivals. */
export function lowestOf(values: readonly (number | undefined)[]): ReadonlySet<number> {
  const known = values.filter((value) => value !== undefined);
  const lowest = Math.min(...known);
  if (known.length < 2 || known.every((value) => value === lowest)) return new Set();
  return new Set(values.flatMap((value, place) => (value === lowest ? [place] : [])));
}
