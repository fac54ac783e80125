/** The routes of chat applications: one in a frame, and the way to another site. */
import { loadTexts } from "../../lib/i18n.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

export const chatFrameRoute = {
  path: "/chat/{-$id}",
  loader: () => loadTexts("chat"),
  component: lazyPage(() => import("./frame-page.tsx"), "ChatFramePage"),
} as const;

export const chatRedirectRoute = {
  path: "/chat2link",
  loader: () => loadTexts("chat"),
  component: lazyPage(() => import("./redirect-page.tsx"), "ChatRedirectPage"),
} as const;
