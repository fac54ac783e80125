/** The routes of the home page and of the page about the site: their addresses, texts and pages. */
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
