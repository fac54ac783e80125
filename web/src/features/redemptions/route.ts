/** The route of the redemption page: its address (a view of the list, and a drawer), texts and page. */
import type { RedemptionSort } from "../../../../contract/src/features/redemptions.ts";
import { loadTexts } from "../../lib/i18n.ts";
import { oneOf, positive, searchReader, text } from "../../lib/search.ts";
import { LIST_SEARCH, sortBy } from "../../ui/data-table/list-search.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

/** Every page loads this file with the router, so it takes no more than types from the contract. */
const SORTS = [
  "id",
  "name",
  "status",
  "quota",
  "created_time",
  "redeemed_time",
  "expired_time",
] as const satisfies readonly RedemptionSort[];

export const redemptionSearch = searchReader({
  ...LIST_SEARCH,
  sort: sortBy(...SORTS),
  keyword: text,
  status: oneOf("1", "2", "3"),
  open: oneOf("create", "edit"),
  id: positive,
});

export const redemptionsRoute = {
  path: "/redemption",
  validateSearch: redemptionSearch,
  loader: () => loadTexts("redemptions"),
  component: lazyPage(() => import("./page.tsx"), "RedemptionsPage"),
} as const;
