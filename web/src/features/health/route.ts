/** The route of the health page: its address, texts and page. */
import { loadTexts } from "../../lib/i18n.ts";
import { oneOf, searchReader, text } from "../../lib/search.ts";
import { LIST_SEARCH } from "../../ui/data-table/list-search.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

const healthSearch = searchReader({ ...LIST_SEARCH, hours: oneOf("1", "24", "168"), keyword: text });

export const healthRoute = {
  path: "/channel/health",
  validateSearch: healthSearch,
  loader: () => loadTexts("health"),
  component: lazyPage(() => import("./page.tsx"), "HealthPage"),
} as const;
