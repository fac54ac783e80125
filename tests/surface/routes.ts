/** Addresses of the console that users bookmark and other sites link to, and who may open each. */

export interface SurfaceRoute {
  /** An address as a browser shows it; `7` stands for an id. */
  address: string;
  /** `open`: anyone. `guarded`: without a stored user it leads to /login. */
  access: "open" | "guarded";
}

const open = (...addresses: string[]): SurfaceRoute[] => addresses.map((address) => ({ address, access: "open" }));
const guarded = (...addresses: string[]): SurfaceRoute[] =>
  addresses.map((address) => ({ address, access: "guarded" }));

export const ROUTES: readonly SurfaceRoute[] = [
  ...open(
    "/",
    "/setup",
    "/login",
    "/register",
    "/reset",
    "/user/reset",
    "/pricing",
    "/models/7",
    "/models/compare",
    "/share/7",
    "/about",
    "/user-agreement",
    "/privacy-policy",
  ),
  ...open("/oauth/github", "/oauth/oidc", "/oauth/linuxdo", "/chat", "/chat/7"),
  ...guarded("/channel", "/channel/add", "/channel/edit/7", "/token", "/connect", "/redemption"),
  ...guarded(
    "/user",
    "/user/edit/7",
    "/user/edit",
    "/user/permissions",
    "/setting",
    "/personal",
    "/personal/security",
    "/topup",
  ),
  ...guarded("/log", "/detail", "/midjourney", "/task", "/playground", "/studio", "/chat2link"),
];

/** The tabs of the settings page, in the query parameter `tab`; the first is shown without one. */
export const SETTING_TABS = ["operation", "ratelimit", "models", "system", "other"] as const;
