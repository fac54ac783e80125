/** The routes of the tokens page (a view of the list, and a drawer) and of the page that connects programs: addresses, texts and pages. */
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
  open: oneOf("create", "edit"),
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

export const connectSearch = searchReader({
  /** Id of the token; the newest enabled one where absent. */
  token: positive,
  /** Id of the program (contract/src/connect/programs.ts). */
  program: text,
  model: text,
});

export const connectRoute = {
  path: "/connect",
  validateSearch: connectSearch,
  loader: () => loadTexts("connect"),
  component: lazyPage(() => import("./connect/page.tsx"), "ConnectPage"),
} as const;
