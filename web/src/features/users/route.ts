/** The routes of the users page, whose drawers have paths of their own, and of the table of permissions: their addresses, texts and pages. */
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

export const PERSON_TABS = ["usage", "calls", "tokens", "ledger", "orders", "security", "notes"] as const;
export type PersonTab = (typeof PERSON_TABS)[number];

/** The page of one person. */
export const personSearch = searchReader({ tab: oneOf(...PERSON_TABS) });

export const personRoute = {
  path: "/user/$id",
  validateSearch: personSearch,
  loader: () => loadTexts("users"),
  component: lazyPage(() => import("./person/page.tsx"), "PersonPage"),
} as const;

export const permissionsRoute = {
  path: "/user/permissions",
  loader: () => loadTexts("permissions"),
  component: lazyPage(() => import("./permissions-page.tsx"), "PermissionsPage"),
} as const;
