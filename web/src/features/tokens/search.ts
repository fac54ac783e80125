/** What the address of the tokens page may ask for: a view of the list, and a drawer. */
import type { TokenSort } from "../../../../contract/src/features/tokens.ts";
import { oneOf, positive, searchReader, text } from "../../lib/search.ts";
import { LIST_SEARCH, sortBy } from "../../ui/data-table/list-state.ts";

const SORTS = [
  "name",
  "status",
  "used_quota",
  "remain_quota",
  "created_time",
  "accessed_time",
  "expired_time",
] as const satisfies readonly TokenSort[];

export const tokenSearch = searchReader({
  ...LIST_SEARCH,
  sort: sortBy(...SORTS),
  keyword: text,
  status: oneOf("1", "2", "3", "4"),
  group: text,
  open: oneOf("create", "edit", "connect"),
  id: positive,
  /** Of a token to be made. */
  name: text,
});
