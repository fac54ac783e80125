/** The routes of the health page and of the public status page: their addresses, texts and pages. */
import { loadTexts } from "../../lib/i18n.ts";
import { oneOf, searchReader, text } from "../../lib/search.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

/** 24 hours if `hours` is absent. */
export const healthSearch = searchReader({ hours: oneOf("168", "720"), keyword: text });

export const healthRoute = {
  path: "/channel/health",
  validateSearch: healthSearch,
  loader: () => loadTexts("health"),
  component: lazyPage(() => import("./page.tsx"), "HealthPage"),
} as const;

export const statusPageRoute = {
  path: "/status",
  loader: () => loadTexts("availability"),
  component: lazyPage(() => import("./status-page.tsx"), "StatusPage"),
} as const;
