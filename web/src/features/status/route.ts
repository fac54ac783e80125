/** The routes of the home page, of the page about the site and of its user agreement and privacy policy: their addresses, texts and pages. */
import { loadTexts } from "../../lib/i18n.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

export const homeRoute = {
  path: "/",
  loader: () => loadTexts("status"),
  component: lazyPage(() => import("./home-page.tsx"), "HomePage"),
} as const;

export const aboutRoute = {
  path: "/about",
  loader: () => loadTexts("status"),
  component: lazyPage(() => import("./about-page.tsx"), "AboutPage"),
} as const;

export const agreementRoute = {
  path: "/user-agreement",
  loader: () => loadTexts("status"),
  component: lazyPage(() => import("./terms-pages.tsx"), "UserAgreementPage"),
} as const;

export const privacyRoute = {
  path: "/privacy-policy",
  loader: () => loadTexts("status"),
  component: lazyPage(() => import("./terms-pages.tsx"), "PrivacyPolicyPage"),
} as const;
