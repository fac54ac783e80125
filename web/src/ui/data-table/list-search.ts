/** The search parameters of every list: page, size and sort. Apart from list-state.ts, since the route table, which every page loads, needs them. */
import { positive, type SearchField, text } from "../../lib/search.ts";
import { PAGE_SIZES } from "../../lib/storage.ts";

const pageSize: SearchField<number> = (value) => PAGE_SIZES.find((size) => String(size) === value);

/** One of the columns the server sorts by, "-" before it for descending. */
export const sortBy =
  (...names: readonly string[]): SearchField<string> =>
  (value) =>
    names.includes(value.replace(/^-/, "")) ? value : undefined;

/** Search parameters of every list; a feature adds its filters and sort columns. */
export const LIST_SEARCH = { p: positive, size: pageSize, sort: text } as const;
