/** The route table of the console: which address shows which page, and what loads when it is opened; pages for everybody are in open-routes.tsx. */
import { createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { channelSearch } from "../features/channels/search.ts";
import { dashboardSearch } from "../features/dashboard/search.ts";
import { healthSearch } from "../features/health/search.ts";
import { logSearch } from "../features/logs/search.ts";
import { messageSearch } from "../features/notifications/search.ts";
import { settingSearch } from "../features/options/search.ts";
import { playgroundSearch } from "../features/playground/search.ts";
import { routingSearch } from "../features/routing/search.ts";
import { redemptionSearch } from "../features/redemptions/search.ts";
import { drawingSearch, taskSearch } from "../features/tasks/search.ts";
import { tokenSearch } from "../features/tokens/search.ts";
import { userSearch } from "../features/users/search.ts";
import { orderSearch, walletSearch } from "../features/wallet/search.ts";
import { parseSearch, stringifySearch } from "../lib/address.ts";
import { loadTexts } from "../lib/i18n.ts";
import { importPart } from "../ui/feedback/missing-part.ts";
import {
  about,
  consolePages,
  home,
  login,
  newPassword,
  oauth,
  openDataPages,
  openPages,
  pricing,
  register,
  reset,
  root,
  setup,
  sheetPages,
  sitePages,
} from "./open-routes.tsx";
import { RouteError } from "./route-error.tsx";

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

const redemptions = createRoute({
  getParentRoute: () => consolePages,
  path: "/redemption",
  validateSearch: redemptionSearch,
  loader: () => loadTexts("redemptions"),
  component: lazyRouteComponent(
    importPart(() => import("../features/redemptions/page.tsx")),
    "RedemptionsPage",
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

const playground = createRoute({
  getParentRoute: () => consolePages,
  path: "/playground",
  validateSearch: playgroundSearch,
  loader: () => loadTexts("playground"),
  component: lazyRouteComponent(
    importPart(() => import("../features/playground/page.tsx")),
    "PlaygroundPage",
  ),
});

const drawing = createRoute({
  getParentRoute: () => consolePages,
  path: "/midjourney",
  validateSearch: drawingSearch,
  loader: () => loadTexts("tasks"),
  component: lazyRouteComponent(
    importPart(() => import("../features/tasks/page.tsx")),
    "DrawingPage",
  ),
});

const tasks = createRoute({
  getParentRoute: () => consolePages,
  path: "/task",
  validateSearch: taskSearch,
  loader: () => loadTexts("tasks"),
  component: lazyRouteComponent(
    importPart(() => import("../features/tasks/page.tsx")),
    "TasksPage",
  ),
});

const chatFrame = createRoute({
  getParentRoute: () => sheetPages,
  path: "/chat/{-$id}",
  loader: () => loadTexts("chat"),
  component: lazyRouteComponent(
    importPart(() => import("../features/chat/frame-page.tsx")),
    "ChatFramePage",
  ),
});

const chatRedirect = createRoute({
  getParentRoute: () => consolePages,
  path: "/chat2link",
  loader: () => loadTexts("chat"),
  component: lazyRouteComponent(
    importPart(() => import("../features/chat/redirect-page.tsx")),
    "ChatRedirectPage",
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

const wallet = createRoute({
  getParentRoute: () => consolePages,
  path: "/topup",
  validateSearch: walletSearch,
  loader: () => loadTexts("wallet"),
  component: lazyRouteComponent(
    importPart(() => import("../features/wallet/page.tsx")),
    "WalletPage",
  ),
});

const orders = createRoute({
  getParentRoute: () => consolePages,
  path: "/topup/orders",
  validateSearch: orderSearch,
  loader: () => loadTexts("wallet"),
  component: lazyRouteComponent(
    importPart(() => import("../features/wallet/orders/page.tsx")),
    "OrdersPage",
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
  sheetPages.addChildren([pricing, chatFrame]),
  consolePages.addChildren([
    playground,
    chatRedirect,
    dashboard,
    tokens,
    channels.addChildren([channelAdd, channelEdit]),
    channelRoute,
    health,
    redemptions,
    users.addChildren([userAdd, userEdit]),
    logs,
    drawing,
    tasks,
    notifications,
    setting,
    wallet,
    orders,
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
