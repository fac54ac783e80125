/** The route table: which address shows which page, who may see it, and what loads when it is opened. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { channelSearch } from "../features/channels/search.ts";
import { dashboardSearch } from "../features/dashboard/search.ts";
import { healthSearch } from "../features/health/search.ts";
import { logSearch } from "../features/logs/search.ts";
import { messageSearch } from "../features/notifications/search.ts";
import { settingSearch } from "../features/options/search.ts";
import { pricingSearch } from "../features/pricing/search.ts";
import { routingSearch } from "../features/routing/search.ts";
import { loginSearch, newPasswordSearch, registerSearch } from "../features/sessions/search.ts";
import { setupSearch } from "../features/setup/search.ts";
import { tokenSearch } from "../features/tokens/search.ts";
import { userSearch } from "../features/users/search.ts";
import { parseSearch, stringifySearch } from "../lib/address.ts";
import { loadTexts } from "../lib/i18n.ts";
import { importPart } from "../ui/feedback/missing-part.ts";
import { nextAddress, wantedAddress } from "../lib/next-address.ts";
import { viewer } from "../lib/viewer.ts";
import { NotFoundPage } from "./not-found-page.tsx";
import { PublicLayout } from "./public-layout.tsx";
import { RouteError } from "./route-error.tsx";
import { StatusGate } from "./status-gate.tsx";

const root = createRootRoute({ component: StatusGate, notFoundComponent: NotFoundPage });

const openPages = createRoute({ getParentRoute: () => root, id: "open", component: PublicLayout });

const openDataPages = createRoute({
  getParentRoute: () => openPages,
  id: "data",
  component: lazyRouteComponent(
    importPart(() => import("./data-and-kit.tsx")),
    "DataAndKitPages",
  ),
});

/** Pages that anybody may read, with the command palette for logged-in users. */
const sitePages = createRoute({
  getParentRoute: () => root,
  id: "site",
  component: lazyRouteComponent(
    importPart(() => import("./site-layout.tsx")),
    "SiteLayout",
  ),
});
const sheetPages = createRoute({
  getParentRoute: () => root,
  id: "sheet",
  component: lazyRouteComponent(
    importPart(() => import("./site-layout.tsx")),
    "SheetLayout",
  ),
});

/** Guarded pages: without a stored user they lead to /login, which leads back to them. */
const consolePages = createRoute({
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

const home = createRoute({
  getParentRoute: () => sitePages,
  path: "/",
  loader: () => loadTexts("status"),
  component: lazyRouteComponent(
    importPart(() => import("../features/status/home-page.tsx")),
    "HomePage",
  ),
});

const about = createRoute({
  getParentRoute: () => sitePages,
  path: "/about",
  loader: () => loadTexts("status"),
  component: lazyRouteComponent(
    importPart(() => import("../features/status/about-page.tsx")),
    "AboutPage",
  ),
});

const pricing = createRoute({
  getParentRoute: () => sheetPages,
  path: "/pricing",
  validateSearch: pricingSearch,
  loader: () => loadTexts("pricing"),
  component: lazyRouteComponent(
    importPart(() => import("../features/pricing/page.tsx")),
    "PricingPage",
  ),
});

const setup = createRoute({
  getParentRoute: () => openDataPages,
  path: "/setup",
  validateSearch: setupSearch,
  loader: () => loadTexts("setup"),
  component: lazyRouteComponent(
    importPart(() => import("../features/setup/page.tsx")),
    "SetupPage",
  ),
});

const login = createRoute({
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

const register = createRoute({
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

const reset = createRoute({
  getParentRoute: () => openPages,
  path: "/reset",
  loader: () => loadTexts("sessions"),
  component: lazyRouteComponent(
    importPart(() => import("../features/sessions/reset-page.tsx")),
    "ResetPage",
  ),
});

const newPassword = createRoute({
  getParentRoute: () => openPages,
  path: "/user/reset",
  validateSearch: newPasswordSearch,
  loader: () => loadTexts("sessions"),
  component: lazyRouteComponent(
    importPart(() => import("../features/sessions/new-password-page.tsx")),
    "NewPasswordPage",
  ),
});

const oauth = createRoute({
  getParentRoute: () => openPages,
  path: "/oauth/$provider",
  loader: () => loadTexts("sessions"),
  component: lazyRouteComponent(
    importPart(() => import("../features/sessions/oauth-page.tsx")),
    "OauthPage",
  ),
});

const dashboard = createRoute({
  getParentRoute: () => consolePages,
  path: "/detail",
  validateSearch: dashboardSearch,
  loader: () => loadTexts("dashboard"),
  component: lazyRouteComponent(
    importPart(() => import("../features/dashboard/page.tsx")),
    "DashboardPage",
  ),
});

const tokens = createRoute({
  getParentRoute: () => consolePages,
  path: "/token",
  validateSearch: tokenSearch,
  loader: () => loadTexts("tokens"),
  component: lazyRouteComponent(
    importPart(() => import("../features/tokens/page.tsx")),
    "TokensPage",
  ),
});

// The drawer's addresses are child routes without a component, so that the list stays mounted behind the drawer.
const channels = createRoute({
  getParentRoute: () => consolePages,
  path: "/channel",
  validateSearch: channelSearch,
  loader: () => loadTexts("channels"),
  component: lazyRouteComponent(
    importPart(() => import("../features/channels/page.tsx")),
    "ChannelsPage",
  ),
});
const channelAdd = createRoute({ getParentRoute: () => channels, path: "/add" });
const channelEdit = createRoute({ getParentRoute: () => channels, path: "/edit/$id" });

const channelRoute = createRoute({
  getParentRoute: () => consolePages,
  path: "/channel/route",
  validateSearch: routingSearch,
  // The reasons have one set of words, here and in receipts.
  loader: () => loadTexts("routing", "logs"),
  component: lazyRouteComponent(
    importPart(() => import("../features/routing/page.tsx")),
    "RoutingPage",
  ),
});

const health = createRoute({
  getParentRoute: () => consolePages,
  path: "/channel/health",
  validateSearch: healthSearch,
  loader: () => loadTexts("health"),
  component: lazyRouteComponent(
    importPart(() => import("../features/health/page.tsx")),
    "HealthPage",
  ),
});

const users = createRoute({
  getParentRoute: () => consolePages,
  path: "/user",
  validateSearch: userSearch,
  loader: () => loadTexts("users"),
  component: lazyRouteComponent(
    importPart(() => import("../features/users/page.tsx")),
    "UsersPage",
  ),
});
const userAdd = createRoute({ getParentRoute: () => users, path: "/add" });
const userEdit = createRoute({ getParentRoute: () => users, path: "/edit/$id" });

const logs = createRoute({
  getParentRoute: () => consolePages,
  path: "/log",
  validateSearch: logSearch,
  loader: () => loadTexts("logs"),
  component: lazyRouteComponent(
    importPart(() => import("../features/logs/page.tsx")),
    "LogsPage",
  ),
});

const notifications = createRoute({
  getParentRoute: () => consolePages,
  path: "/notification",
  validateSearch: messageSearch,
  loader: () => loadTexts("notifications"),
  component: lazyRouteComponent(
    importPart(() => import("../features/notifications/page.tsx")),
    "NotificationsPage",
  ),
});

const setting = createRoute({
  getParentRoute: () => consolePages,
  path: "/setting",
  validateSearch: settingSearch,
  loader: () => loadTexts("options"),
  component: lazyRouteComponent(
    importPart(() => import("./setting-page.tsx")),
    "SettingPage",
  ),
});

// /user/edit is the same page with a drawer over it: both stand in one route without a path, so that the page stays mounted.
const personalPages = createRoute({
  getParentRoute: () => consolePages,
  id: "personal",
  loader: () => loadTexts("personal"),
  component: lazyRouteComponent(
    importPart(() => import("../features/personal/page.tsx")),
    "PersonalPage",
  ),
});
const personal = createRoute({ getParentRoute: () => personalPages, path: "/personal" });
const personalEdit = createRoute({ getParentRoute: () => personalPages, path: "/user/edit" });

const routeTree = root.addChildren([
  openPages.addChildren([login, register, reset, newPassword, oauth, openDataPages.addChildren([setup])]),
  sitePages.addChildren([home, about]),
  sheetPages.addChildren([pricing]),
  consolePages.addChildren([
    dashboard,
    tokens,
    channels.addChildren([channelAdd, channelEdit]),
    channelRoute,
    health,
    users.addChildren([userAdd, userEdit]),
    logs,
    notifications,
    setting,
    personalPages.addChildren([personal, personalEdit]),
  ]),
]);

/** Builds the router; hovering over a link preloads its page. */
export function createAppRouter() {
  return createRouter({
    routeTree,
    parseSearch,
    stringifySearch,
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
