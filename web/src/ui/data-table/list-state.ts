/** A list's page, sort and filters, kept in the address so that a view can be sent as a link. */
import { useMemo, useState } from "react";
import { type HistoryStep, searchReader, text, useSearchState } from "../../lib/search.ts";
import { PAGE_SIZES, STORAGE, storedPageSize, writeStored } from "../../lib/storage.ts";
import { parseSort, type Sort } from "./columns.ts";
import { LIST_SEARCH } from "./list-search.ts";

export interface ListState<Name extends string> {
  /** Counted from 1. */
  page: number;
  size: number;
  sort: Sort;
  /** The filters that are set, as text; others are undefined. The object stays the same until a filter changes. */
  filters: Partial<Record<Name, string>>;
  isFiltered: boolean;
  setPage: (page: number, step?: HistoryStep) => void;
  /** The size is remembered and used by every other list too. */
  setSize: (size: number) => void;
  setSort: (sort: string | undefined) => void;
  /** Sets some filters and goes to page 1; undefined or '' removes a filter. Adds a history entry, except while typing. */
  setFilters: (change: Partial<Record<Name, string | undefined>>, step?: HistoryStep) => void;
  clearFilters: () => void;
}

/** Height in px of everything above and below the rows of a list: bars, title, filters, header and footer. */
const FRAME_PX = 330;

/** The largest selectable page size that fits without scrolling, or the smallest one where none fits. */
export function sizeThatFits(windowHeightPx: number, rowHeightPx: number): number {
  const rows = (windowHeightPx - FRAME_PX) / rowHeightPx;
  return PAGE_SIZES.findLast((size) => size <= rows) ?? PAGE_SIZES[0];
}

/** Rows of a page until another number is chosen: what a window has no room for is scrolled to, and no last row stands alone on a second page. */
export const LEAST_ROWS = 20;

/**
 * @param names the filters this list knows; other parameters of the address stay untouched
 * @param rowHeightPx height of the table's rows; decides how many fit until the user chooses a size
 * @param leastRows so many at least until then, for lists that are read by scrolling
 * @returns the same object until the address changes
 * @example const list = useListState(["keyword", "status", "group"]);
 *          const tokens = useQuery(tokensQuery({ p: list.page, size: list.size, ...list.filters }));
 */
export function useListState<const Name extends string>(
  names: readonly Name[],
  rowHeightPx = 44,
  leastRows: number = LEAST_ROWS,
): ListState<Name> {
  const read = useMemo(
    () => searchReader({ ...Object.fromEntries(names.map((name) => [name, text])), ...LIST_SEARCH }),
    [names],
  );
  const [search, change] = useSearchState(read as (raw: object) => Record<string, string | number | undefined>);
  // Read once: resizing the window must not change the page while the user is reading.
  const [usualSize] = useState(
    () => storedPageSize() ?? Math.max(leastRows, sizeThatFits(window.innerHeight, rowHeightPx)),
  );
  const filters = useMemo(
    () =>
      Object.fromEntries(names.filter((name) => search[name]).map((name) => [name, search[name]])) as Partial<
        Record<Name, string>
      >,
    [names, search],
  );
  return useMemo(() => {
    const size = Number(search["size"] ?? usualSize);
    return {
      page: Number(search["p"] ?? 1),
      size,
      sort: parseSort(search["sort"]?.toString()),
      filters,
      isFiltered: Object.keys(filters).length > 0,
      // Includes the size: without it, a link to a page would show other rows in another window.
      setPage: (page, step) => change(page === 1 ? { p: undefined } : { p: page, size }, step),
      setSize: (chosen) => {
        writeStored(STORAGE.pageSize, String(chosen));
        change({ size: chosen, p: undefined });
      },
      setSort: (sort) => change({ sort, p: undefined }),
      setFilters: (filterChange, step) => change({ ...filterChange, p: undefined }, step),
      clearFilters: () => change({ ...Object.fromEntries(names.map((name) => [name, undefined])), p: undefined }),
    };
  }, [names, search, filters, usualSize, change]);
}
