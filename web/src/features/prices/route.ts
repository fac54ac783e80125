/** The route of the prices page: its address, texts and page. The panels read their own fields of the address. */
import { loadTexts } from "../../lib/i18n.ts";
import { oneOf, searchReader, text } from "../../lib/search.ts";
import { LIST_SEARCH } from "../../ui/data-table/list-search.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

export const PRICE_TABS = ["models", "groups", "dry_run", "changes", "list", "sites"] as const;

export const pricesSearch = searchReader({
  ...LIST_SEARCH,
  tab: oneOf(...PRICE_TABS),
  keyword: text,
  origin: text,
  differs: text,
  enabled: text,
  /** The drawer that is open, and the model that it edits. */
  open: oneOf("add", "bulk"),
  model: text,
});

export const pricesRoute = {
  path: "/prices",
  validateSearch: pricesSearch,
  loader: () => loadTexts("prices"),
  component: lazyPage(() => import("./page.tsx"), "PricesPage"),
} as const;
