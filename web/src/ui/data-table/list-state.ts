/** A list's page, sort and filters, kept in the address so that a view can be sent as a link. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { PAGE_SIZES, STORAGE, storedPageSize, writeStored } from "../../lib/storage.ts";
import { parseSort, type Sort } from "./columns.ts";

export interface ListState<Name extends string> {
  /** From 1. */
  page: number;
  size: number;
  sort: Sort;
  /** The set filters as text; an absent one is undefined. */
  filters: Partial<Record<Name, string>>;
  isFiltered: boolean;
  setPage: (page: number) => void;
  /** Also remembered for every other list (spec section 9). */
  setSize: (size: number) => void;
  setSort: (sort: string | undefined) => void;
  /** Sets some filters and goes to page 1; undefined or '' takes a filter off. */
  setFilters: (change: Partial<Record<Name, string | undefined>>) => void;
  clearFilters: () => void;
}

type Search = Record<string, string | undefined>;

const sizeOf = (text: string | undefined): number => {
  const size = Number(text);
  return PAGE_SIZES.some((allowed) => allowed === size) ? size : storedPageSize();
};

/**
 * @param names the filters this list knows; other parameters of the address stay untouched
 * @example const list = useListState(["keyword", "status", "group"]);
 *          const tokens = useQuery(tokensQuery({ p: list.page, size: list.size, ...list.filters }));
 */
export function useListState<const Name extends string>(names: readonly Name[]): ListState<Name> {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const change = (next: Search): void => {
    void navigate({
      to: ".",
      replace: true,
      resetScroll: false,
      search: ((old: Search) => ({ ...old, ...next })) as unknown as never,
    });
  };
  const filters = Object.fromEntries(
    names.filter((name) => search[name]).map((name) => [name, search[name]]),
  ) as Partial<Record<Name, string>>;
  return {
    page: Math.max(1, Math.trunc(Number(search["p"])) || 1),
    size: sizeOf(search["size"]),
    sort: parseSort(search["sort"]),
    filters,
    isFiltered: Object.keys(filters).length > 0,
    setPage: (page) => change({ p: page === 1 ? undefined : String(page) }),
    setSize: (size) => {
      writeStored(STORAGE.pageSize, String(size));
      change({ size: String(size), p: undefined });
    },
    setSort: (sort) => change({ sort, p: undefined }),
    setFilters: (filterChange) => change({ ...(filterChange as Search), p: undefined }),
    clearFilters: () => change({ ...Object.fromEntries(names.map((name) => [name, undefined])), p: undefined }),
  };
}
