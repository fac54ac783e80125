/** What the gallery photographs: every page of the console, and the states of pages that one click, key or answer away. */
import type { GalleryPage } from "./gallery-page.ts";
import { BALANCE_STATES } from "./balance-states.ts";
import { DASHBOARD_STATES } from "./dashboard-states.ts";
import { DRY_RUN_STATES } from "./dry-run-states.ts";
import { LOG_STATES } from "./log-states.ts";
import { isFew, LOOKS, type Look, lookName } from "./look.ts";
import { PEOPLE_STATES } from "./people-states.ts";
import { PRICE_LIST_STATES } from "./price-list-states.ts";
import { PRICE_EDITOR_STATES } from "./price-editor-states.ts";
import { PRICING_STATES } from "./pricing-states.ts";
import { SETTING_STATES, SETTING_TABS } from "./setting-states.ts";
import { SHELL_STATES } from "./shell-states.ts";
import { SPECIAL_SETTING_STATES } from "./special-setting-states.ts";
import { TABLE_STATES } from "./table-states.ts";

const PLAIN: readonly GalleryPage[] = [
  { name: "setup", path: "/setup", as: "fresh" },
  { name: "home", path: "/", as: "guest" },
  { name: "about", path: "/about", as: "guest" },
  { name: "pricing-guest", path: "/pricing", as: "guest" },
  { name: "pricing", path: "/pricing", as: "root" },
  { name: "login", path: "/login", as: "guest" },
  { name: "login-expired", path: "/login?expired=true", as: "guest", isState: true },
  { name: "register", path: "/register", as: "guest" },
  { name: "not-found", path: "/there-is-no-such-page", as: "guest", isState: true },
  { name: "dashboard", path: "/detail", as: "root" },
  { name: "tokens", path: "/token", as: "root" },
  { name: "channels", path: "/channel", as: "root" },
  { name: "channel-add", path: "/channel/add", as: "root", isState: true },
  { name: "channel-edit", path: "/channel/edit/1", as: "root" },
  {
    name: "channel-costs",
    path: "/channel/edit/2",
    as: "root",
    isState: true,
    steps: [{ scrollTo: '[role="dialog"] input[placeholder="1"]' }],
  },
  {
    name: "channel-costs-json",
    path: "/channel/edit/2",
    as: "root",
    isState: true,
    steps: [{ click: '[role="dialog"] button:text-matches("JSON", "i")' }, { scrollTo: '[role="dialog"] .cm-content' }],
  },
  {
    name: "channel-keys",
    path: "/channel",
    as: "root",
    isState: true,
    steps: [{ click: 'button:text-matches("/10", "i")' }, { wait: '[role="dialog"] table' }],
  },
  {
    name: "channel-keys-text",
    path: "/channel",
    as: "root",
    isState: true,
    steps: [
      { click: 'button:text-matches("/10", "i")' },
      { click: '[role="dialog"] textarea' },
      { type: "sk-a-first-key-0123456789\nsk-a-second-key-0123456789\nsk-a-first-key-0123456789" },
    ],
  },
  {
    name: "channel-keys-failed",
    path: "/channel",
    as: "root",
    isState: true,
    steps: [{ click: 'button:text-matches("/10", "i")' }, { wait: '[role="dialog"] [role="alert"]' }],
    answers: [{ url: "**/api/channel/*/keys*", answer: "fails" }],
  },
  {
    name: "channel-keys-make",
    path: "/channel/add",
    as: "root",
    isState: true,
    steps: [
      { click: '[role="dialog"] textarea' },
      { type: "sk-a-first-key-0123456789\nsk-a-second-key-0123456789\nsk-a-third-key-0123456789" },
      { click: '[role="dialog"] [role="radio"]', index: 1 },
    ],
  },
  { name: "channel-route", path: "/channel/route?model=gpt-4.1&input=2000", as: "root" },
  { name: "channel-route-empty", path: "/channel/route", as: "root", isState: true },
  { name: "channel-health", path: "/channel/health", as: "root" },
  { name: "users", path: "/user", as: "root" },
  { name: "personal", path: "/personal", as: "user" },
  { name: "notifications", path: "/notification", as: "root" },
  { name: "logs", path: "/log", as: "root" },
  { name: "logs-week", path: "/log?range=week", as: "root", isState: true },
];

export const PAGES: readonly GalleryPage[] = [
  ...PLAIN,
  ...SETTING_TABS,
  ...[
    ...LOG_STATES,
    ...BALANCE_STATES,
    ...DASHBOARD_STATES,
    ...PRICE_LIST_STATES,
    ...PRICING_STATES,
    ...SHELL_STATES,
    ...PEOPLE_STATES,
    ...DRY_RUN_STATES,
    ...SETTING_STATES,
    ...SPECIAL_SETTING_STATES,
    ...TABLE_STATES,
    ...PRICE_EDITOR_STATES,
  ].map((page) => ({
    ...page,
    isState: true,
  })),
];

/** The looks a page is shown in. */
export const looksOf = ({ isState }: GalleryPage): readonly Look[] => (isState === true ? LOOKS.filter(isFew) : LOOKS);

export const pictureName = (page: GalleryPage, look: Look): string => `${page.name}-${lookName(look)}.png`;
