/** The route table: which address shows which page, who may see it, and what loads when it is opened. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { loadTexts } from "../lib/i18n.ts";
import { viewer } from "../lib/viewer.ts";
import { NotFoundPage } from "./not-found-page.tsx";
import { PublicLayout } from "./public-layout.tsx";
import { RouteError } from "./route-error.tsx";
import { StatusGate } from "./status-gate.tsx";

/** Addresses carry plain text (?status=2&keyword=a), not JSON, so that a link reads as it is written. */
type Search = Record<string, string | undefined>;

const parseSearch = (text: string): Search => Object.fromEntries(new URLSearchParams(text));

function stringifySearch(search: Search): string {
  const set = Object.entries(search).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== "",
  );
  return set.length === 0 ? "" : `?${new URLSearchParams(set).toString()}`;
}

const validateSearch = (search: Record<string, unknown>): Search => search as Search;

const root = createRootRoute({ component: StatusGate, notFoundComponent: NotFoundPage, validateSearch });

const openPages = createRoute({ getParentRoute: () => root, id: "open", component: PublicLayout });

const openDataPages = createRoute({
  getParentRoute: () => openPages,
  id: "data",
  component: lazyRouteComponent(() => import("./data-and-kit.tsx"), "DataAndKitPages"),
});

/** Pages anybody may read, with the command palette for who is logged in. */
const sitePages = createRoute({
  getParentRoute: () => root,
  id: "site",
  component: lazyRouteComponent(() => import("./site-layout.tsx"), "SiteLayout"),
});
const sheetPages = createRoute({
  getParentRoute: () => root,
  id: "sheet",
  component: lazyRouteComponent(() => import("./site-layout.tsx"), "SheetLayout"),
});

/** Guarded pages: without a stored user they lead to /login (spec section 2). */
const consolePages = createRoute({
  getParentRoute: () => root,
  id: "console",
  component: lazyRouteComponent(() => import("./shell/console-layout.tsx"), "ConsoleLayout"),
  beforeLoad: () => {
    if (viewer() === null) throw redirect({ to: "/login" });
  },
});

const home = createRoute({
  getParentRoute: () => sitePages,
  path: "/",
  loader: () => loadTexts("status"),
  component: lazyRouteComponent(() => import("../features/status/home-page.tsx"), "HomePage"),
});

const about = createRoute({
  getParentRoute: () => sitePages,
  path: "/about",
  loader: () => loadTexts("status"),
  component: lazyRouteComponent(() => import("../features/status/about-page.tsx"), "AboutPage"),
});

const pricing = createRoute({
  getParentRoute: () => sheetPages,
  path: "/pricing",
  loader: () => loadTexts("pricing"),
  component: lazyRouteComponent(() => import("../features/pricing/page.tsx"), "PricingPage"),
});

const setup = createRoute({
  getParentRoute: () => openDataPages,
  path: "/setup",
  loader: () => loadTexts("setup"),
  component: lazyRouteComponent(() => import("../features/setup/page.tsx"), "SetupPage"),
});

const login = createRoute({
  getParentRoute: () => openPages,
  path: "/login",
  beforeLoad: () => {
    if (viewer() !== null) throw redirect({ to: "/token" });
  },
  loader: () => loadTexts("sessions"),
  component: lazyRouteComponent(() => import("../features/sessions/page.tsx"), "LoginPage"),
});

const dashboard = createRoute({
  getParentRoute: () => consolePages,
  path: "/detail",
  loader: () => loadTexts("dashboard"),
  component: lazyRouteComponent(() => import("../features/dashboard/page.tsx"), "DashboardPage"),
});

const tokens = createRoute({
  getParentRoute: () => consolePages,
  path: "/token",
  loader: () => loadTexts("tokens"),
  component: lazyRouteComponent(() => import("../features/tokens/page.tsx"), "TokensPage"),
});

// The drawer's addresses are children without a page of their own, so that the list stays mounted behind the drawer.
const channels = createRoute({
  getParentRoute: () => consolePages,
  path: "/channel",
  loader: () => loadTexts("channels"),
  component: lazyRouteComponent(() => import("../features/channels/page.tsx"), "ChannelsPage"),
});
const channelAdd = createRoute({ getParentRoute: () => channels, path: "/add" });
const channelEdit = createRoute({ getParentRoute: () => channels, path: "/edit/$id" });

const logs = createRoute({
  getParentRoute: () => consolePages,
  path: "/log",
  loader: () => loadTexts("logs"),
  component: lazyRouteComponent(() => import("../features/logs/page.tsx"), "LogsPage"),
});

const routeTree = root.addChildren([
  openPages.addChildren([login, openDataPages.addChildren([setup])]),
  sitePages.addChildren([home, about]),
  sheetPages.addChildren([pricing]),
  consolePages.addChildren([dashboard, tokens, channels.addChildren([channelAdd, channelEdit]), logs]),
]);

/** Builds the router; pages begin to load when a link is pointed at. */
export function createAppRouter() {
  return createRouter({
    routeTree,
    parseSearch,
    stringifySearch: stringifySearch as (search: Record<string, unknown>) => string,
    defaultPreload: "intent",
    defaultErrorComponent: RouteError,
    defaultPendingMs: 300,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
