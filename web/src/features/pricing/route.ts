/** The routes of the price list, of the page of one model, and of models side by side: addresses, texts and pages. */
import { loadTexts } from "../../lib/i18n.ts";
import { oneOf, searchReader, text } from "../../lib/search.ts";
import { LIST_SEARCH, sortBy } from "../../ui/data-table/list-search.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

const pricingSearch = searchReader({
  ...LIST_SEARCH,
  sort: sortBy("available", "input", "output", "context", "firstToken", "use"),
  group: text,
  keyword: text,
  billing: oneOf("0", "1"),
  /** Joined by commas, as the two after it. */
  vendor: text,
  kind: text,
  takes: text,
  /** Only what the viewed group can call. */
  usable: oneOf("1"),
});

export const pricingRoute = {
  path: "/pricing",
  validateSearch: pricingSearch,
  loader: () => loadTexts("pricing"),
  component: lazyPage(() => import("./page.tsx"), "PricingPage"),
} as const;

/** The group whose prices are shown. */
export const modelSearch = searchReader({ group: text });

export const modelRoute = {
  path: "/models/$name",
  validateSearch: modelSearch,
  loader: () => loadTexts("pricing"),
  component: lazyPage(() => import("./detail/page.tsx"), "ModelPage"),
} as const;

/** `models`: up to four names, joined by commas. */
export const compareSearch = searchReader({ models: text, group: text });

export const compareRoute = {
  path: "/models/compare",
  validateSearch: compareSearch,
  loader: () => loadTexts("pricing"),
  component: lazyPage(() => import("./detail/compare-page.tsx"), "ComparePage"),
} as const;
