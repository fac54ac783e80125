/** The root of the routes, the frames that pages stand in, and the pages that nobody has to log in for. */
import { createRootRoute, createRoute, redirect } from "@tanstack/react-router";
import { pricingRoute } from "../features/pricing/route.ts";
import {
  loginRoute,
  newPasswordRoute,
  oauthRoute,
  registerRoute,
  registerSearch,
  resetRoute,
} from "../features/sessions/route.ts";
import { setupRoute } from "../features/setup/route.ts";
import { aboutRoute, homeRoute } from "../features/status/route.ts";
import { loadTexts } from "../lib/i18n.ts";
import { nextAddress, secureAddress, wantedAddress } from "../lib/next-address.ts";
import { viewer } from "../lib/viewer.ts";
import { lazyPage } from "../ui/lazy-page.ts";
import { NotFoundPage } from "./not-found-page.tsx";
import { PublicLayout } from "./public-layout.tsx";
import { StatusGate } from "./status-gate.tsx";

export const root = createRootRoute({ component: StatusGate, notFoundComponent: NotFoundPage });

export const openPages = createRoute({ getParentRoute: () => root, id: "open", component: PublicLayout });

export const openDataPages = createRoute({
  getParentRoute: () => openPages,
  id: "data",
  component: lazyPage(() => import("./data-and-kit.tsx"), "DataAndKitPages"),
});

/** Pages that anybody may read, with the command palette for logged-in users. */
export const sitePages = createRoute({
  getParentRoute: () => root,
  id: "site",
  component: lazyPage(() => import("./site-layout.tsx"), "SiteLayout"),
});
export const sheetPages = createRoute({
  getParentRoute: () => root,
  id: "sheet",
  component: lazyPage(() => import("./site-layout.tsx"), "SheetLayout"),
});

/** Guarded pages: without a stored user they lead to /login, which leads back to them; so does the page of what has to be done first. */
export const consolePages = createRoute({
  getParentRoute: () => root,
  id: "console",
  component: lazyPage(() => import("./shell/console-layout.tsx"), "ConsoleLayout"),
  beforeLoad: ({ location }) => {
    const user = viewer();
    if (user === null) throw redirect({ to: "/login", search: wantedAddress(location.href) });
    if (user.required_action !== "") throw redirect({ href: secureAddress(location.href) });
  },
});

export const home = createRoute({ getParentRoute: () => sitePages, ...homeRoute });
export const about = createRoute({ getParentRoute: () => sitePages, ...aboutRoute });
export const pricing = createRoute({ getParentRoute: () => sheetPages, ...pricingRoute });
export const setup = createRoute({ getParentRoute: () => openDataPages, ...setupRoute });
export const reset = createRoute({ getParentRoute: () => openPages, ...resetRoute });
export const newPassword = createRoute({ getParentRoute: () => openPages, ...newPasswordRoute });
export const oauth = createRoute({ getParentRoute: () => openPages, ...oauthRoute });

function leaveWhenLoggedIn({ search }: { search: { next?: string | undefined } }): void {
  if (viewer() !== null) throw redirect({ href: nextAddress(search.next) });
}
export const login = createRoute({
  getParentRoute: () => openPages,
  ...loginRoute,
  beforeLoad: leaveWhenLoggedIn,
});
export const register = createRoute({
  getParentRoute: () => openPages,
  ...registerRoute,
  beforeLoad: leaveWhenLoggedIn,
});

/** Without the frame: all that the frame leads to is refused meanwhile. */
export const secureAccount = createRoute({
  getParentRoute: () => root,
  path: "/secure-account",
  validateSearch: registerSearch,
  beforeLoad: ({ search: { next } }) => {
    if (viewer() === null) throw redirect({ to: "/login", search: { next } });
  },
  loader: () => loadTexts("personal"),
  component: lazyPage(() => import("./secure-account.tsx"), "SecureAccount"),
});
