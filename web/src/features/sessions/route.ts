/** The routes of logging in, registering and resetting a password: their addresses, texts and pages. */
import { loadTexts } from "../../lib/i18n.ts";
import { oneOf, searchReader, text } from "../../lib/search.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

const loginSearch = searchReader({ expired: oneOf("true"), registered: oneOf("true"), next: text, aff: text });
export const registerSearch = searchReader({ next: text, aff: text });
const newPasswordSearch = searchReader({ email: text, token: text });

export const loginRoute = {
  path: "/login",
  validateSearch: loginSearch,
  loader: () => loadTexts("sessions"),
  component: lazyPage(() => import("./page.tsx"), "LoginPage"),
} as const;

export const registerRoute = {
  path: "/register",
  validateSearch: registerSearch,
  loader: () => loadTexts("sessions", "error-codes"),
  component: lazyPage(() => import("./register-page.tsx"), "RegisterPage"),
} as const;

export const resetRoute = {
  path: "/reset",
  loader: () => loadTexts("sessions"),
  component: lazyPage(() => import("./reset-page.tsx"), "ResetPage"),
} as const;

export const newPasswordRoute = {
  path: "/user/reset",
  validateSearch: newPasswordSearch,
  loader: () => loadTexts("sessions"),
  component: lazyPage(() => import("./new-password-page.tsx"), "NewPasswordPage"),
} as const;

export const invitationRoute = {
  path: "/invitation",
  validateSearch: searchReader({ token: text }),
  loader: () => loadTexts("sessions", "error-codes"),
  component: lazyPage(() => import("./invitation-page.tsx"), "InvitationPage"),
} as const;

export const oauthRoute = {
  path: "/oauth/$provider",
  loader: () => loadTexts("sessions"),
  component: lazyPage(() => import("./oauth-page.tsx"), "OauthPage"),
} as const;
