/** The route of the personal page: its texts and page; the addresses that show it are in app/router.tsx. */
import { loadTexts } from "../../lib/i18n.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

export const personalRoute = {
  loader: () => loadTexts("personal"),
  component: lazyPage(() => import("./page.tsx"), "PersonalPage"),
} as const;
