/** What the address of the users page may ask for; its drawers have paths of their own. */
import { USER_SORTS } from "../../../../contract/src/features/users.ts";
import { oneOf, searchReader, text } from "../../lib/search.ts";
import { LIST_SEARCH, sortBy } from "../../ui/data-table/list-state.ts";

export const userSearch = searchReader({
  ...LIST_SEARCH,
  sort: sortBy(...USER_SORTS),
  keyword: text,
  group: text,
  status: oneOf("1", "2", "3", "4"),
  role: oneOf("1", "10", "100"),
});
