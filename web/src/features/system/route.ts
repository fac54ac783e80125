/** The route of the page of the system: its address, texts and page. */
import { loadTexts } from "../../lib/i18n.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

/** The super administrator's, as the server says of each of its calls. */
export const systemRoute = {
  path: "/system",
  loader: () => loadTexts("system", "system.checks"),
  component: lazyPage(() => import("./page.tsx"), "SystemPage"),
} as const;
