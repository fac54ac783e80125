/** Reads the search parameters of an address by a table of fields; invalid or unknown values count as absent. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";

/** Longest text accepted from an address; the server refuses longer ones anyway. */
const TEXT_MOST = 1000;

/** Reads one value of the address; undefined where it is absent or invalid. */
export type SearchField<Value> = (text: string) => Value | undefined;

type Fields = Readonly<Record<string, SearchField<unknown>>>;
/** The result of a table of fields: a value or undefined for each. */
export type SearchOf<Table extends Fields> = { [Name in keyof Table]?: ReturnType<Table[Name]> };

/** Any text that is neither blank nor too long. */
export const text: SearchField<string> = (value) =>
  value.trim() === "" || value.length > TEXT_MOST ? undefined : value;

/** One of these words, spelled exactly. */
export const oneOf =
  <const Word extends string>(...words: readonly Word[]): SearchField<Word> =>
  (value) =>
    words.find((word) => word === value);

/** A whole number from 1: a page or the id of a row. */
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

/** Whether a change of the address adds a history entry or replaces the current one. */
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
  const change: ChangeSearch<Search> = useCallback(
    (next, step = "push") =>
      void navigate({
        to: ".",
        replace: step === "replace",
        resetScroll: false,
        // The router knows the fields of each route; a part that several routes share changes those it was given.
        search: ((old: object) => ({ ...old, ...next })) as unknown as never,
      }),
    [navigate],
  );
  return [search, change];
}
