/** The routes of the personal page, whose addresses are in app/router.tsx, and of the security page: their texts and pages. */
import { loadTexts } from "../../lib/i18n.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

export const personalRoute = {
  loader: () => loadTexts("personal"),
  component: lazyPage(() => import("./page.tsx"), "PersonalPage"),
} as const;

export const securityRoute = {
  path: "/personal/security",
  loader: () => loadTexts("personal"),
  component: lazyPage(() => import("./security/page.tsx"), "SecurityPage"),
} as const;
