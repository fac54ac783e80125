/** What the address of the price list may ask for. */
import { oneOf, searchReader, text } from "../../lib/search.ts";
import { LIST_SEARCH, sortBy } from "../../ui/data-table/list-state.ts";

export const pricingSearch = searchReader({
  ...LIST_SEARCH,
  sort: sortBy("available"),
  group: text,
  keyword: text,
  billing: oneOf("0", "1"),
  /** Joined by commas, as the two after it. */
  vendor: text,
  kind: text,
});
