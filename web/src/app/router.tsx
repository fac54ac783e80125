/** The route table: the pages of the console. Pages that need no login are in open-routes.tsx; a feature's route.ts has its path, search and page. */
import { createRoute, createRouter } from "@tanstack/react-router";
import { auditRoute } from "../features/audit/route.ts";
import { systemRoute } from "../features/system/route.ts";
import { channelPageRoute, channelsRoute } from "../features/channels/route.ts";
import { chatRedirectRoute } from "../features/chat/route.ts";
import { dashboardRoute } from "../features/dashboard/route.ts";
import { healthRoute } from "../features/health/route.ts";
import { logsRoute } from "../features/logs/route.ts";
import { notificationsRoute } from "../features/notifications/route.ts";
import { settingRoute } from "../features/options/route.ts";
import { personalRoute, securityRoute } from "../features/personal/route.ts";
import { playgroundRoute } from "../features/playground/route.ts";
import { pricesRoute } from "../features/prices/route.ts";
import { redemptionsRoute } from "../features/redemptions/route.ts";
import { routingRoute } from "../features/routing/route.ts";
import { imageTasksRoute, studioRoute, tasksRoute } from "../features/tasks/route.ts";
import { connectRoute, tokensRoute } from "../features/tokens/route.ts";
import { permissionsRoute, personRoute, usersRoute } from "../features/users/route.ts";
import { ordersRoute, statementRoute, walletRoute } from "../features/wallet/route.ts";
import { parseSearch, stringifySearch } from "../lib/address.ts";
import { lazyPage } from "../ui/lazy-page.ts";
import { consolePages, openBranches, root } from "./open-routes.tsx";
import { RouteError } from "./route-error.tsx";

const inConsole = { getParentRoute: () => consolePages };
const SettingPage = lazyPage(() => import("./setting-page.tsx"), "SettingPage");

// A drawer's address is a child without a component, so that the list stays mounted behind the drawer; so is /user/edit, a drawer over /personal.
const channels = createRoute({ ...inConsole, ...channelsRoute });
const users = createRoute({ ...inConsole, ...usersRoute });
const personal = createRoute({ ...inConsole, ...personalRoute, id: "personal" });

const consoleRoutes = consolePages.addChildren([
  createRoute({ ...inConsole, ...playgroundRoute }),
  createRoute({ ...inConsole, ...chatRedirectRoute }),
  createRoute({ ...inConsole, ...dashboardRoute }),
  createRoute({ ...inConsole, ...tokensRoute }),
  createRoute({ ...inConsole, ...connectRoute }),
  channels.addChildren([
    createRoute({ getParentRoute: () => channels, path: "/add" }),
    createRoute({ getParentRoute: () => channels, path: "/edit/$id" }),
  ]),
  createRoute({ ...inConsole, ...routingRoute }),
  createRoute({ ...inConsole, ...healthRoute }),
  createRoute({ ...inConsole, ...pricesRoute }),
  createRoute({ ...inConsole, ...redemptionsRoute }),
  createRoute({ ...inConsole, ...permissionsRoute }),
  users.addChildren([
    createRoute({ getParentRoute: () => users, path: "/add" }),
    createRoute({ getParentRoute: () => users, path: "/edit/$id" }),
  ]),
  createRoute({ ...inConsole, ...channelPageRoute }),
  createRoute({ ...inConsole, ...personRoute }),
  createRoute({ ...inConsole, ...auditRoute }),
  createRoute({ ...inConsole, ...systemRoute }),
  createRoute({ ...inConsole, ...logsRoute }),
  createRoute({ ...inConsole, ...studioRoute }),
  createRoute({ ...inConsole, ...imageTasksRoute }),
  createRoute({ ...inConsole, ...tasksRoute }),
  createRoute({ ...inConsole, ...notificationsRoute }),
  createRoute({ ...inConsole, ...settingRoute, component: SettingPage }),
  createRoute({ ...inConsole, ...walletRoute }),
  createRoute({ ...inConsole, ...statementRoute }),
  createRoute({ ...inConsole, ...ordersRoute }),
  createRoute({ ...inConsole, ...securityRoute }),
  personal.addChildren([
    createRoute({ getParentRoute: () => personal, path: "/personal" }),
    createRoute({ getParentRoute: () => personal, path: "/user/edit" }),
  ]),
]);

/** Builds the router; hovering over a link preloads its page. */
export function createAppRouter() {
  return createRouter({
    routeTree: root.addChildren([...openBranches, consoleRoutes]),
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
