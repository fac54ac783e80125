/** What the address of the redemption page may ask for: a view of the list, and a drawer. */
import type { RedemptionSort } from "../../../../contract/src/features/redemptions.ts";
import { oneOf, positive, searchReader, text } from "../../lib/search.ts";
import { LIST_SEARCH, sortBy } from "../../ui/data-table/list-state.ts";

/** Every page loads this file with the router, so it takes no more than types from the contract. */
const SORTS = [
  "id",
  "name",
  "status",
  "quota",
  "created_time",
  "redeemed_time",
] as const satisfies readonly RedemptionSort[];

export const redemptionSearch = searchReader({
  ...LIST_SEARCH,
  sort: sortBy(...SORTS),
  keyword: text,
  status: oneOf("1", "2", "3"),
  open: oneOf("create", "edit"),
  id: positive,
});
