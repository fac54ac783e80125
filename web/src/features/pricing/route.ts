/** The route of the price list: its address, texts and page. */
import { loadTexts } from "../../lib/i18n.ts";
import { oneOf, searchReader, text } from "../../lib/search.ts";
import { LIST_SEARCH, sortBy } from "../../ui/data-table/list-search.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

const pricingSearch = searchReader({
  ...LIST_SEARCH,
  sort: sortBy("available"),
  group: text,
  keyword: text,
  billing: oneOf("0", "1"),
  /** Joined by commas, as the two after it. */
  vendor: text,
  kind: text,
});

export const pricingRoute = {
  path: "/pricing",
  validateSearch: pricingSearch,
  loader: () => loadTexts("pricing"),
  component: lazyPage(() => import("./page.tsx"), "PricingPage"),
} as const;
