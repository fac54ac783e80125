/** The route of the dashboard: its address, texts and page; `model/view.ts` says what the address means. */
import { loadTexts } from "../../lib/i18n.ts";
import { searchReader, text } from "../../lib/search.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

export const dashboardSearch = searchReader({
  range: text,
  from: text,
  to: text,
  by: text,
  show: text,
  scope: text,
  username: text,
  as: text,
});

export const dashboardRoute = {
  path: "/detail",
  validateSearch: dashboardSearch,
  loader: () => loadTexts("dashboard"),
  component: lazyPage(() => import("./page.tsx"), "DashboardPage"),
} as const;
