/** The route of the users page: its address, texts and page. Its drawers have paths of their own. */
import type { UserSort } from "../../../../contract/src/features/users.ts";
import { loadTexts } from "../../lib/i18n.ts";
import { oneOf, searchReader, text } from "../../lib/search.ts";
import { LIST_SEARCH, sortBy } from "../../ui/data-table/list-search.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

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

const userSearch = searchReader({
  ...LIST_SEARCH,
  sort: sortBy(...SORTS),
  keyword: text,
  group: text,
  status: oneOf("1", "2", "3", "4"),
  role: oneOf("1", "10", "100"),
});

export const usersRoute = {
  path: "/user",
  validateSearch: userSearch,
  loader: () => loadTexts("users"),
  component: lazyPage(() => import("./page.tsx"), "UsersPage"),
} as const;
