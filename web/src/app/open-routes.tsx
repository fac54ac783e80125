/** The root of the routes, the layouts that pages stand in, and the pages that need no login. */
import { createRootRoute, createRoute, redirect } from "@tanstack/react-router";
import { isPricingForUsers, readHeaderChoice } from "../../../contract/src/bar-entries.ts";
import { chatFrameRoute } from "../features/chat/route.ts";
import { statusPageRoute } from "../features/health/route.ts";
import { chatShareRoute } from "../features/playground/route.ts";
import { compareRoute, modelRoute, pricingRoute } from "../features/pricing/route.ts";
import {
  loginRoute,
  invitationRoute,
  newPasswordRoute,
  oauthRoute,
  registerRoute,
  registerSearch,
  resetRoute,
} from "../features/sessions/route.ts";
import { setupRoute } from "../features/setup/route.ts";
import { aboutRoute, agreementRoute, homeRoute, privacyRoute } from "../features/status/route.ts";
import { loadTexts } from "../lib/i18n.ts";
import { nextAddress, secureAddress, wantedAddress } from "../lib/next-address.ts";
import { status } from "../lib/status.ts";
import { viewer } from "../lib/viewer.ts";
import { lazyPage } from "../ui/lazy-page.ts";
import { NotFoundPage } from "./not-found-page.tsx";
import { PublicLayout } from "./public-layout.tsx";
import { StatusGate } from "./status-gate.tsx";

export const root = createRootRoute({ component: StatusGate, notFoundComponent: NotFoundPage });

const openPages = createRoute({ getParentRoute: () => root, id: "open", component: PublicLayout });

const openDataPages = createRoute({
  getParentRoute: () => openPages,
  id: "data",
  component: lazyPage(() => import("./data-and-kit.tsx"), "DataAndKitPages"),
});

/** Public pages, with the command palette for logged-in users. */
const sitePages = createRoute({
  getParentRoute: () => root,
  id: "site",
  component: lazyPage(() => import("./site-layout.tsx"), "SiteLayout"),
});
const sheetPages = createRoute({
  getParentRoute: () => root,
  id: "sheet",
  component: lazyPage(() => import("./site-layout.tsx"), "SheetLayout"),
});

/** Pages that need a login: without a stored user they redirect to /login, which leads back to them; so does the page of a required action. */
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

const home = createRoute({ getParentRoute: () => sitePages, ...homeRoute });
const about = createRoute({ getParentRoute: () => sitePages, ...aboutRoute });
const agreement = createRoute({ getParentRoute: () => sitePages, ...agreementRoute });
const privacy = createRoute({ getParentRoute: () => sitePages, ...privacyRoute });
const statusPage = createRoute({ getParentRoute: () => sitePages, ...statusPageRoute });
/** The server refuses the list to visitors where the site says so, and the pages of its models with it. */
const forPricing = {
  beforeLoad: ({ location }: { location: { href: string } }) => {
    const isForUsers = isPricingForUsers(readHeaderChoice(status().HeaderNavModules));
    if (viewer() === null && isForUsers) throw redirect({ to: "/login", search: wantedAddress(location.href) });
  },
};
const chatShare = createRoute({ getParentRoute: () => sitePages, ...chatShareRoute });
const pricing = createRoute({ getParentRoute: () => sheetPages, ...pricingRoute, ...forPricing });
const compare = createRoute({ getParentRoute: () => sitePages, ...compareRoute, ...forPricing });
const model = createRoute({ getParentRoute: () => sitePages, ...modelRoute, ...forPricing });
const chatFrame = createRoute({ getParentRoute: () => sheetPages, ...chatFrameRoute });
const setup = createRoute({ getParentRoute: () => openDataPages, ...setupRoute });
const reset = createRoute({ getParentRoute: () => openPages, ...resetRoute });
const newPassword = createRoute({ getParentRoute: () => openPages, ...newPasswordRoute });
const invitation = createRoute({ getParentRoute: () => openPages, ...invitationRoute });
const oauth = createRoute({ getParentRoute: () => openPages, ...oauthRoute });

function redirectLoggedIn({ search }: { search: { next?: string | undefined } }): void {
  if (viewer() !== null) throw redirect({ href: nextAddress(search.next) });
}
const login = createRoute({
  getParentRoute: () => openPages,
  ...loginRoute,
  beforeLoad: redirectLoggedIn,
});
const register = createRoute({
  getParentRoute: () => openPages,
  ...registerRoute,
  beforeLoad: redirectLoggedIn,
});

/** Without the console's layout: the server refuses all its pages until the account is secured. */
const secureAccount = createRoute({
  getParentRoute: () => root,
  path: "/secure-account",
  validateSearch: registerSearch,
  beforeLoad: ({ search: { next } }) => {
    if (viewer() === null) throw redirect({ to: "/login", search: { next } });
  },
  loader: () => loadTexts("personal"),
  component: lazyPage(() => import("./secure-account.tsx"), "SecureAccount"),
});

export const openBranches = [
  openPages.addChildren([login, register, reset, newPassword, invitation, oauth, openDataPages.addChildren([setup])]),
  secureAccount,
  sitePages.addChildren([home, about, agreement, privacy, statusPage, compare, model, chatShare]),
  sheetPages.addChildren([pricing, chatFrame]),
] as const;
