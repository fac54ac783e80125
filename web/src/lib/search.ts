/** What stands behind the question mark of an address: read by a table of fields, where broken or unknown values count as absent. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";

/** Longest text an address may ask for: more is refused by the server anyway. */
const TEXT_MOST = 1000;

/** Reads one value of the address; undefined for one that is absent or makes no sense. */
export type SearchField<Value> = (text: string) => Value | undefined;

type Fields = Readonly<Record<string, SearchField<unknown>>>;
/** What a table of fields reads: each of them, or undefined. */
export type SearchOf<Table extends Fields> = { [Name in keyof Table]?: ReturnType<Table[Name]> };

/** Any text that is not blank and not too long to ask for. */
export const text: SearchField<string> = (value) =>
  value.trim() === "" || value.length > TEXT_MOST ? undefined : value;

/** One of these words, as it is written. */
export const oneOf =
  <const Word extends string>(...words: readonly Word[]): SearchField<Word> =>
  (value) =>
    words.find((word) => word === value);

/** A whole number from 1 on: a page, the id of a row. */
export const positive: SearchField<number> = (value) => {
  const number = /^\d{1,15}$/.test(value) ? Number(value) : 0;
  return number >= 1 ? number : undefined;
};

/**
 * Makes the `validateSearch` of a route. It never throws: whatever the address says, the page opens. A field that is absent or
 * broken is there as undefined, so that the raw value does not come through.
 * @example const tokenSearch = searchReader({ ...LIST_SEARCH, keyword: text, open: oneOf("create", "edit") });
 */
export const searchReader =
  <Table extends Fields>(table: Table) =>
  (raw: Readonly<Record<string, unknown>>): SearchOf<Table> =>
    Object.fromEntries(
      Object.entries(table).map(([name, read]) => {
        const value = raw[name];
        return [name, typeof value === "string" || typeof value === "number" ? read(String(value)) : undefined];
      }),
    ) as SearchOf<Table>;

/** Whether a change of the address is a step that Back returns from, or takes the place of the one before. */
export type HistoryStep = "push" | "replace";

export type ChangeSearch<Search> = (change: Partial<Search>, step?: HistoryStep) => void;

/**
 * What the address asks for, and how to change some of it; undefined takes a field away, other fields stay.
 * @param read the reader that the route has as its `validateSearch`
 * @example const [search, change] = useSearchState(tokenSearch); change({ open: "edit", id: 3 });
 */
export function useSearchState<Search extends object>(
  read: (raw: Readonly<Record<string, unknown>>) => Search,
): [Search, ChangeSearch<Search>] {
  const raw: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const search = useMemo(() => read(raw), [read, raw]);
  const change: ChangeSearch<Search> = (next, step = "push") =>
    void navigate({
      to: ".",
      replace: step === "replace",
      resetScroll: false,
      // The router knows the fields of each route; a part that several routes share changes those it was given.
      search: ((old: object) => ({ ...old, ...next })) as unknown as never,
    });
  return [search, change];
}
