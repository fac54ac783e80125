/** Reads what a client asks of a list: its page, its order, and ids in a search text. */

/** The part of a query that every list with sorts has. */
export interface PageQuery {
  /** From 1. */
  p: number;
  /** Rows of a page. */
  page_size: number;
  sort?: string | undefined;
  order?: string | undefined;
}

/** A page as stores read it. */
export interface SortedPage<Sort extends string> {
  sort: Sort;
  isDescending: boolean;
  /** Rows before the page. */
  offset: number;
  limit: number;
}

/** The order asked for; by id where it is none of `sorts`, and descending unless it says otherwise. */
export const sortingOf = <Sort extends string>(
  { sort: text, order }: Pick<PageQuery, "sort" | "order">,
  sorts: readonly Sort[],
): { sort: Sort | "id"; isDescending: boolean } => ({
  sort: sorts.find((sort) => sort === text) ?? "id",
  isDescending: order !== "asc",
});

/** The page and the order asked for. */
export const sortedPageOf = <Sort extends string>(
  query: PageQuery,
  sorts: readonly Sort[],
): SortedPage<Sort | "id"> => ({
  ...sortingOf(query, sorts),
  offset: (query.p - 1) * query.page_size,
  limit: query.page_size,
});

/** Whole numbers that are exact, whichever their digits. */
const ID = /^[1-9]\d{0,14}$/;

/** The id that a text is; undefined where it is none. */
export const idIn = (text: string): number | undefined => (ID.test(text) ? Number(text) : undefined);
