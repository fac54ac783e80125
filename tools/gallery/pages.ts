/** The list of screenshots: every page of the console, and the states of pages that are one click, key or response away. */
import type { OwnOrder } from "../../contract/src/payments/orders.ts";
import type { GalleryPage, StubbedAnswer } from "./gallery-page.ts";
import { BALANCE_STATES } from "./balance-states.ts";
import { DASHBOARD_STATES } from "./dashboard-states.ts";
import { DRY_RUN_STATES } from "./dry-run-states.ts";
import { FAMILY_STATES } from "./family-states.ts";
import { LOG_STATES } from "./log-states.ts";
import { MANAGED_STATES } from "./managed-states.ts";
import { MATRIX_STATES } from "./matrix-states.ts";
import { HEALTH_PAGES, HEALTH_STATES } from "./health-states.ts";
import { isFew, LOOKS, type Look, lookName } from "./look.ts";
import { PEOPLE_STATES, site } from "./people-states.ts";
import { PAGE_STATES } from "./page-states.ts";
import { PLAYGROUND_STATES } from "./playground-states.ts";
import { PRICE_LIST_STATES } from "./price-list-states.ts";
import { PRICE_EDITOR_STATES } from "./price-editor-states.ts";
import { PRICING_STATES } from "./pricing-states.ts";
import { REQUIRED_STATES } from "./required-states.ts";
import { SETTING_STATES, SETTING_TABS } from "./setting-states.ts";
import { SHARE_PAGES, SHARE_STATES } from "./share-states.ts";
import { SHELL_STATES } from "./shell-states.ts";
import { SPECIAL_SETTING_STATES } from "./special-setting-states.ts";
import { TASK_PAGES, TASK_STATES } from "./task-states.ts";
import { TABLE_STATES } from "./table-states.ts";

/** Codes that a picture shows, instead of such that stay in the list of every picture after it. */
const EXAMPLE_CODES = Array.from({ length: 10 }, (_, index) => `${index}f9a0c11d2e84b56a1f09c3d7e6512b${index}`);

/** Online top-up as a site has it that sells by three ways; no provider stands behind the pictures. */
const WALLET: readonly StubbedAnswer[] = [
  site({ enable_online_topup: true, top_up_link: "https://shop.example/codes" }),
  {
    url: "**/api/user/amount",
    answer: { data: "69.35", currency: "CNY", quota: 5_000_000, discount: "1", full_price: "69.35" },
  },
  {
    url: "**/api/user/topup/info",
    answer: {
      data: {
        methods: [
          { name: "zfb", currency: "CNY", price: "7.3", title: "", color: "", minimum: 5 },
          { name: "wx", currency: "CNY", price: "7.3", title: "", color: "", minimum: 5 },
          { name: "stripe", currency: "USD", price: "1", title: "", color: "", minimum: 5 },
        ],
        amount_unit: "units",
        minimum: 5,
        presets: [10, 50, 100, 500, 1000],
        discount: { "100": 0.95 },
        quota_per_unit: 500_000,
        group: "default",
        group_ratio: "0.95",
        top_up_link: "https://shop.example/codes",
      },
    },
  },
];

/** The order of a buyer who comes back from the provider's page. */
const RETURNED: StubbedAnswer = {
  url: "**/api/user/topup/self/7/check",
  answer: {
    data: {
      id: 7,
      trade_no: "TP20261128091512KX42",
      status: "paid",
      method: "stripe",
      quota: 5_000_000,
      money: "10.00",
      currency: "USD",
      refunded: "0",
      disputed: "0",
      taken_back: 0,
      created_time: 1_796_000_000,
      completed_time: 1_796_000_060,
    } satisfies OwnOrder,
  },
};

const PLAIN: readonly GalleryPage[] = [
  { name: "setup", path: "/setup", as: "fresh" },
  { name: "home", path: "/", as: "guest" },
  { name: "about", path: "/about", as: "guest" },
  { name: "user-agreement", path: "/user-agreement", as: "guest", isState: true },
  { name: "privacy-policy", path: "/privacy-policy", as: "guest", isState: true },
  { name: "pricing-guest", path: "/pricing", as: "guest" },
  { name: "pricing", path: "/pricing", as: "root" },
  { name: "login", path: "/login", as: "guest" },
  { name: "login-expired", path: "/login?expired=true", as: "guest", isState: true },
  { name: "register", path: "/register", as: "guest" },
  { name: "not-found", path: "/there-is-no-such-page", as: "guest", isState: true },
  { name: "playground", path: "/playground", as: "root" },
  { name: "studio", path: "/studio", as: "user" },
  { name: "model-page", path: "/models/gpt-4.1", as: "root" },
  ...SHARE_PAGES,
  { name: "chat-redirecting", path: "/chat", as: "root", isState: true },
  { name: "dashboard", path: "/detail", as: "root" },
  { name: "tokens", path: "/token", as: "root" },
  { name: "connect", path: "/connect?token=1", as: "root" },
  { name: "channels", path: "/channel", as: "root" },
  { name: "channel-add", path: "/channel/add", as: "root", isState: true },
  { name: "channel-edit", path: "/channel/edit/1", as: "root" },
  ...MATRIX_STATES,
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
    path: "/channel?size=20",
    as: "root",
    isState: true,
    steps: [{ click: 'button:text-matches("/10", "i")' }, { wait: '[role="dialog"] table' }],
  },
  {
    name: "channel-keys-text",
    path: "/channel?size=20",
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
    path: "/channel?size=20",
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
  { name: "channel-page", path: "/channel/1", as: "root" },
  { name: "channel-page-history", path: "/channel/1?tab=history", as: "root" },
  { name: "channel-page-failures", path: "/channel/1?tab=failures", as: "root" },
  {
    name: "channel-page-edit",
    path: "/channel/1?tab=edit",
    as: "root",
    isState: true,
    steps: [{ wait: "form [data-field]" }],
  },
  {
    name: "channel-page-edit-failed",
    path: "/channel/1?tab=edit",
    as: "root",
    isState: true,
    steps: [{ wait: '[role="alert"]' }],
    answers: [{ url: "**/api/channel/providers*", answer: "fails" }],
  },
  {
    name: "channel-page-margin",
    path: "/channel/1",
    as: "root",
    isState: true,
    steps: [{ scrollTo: "main section:nth-of-type(3)" }],
  },
  { name: "audit", path: "/audit", as: "root" },
  { name: "system", path: "/system", as: "root" },
  {
    name: "system-failed",
    path: "/system",
    as: "root",
    isState: true,
    steps: [{ wait: '[role="alert"]' }, { scrollTo: '[role="alert"]' }],
    answers: [{ url: "**/api/system*", answer: "fails" }],
  },
  { name: "channel-route-empty", path: "/channel/route", as: "root", isState: true },
  ...HEALTH_PAGES,
  { name: "redemptions", path: "/redemption", as: "root" },
  { name: "redemption-create", path: "/redemption?open=create", as: "root", isState: true },
  {
    name: "redemption-made",
    path: "/redemption?open=create",
    as: "root",
    isState: true,
    steps: [
      { click: '[role="dialog"] button:text-is("10")' },
      { click: '[role="dialog"] button[type="submit"]' },
      { wait: '[role="dialog"] pre' },
    ],
    answers: [{ url: "**/api/redemption", answer: { data: EXAMPLE_CODES } }],
  },
  // Before those that sell: a page begins as the site was when it was last seen.
  { name: "wallet-off", path: "/topup", as: "user", isState: true },
  { name: "wallet", path: "/topup", as: "user", answers: WALLET },
  {
    name: "wallet-minimum",
    path: "/topup",
    as: "user",
    isState: true,
    answers: WALLET,
    steps: [
      { click: 'input[inputmode="numeric"]' },
      { press: "Backspace" },
      { press: "Backspace" },
      { type: "2" },
      { press: "Enter" },
    ],
  },
  { name: "wallet-returned", path: "/topup?order=7", as: "user", isState: true, answers: [...WALLET, RETURNED] },
  { name: "prices-page", path: "/prices", as: "root" },
  { name: "prices-changes", path: "/prices?tab=changes", as: "root" },
  { name: "statement", path: "/topup/statement", as: "user" },
  { name: "statement-nothing", path: "/topup/statement?month=2020-01", as: "user", isState: true },
  { name: "orders", path: "/topup/orders", as: "root" },
  { name: "order-details", path: "/topup/orders?id=7", as: "root", isState: true },
  {
    name: "order-complete",
    path: "/topup/orders?status=pending",
    as: "root",
    isState: true,
    steps: [
      { click: 'button[aria-haspopup="menu"][aria-label*="TP20"]' },
      { click: '[role="menuitem"]:not([disabled]):last-of-type' },
      { wait: '[role="dialog"] input' },
    ],
  },
  { name: "users", path: "/user", as: "root" },
  { name: "personal", path: "/personal", as: "user" },
  { name: "security", path: "/personal/security", as: "user" },
  { name: "notifications", path: "/notification", as: "root" },
  { name: "logs", path: "/log", as: "root" },
  { name: "logs-week", path: "/log?range=week", as: "root", isState: true },
];

export const PAGES: readonly GalleryPage[] = [
  ...PLAIN,
  ...TASK_PAGES,
  ...SETTING_TABS,
  ...[
    ...LOG_STATES,
    ...HEALTH_STATES,
    ...PAGE_STATES,
    ...BALANCE_STATES,
    ...DASHBOARD_STATES,
    ...PRICE_LIST_STATES,
    ...PRICING_STATES,
    ...SHELL_STATES,
    ...SHARE_STATES,
    ...MANAGED_STATES,
    ...PEOPLE_STATES,
    ...REQUIRED_STATES,
    ...PLAYGROUND_STATES,
    ...DRY_RUN_STATES,
    ...SETTING_STATES,
    ...SPECIAL_SETTING_STATES,
    ...TABLE_STATES,
    ...TASK_STATES,
    ...PRICE_EDITOR_STATES,
    ...FAMILY_STATES,
  ].map((page) => ({
    ...page,
    isState: true,
  })),
];

/** The looks a page is shown in. */
export const looksOf = ({ isState }: GalleryPage): readonly Look[] => (isState === true ? LOOKS.filter(isFew) : LOOKS);

export const pictureName = (page: GalleryPage, look: Look): string => `${page.name}-${lookName(look)}.png`;
