/** The route of the tokens page: its address (a view of the list, and a drawer), texts and page. */
import type { TokenSort } from "../../../../contract/src/features/tokens.ts";
import { loadTexts } from "../../lib/i18n.ts";
import { oneOf, positive, searchReader, text } from "../../lib/search.ts";
import { LIST_SEARCH, sortBy } from "../../ui/data-table/list-search.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

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

export const tokensRoute = {
  path: "/token",
  validateSearch: tokenSearch,
  loader: () => loadTexts("tokens"),
  component: lazyPage(() => import("./page.tsx"), "TokensPage"),
} as const;
