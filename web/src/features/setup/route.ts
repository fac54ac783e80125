/** The route of the set-up page: its address, which may carry the code that the server printed, texts and page. */
import { loadTexts } from "../../lib/i18n.ts";
import { searchReader, text } from "../../lib/search.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

const setupSearch = searchReader({ code: text });

export const setupRoute = {
  path: "/setup",
  validateSearch: setupSearch,
  loader: () => loadTexts("setup"),
  component: lazyPage(() => import("./page.tsx"), "SetupPage"),
} as const;
