/** The route table of the console: the frame that each page stands in. Pages for everybody are in open-routes.tsx; a feature's route.ts says what its address shows. */
import { createRoute, createRouter } from "@tanstack/react-router";
import { channelsRoute } from "../features/channels/route.ts";
import { chatFrameRoute, chatRedirectRoute } from "../features/chat/route.ts";
import { dashboardRoute } from "../features/dashboard/route.ts";
import { healthRoute } from "../features/health/route.ts";
import { logsRoute } from "../features/logs/route.ts";
import { notificationsRoute } from "../features/notifications/route.ts";
import { settingRoute } from "../features/options/route.ts";
import { personalRoute } from "../features/personal/route.ts";
import { playgroundRoute } from "../features/playground/route.ts";
import { redemptionsRoute } from "../features/redemptions/route.ts";
import { routingRoute } from "../features/routing/route.ts";
import { imageTasksRoute, tasksRoute } from "../features/tasks/route.ts";
import { tokensRoute } from "../features/tokens/route.ts";
import { usersRoute } from "../features/users/route.ts";
import { ordersRoute, walletRoute } from "../features/wallet/route.ts";
import { parseSearch, stringifySearch } from "../lib/address.ts";
import { lazyPage } from "../ui/lazy-page.ts";
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
  secureAccount,
  setup,
  sheetPages,
  sitePages,
} from "./open-routes.tsx";
import { RouteError } from "./route-error.tsx";

const inConsole = { getParentRoute: () => consolePages };

const playground = createRoute({ ...inConsole, ...playgroundRoute });
const chatRedirect = createRoute({ ...inConsole, ...chatRedirectRoute });
const dashboard = createRoute({ ...inConsole, ...dashboardRoute });
const tokens = createRoute({ ...inConsole, ...tokensRoute });
const routing = createRoute({ ...inConsole, ...routingRoute });
const health = createRoute({ ...inConsole, ...healthRoute });
const redemptions = createRoute({ ...inConsole, ...redemptionsRoute });
const logs = createRoute({ ...inConsole, ...logsRoute });
const imageTasks = createRoute({ ...inConsole, ...imageTasksRoute });
const tasks = createRoute({ ...inConsole, ...tasksRoute });
const notifications = createRoute({ ...inConsole, ...notificationsRoute });
const wallet = createRoute({ ...inConsole, ...walletRoute });
const orders = createRoute({ ...inConsole, ...ordersRoute });
const setting = createRoute({
  ...inConsole,
  ...settingRoute,
  component: lazyPage(() => import("./setting-page.tsx"), "SettingPage"),
});

// The drawers' addresses are child routes without a component, so that the list stays mounted behind the drawer.
const channels = createRoute({ ...inConsole, ...channelsRoute });
const channelAdd = createRoute({ getParentRoute: () => channels, path: "/add" });
const channelEdit = createRoute({ getParentRoute: () => channels, path: "/edit/$id" });

const users = createRoute({ ...inConsole, ...usersRoute });
const userAdd = createRoute({ getParentRoute: () => users, path: "/add" });
const userEdit = createRoute({ getParentRoute: () => users, path: "/edit/$id" });

// /user/edit is the same page with a drawer over it: both stand in one route without a path, so that the page stays mounted.
const personalPages = createRoute({ ...inConsole, ...personalRoute, id: "personal" });
const personal = createRoute({ getParentRoute: () => personalPages, path: "/personal" });
const personalEdit = createRoute({ getParentRoute: () => personalPages, path: "/user/edit" });

const chatFrame = createRoute({ getParentRoute: () => sheetPages, ...chatFrameRoute });

const routeTree = root.addChildren([
  openPages.addChildren([login, register, reset, newPassword, oauth, openDataPages.addChildren([setup])]),
  secureAccount,
  sitePages.addChildren([home, about]),
  sheetPages.addChildren([pricing, chatFrame]),
  consolePages.addChildren([
    playground,
    chatRedirect,
    dashboard,
    tokens,
    channels.addChildren([channelAdd, channelEdit]),
    routing,
    health,
    redemptions,
    users.addChildren([userAdd, userEdit]),
    logs,
    imageTasks,
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
