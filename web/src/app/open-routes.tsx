/** The root of the routes, the frames that pages stand in, and the pages that nobody has to log in for. */
import { createRootRoute, createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { pricingSearch } from "../features/pricing/search.ts";
import { loginSearch, newPasswordSearch, registerSearch } from "../features/sessions/search.ts";
import { setupSearch } from "../features/setup/search.ts";
import { loadTexts } from "../lib/i18n.ts";
import { nextAddress, wantedAddress } from "../lib/next-address.ts";
import { viewer } from "../lib/viewer.ts";
import { importPart } from "../ui/feedback/missing-part.ts";
import { NotFoundPage } from "./not-found-page.tsx";
import { PublicLayout } from "./public-layout.tsx";
import { StatusGate } from "./status-gate.tsx";

export const root = createRootRoute({ component: StatusGate, notFoundComponent: NotFoundPage });

export const openPages = createRoute({ getParentRoute: () => root, id: "open", component: PublicLayout });

export const openDataPages = createRoute({
  getParentRoute: () => openPages,
  id: "data",
  component: lazyRouteComponent(
    importPart(() => import("./data-and-kit.tsx")),
    "DataAndKitPages",
  ),
});

/** Pages that anybody may read, with the command palette for logged-in users. */
export const sitePages = createRoute({
  getParentRoute: () => root,
  id: "site",
  component: lazyRouteComponent(
    importPart(() => import("./site-layout.tsx")),
    "SiteLayout",
  ),
});
export const sheetPages = createRoute({
  getParentRoute: () => root,
  id: "sheet",
  component: lazyRouteComponent(
    importPart(() => import("./site-layout.tsx")),
    "SheetLayout",
  ),
});

/** Guarded pages: without a stored user they lead to /login, which leads back to them. */
export const consolePages = createRoute({
  getParentRoute: () => root,
  id: "console",
  component: lazyRouteComponent(
    importPart(() => import("./shell/console-layout.tsx")),
    "ConsoleLayout",
  ),
  beforeLoad: ({ location }) => {
    if (viewer() === null) throw redirect({ to: "/login", search: wantedAddress(location.href) });
  },
});

export const home = createRoute({
  getParentRoute: () => sitePages,
  path: "/",
  loader: () => loadTexts("status"),
  component: lazyRouteComponent(
    importPart(() => import("../features/status/home-page.tsx")),
    "HomePage",
  ),
});

export const about = createRoute({
  getParentRoute: () => sitePages,
  path: "/about",
  loader: () => loadTexts("status"),
  component: lazyRouteComponent(
    importPart(() => import("../features/status/about-page.tsx")),
    "AboutPage",
  ),
});

export const pricing = createRoute({
  getParentRoute: () => sheetPages,
  path: "/pricing",
  validateSearch: pricingSearch,
  loader: () => loadTexts("pricing"),
  component: lazyRouteComponent(
    importPart(() => import("../features/pricing/page.tsx")),
    "PricingPage",
  ),
});

export const setup = createRoute({
  getParentRoute: () => openDataPages,
  path: "/setup",
  validateSearch: setupSearch,
  loader: () => loadTexts("setup"),
  component: lazyRouteComponent(
    importPart(() => import("../features/setup/page.tsx")),
    "SetupPage",
  ),
});

export const login = createRoute({
  getParentRoute: () => openPages,
  path: "/login",
  validateSearch: loginSearch,
  beforeLoad: ({ search }) => {
    if (viewer() !== null) throw redirect({ href: nextAddress(search.next) });
  },
  loader: () => loadTexts("sessions"),
  component: lazyRouteComponent(
    importPart(() => import("../features/sessions/page.tsx")),
    "LoginPage",
  ),
});

export const register = createRoute({
  getParentRoute: () => openPages,
  path: "/register",
  validateSearch: registerSearch,
  beforeLoad: ({ search }) => {
    if (viewer() !== null) throw redirect({ href: nextAddress(search.next) });
  },
  loader: () => loadTexts("sessions", "error-codes"),
  component: lazyRouteComponent(
    importPart(() => import("../features/sessions/register-page.tsx")),
    "RegisterPage",
  ),
});

export const reset = createRoute({
  getParentRoute: () => openPages,
  path: "/reset",
  loader: () => loadTexts("sessions"),
  component: lazyRouteComponent(
    importPart(() => import("../features/sessions/reset-page.tsx")),
    "ResetPage",
  ),
});

export const newPassword = createRoute({
  getParentRoute: () => openPages,
  path: "/user/reset",
  validateSearch: newPasswordSearch,
  loader: () => loadTexts("sessions"),
  component: lazyRouteComponent(
    importPart(() => import("../features/sessions/new-password-page.tsx")),
    "NewPasswordPage",
  ),
});

export const oauth = createRoute({
  getParentRoute: () => openPages,
  path: "/oauth/$provider",
  loader: () => loadTexts("sessions"),
  component: lazyRouteComponent(
    importPart(() => import("../features/sessions/oauth-page.tsx")),
    "OauthPage",
  ),
});
