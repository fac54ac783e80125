/** What the address of the users page may ask for; its drawers have paths of their own. */
import type { UserSort } from "../../../../contract/src/features/users.ts";
import { oneOf, searchReader, text } from "../../lib/search.ts";
import { LIST_SEARCH, sortBy } from "../../ui/data-table/list-state.ts";

/** Every page loads this file with the router, so it takes no more than types from the contract. */
const SORTS = [
  "id",
  "username",
  "role",
  "quota",
  "used_quota",
  "request_count",
  "aff_count",
  "created_time",
] as const satisfies readonly UserSort[];

export const userSearch = searchReader({
  ...LIST_SEARCH,
  sort: sortBy(...SORTS),
  keyword: text,
  group: text,
  status: oneOf("1", "2", "3", "4"),
  role: oneOf("1", "10", "100"),
});
