/** States of sign-in and of user pages: every way of signing in, refused forms, drawers and dialogs, and pages without a response. */
import type { z } from "zod";
import type { MessagePage, MessageRow } from "../../contract/src/features/notifications.ts";
import type { statusSchema } from "../../contract/src/features/status.ts";
import { statusOfWays } from "../../contract/src/ways-in.ts";
import type { GalleryPage, Step, StubbedAnswer } from "./gallery-page.ts";

type Status = z.output<typeof statusSchema>;

/** A public site that anyone may join, in every way there is. */
const OPEN_SITE: Status = {
  system_name: "Turnpike",
  logo_dark: "",
  favicon: "",
  logo: "",
  footer_html: "",
  quota_per_unit: 500_000,
  display_in_currency: true,
  quota_display_type: "USD",
  usd_exchange_rate: 7.3,
  custom_currency_symbol: "¤",
  custom_currency_exchange_rate: 1,
  monthly_statement_enabled: false,
  client_address_log_required: false,
  enable_drawing: true,
  enable_task: true,
  checkin_enabled: false,
  enable_data_export: true,
  chats: [],
  data_export_default_time: "hour",
  data_export_interval: 5,
  default_collapse_sidebar: false,
  default_use_auto_group: false,
  HeaderNavModules: "{}",
  SidebarModulesAdmin: "{}",
  telegram_bot_enabled: false,
  mj_notify_enabled: false,
  chat_link: "",
  chat_link2: "",
  docs_link: "",
  version: "0.2.0",
  start_time: 1_700_000_000,
  email_verification: true,
  turnstile_check: false,
  turnstile_site_key: "",
  ...statusOfWays(
    (option) => option !== "TelegramOAuthEnabled",
    () => "",
  ),
  identity_providers: [{ slug: "keycloak", name: "Acme single sign-on" }],
  setup: true,
  self_use_mode_enabled: false,
  demo_site_enabled: false,
  server_address: "https://gate.example.com",
  price: 7.3,
  min_topup: 1,
  top_up_link: "",
  enable_online_topup: false,
  password_login: true,
  register_enabled: true,
  password_register: true,
  invitee_reward: 0,
  inviter_reward: 0,
  password_reset: true,
  user_agreement_enabled: false,
  privacy_policy_enabled: false,
  status_page_enabled: false,
  chat_share_enabled: false,
  model_rankings_enabled: false,
  terms_version: "",
  announcements_enabled: true,
  announcements: [],
  faq_enabled: true,
  faq: [],
  api_info_enabled: true,
  api_info: [],
};

/** The answer of a site like that, but for what is named. */
export const site = (change: Partial<Status> = {}): StubbedAnswer => ({
  url: "**/api/status*",
  answer: { data: { ...OPEN_SITE, ...change } },
});

const SUBMIT = 'main button[type="submit"]';

const ENTRY: readonly GalleryPage[] = [
  { name: "login-ways", path: "/login", as: "guest", answers: [site()] },
  { name: "login-no-password", path: "/login", as: "guest", answers: [site({ password_login: false })] },
  { name: "register-code", path: "/register?aff=abcd", as: "guest", answers: [site()] },
  { name: "register-refused", path: "/register", as: "guest", answers: [site()], steps: [{ click: SUBMIT }] },
  { name: "register-closed", path: "/register", as: "guest", answers: [site({ register_enabled: false })] },
  { name: "reset", path: "/reset", as: "guest", answers: [site()] },
  {
    name: "reset-confirm",
    path: "/user/reset?email=ada%40example.com&token=0123456789abcdef",
    as: "guest",
    answers: [site()],
  },
  { name: "invitation", path: "/invitation?token=0123456789abcdef", as: "guest", answers: [site()] },
  {
    name: "oauth-processing",
    path: "/oauth/github?code=a&state=b",
    as: "guest",
    answers: [site(), { url: "**/api/oauth/github*", answer: "never" }],
  },
  {
    name: "oauth-failed",
    path: "/oauth/linuxdo?code=a&state=b",
    as: "guest",
    answers: [site(), { url: "**/api/oauth/linuxdo*", answer: "fails" }],
    steps: [{ pauseMs: 500 }],
  },
];

/** Its form is loaded when it is opened. */
const DRAWER: readonly Step[] = [{ wait: '[role="dialog"] input' }];

const PEOPLE: readonly GalleryPage[] = [
  { name: "permissions", path: "/user/permissions", as: "root" },
  {
    name: "permissions-broken",
    path: "/user/permissions",
    as: "root",
    answers: [{ url: "**/api/user?p=*", answer: "fails" }],
  },
  { name: "users-add", path: "/user/add", as: "root", steps: DRAWER },
  { name: "person", path: "/user/2", as: "root" },
  { name: "person-ledger", path: "/user/2?tab=ledger", as: "root" },
  { name: "person-security", path: "/user/2?tab=security", as: "root" },
  { name: "person-tokens", path: "/user/2?tab=tokens", as: "root" },
  { name: "person-calls", path: "/user/2?tab=calls", as: "root" },
  { name: "person-orders", path: "/user/2?tab=orders", as: "root" },
  { name: "person-notes", path: "/user/2?tab=notes", as: "root" },
  {
    name: "users-invite",
    path: "/user",
    as: "root",
    steps: [
      { click: 'button:has-text("Invite"), button:has-text("邀请")' },
      { wait: '[role="dialog"] :is(input, textarea)' },
    ],
  },
  {
    name: "seeing",
    path: "/user/2",
    as: "watcher",
    steps: [
      { click: 'main button[aria-haspopup="menu"]' },
      { click: '[role="menuitem"]:has(.tabler-icon-user-cog)' },
      { click: ':is([role="dialog"], [role="alertdialog"]) button[data-variant="filled"]' },
      { wait: '[role="region"][aria-label="View of another account"], [role="region"][aria-label="查看其他账户"]' },
      { wait: 'main h1:text-matches("^(Dashboard|数据看板)$")' },
    ],
  },
  {
    name: "person-credit",
    path: "/user/2?tab=notes",
    as: "root",
    steps: [
      { click: 'button:has-text("Change balance"), button:has-text("调整余额")' },
      { wait: '[role="dialog"] input' },
    ],
  },
  {
    name: "person-broken",
    path: "/user/2",
    as: "root",
    answers: [{ url: "**/api/user/2/overview", answer: "fails" }],
    steps: [{ pauseMs: 500 }],
  },
  { name: "users-edit", path: "/user/edit/2", as: "root", steps: DRAWER },
  {
    name: "users-edit-administrator",
    path: "/user/edit/2",
    as: "root",
    answers: [
      {
        url: "**/api/user/2/oauth/bindings*",
        answer: {
          data: [
            { provider: "github", name: "", login: "ada-lovelace", is_last: false },
            {
              provider: "acme",
              name: "Single sign-on of a company with a long name",
              login: "ada@acme.example",
              is_last: true,
            },
          ],
        },
      },
    ],
    steps: [...DRAWER, { wait: "text=ada-lovelace" }, { scrollTo: "text=ada@acme.example" }],
  },
  { name: "personal-edit", path: "/user/edit", as: "user", steps: DRAWER },
  { name: "users-nothing", path: "/user?keyword=nobody-of-this-name", as: "root" },
  {
    name: "users-loading",
    path: "/user",
    as: "root",
    answers: [{ url: "**/api/user{/search,}?*", answer: "never" }],
  },
  {
    name: "users-broken",
    path: "/user",
    as: "root",
    answers: [{ url: "**/api/user{/search,}?*", answer: "fails" }],
  },
];

const OWN: readonly GalleryPage[] = [
  { name: "personal-root", path: "/personal", as: "root" },
  {
    name: "personal-lark",
    path: "/personal",
    as: "user",
    steps: [
      { click: 'button[aria-haspopup="listbox"]' },
      { click: '[role="option"]', index: 5 },
      { scrollTo: 'input[type="password"]' },
    ],
  },
  {
    name: "personal-side-bar",
    path: "/personal",
    as: "user",
    steps: [
      { click: "main section nav button", index: 2 },
      { wait: "main section fieldset" },
      { scrollTo: "main section fieldset:last-of-type" },
    ],
  },
  { name: "security-root", path: "/personal/security", as: "root" },
  {
    name: "security-loading",
    path: "/personal/security",
    as: "user",
    answers: [{ url: "**/api/user/self", answer: "never" }],
  },
  {
    name: "security-broken",
    path: "/personal/security",
    as: "user",
    answers: [{ url: "**/api/user/self", answer: "fails" }],
  },
  { name: "personal-loading", path: "/personal", as: "user", answers: [{ url: "**/api/user/self", answer: "never" }] },
  { name: "personal-broken", path: "/personal", as: "user", answers: [{ url: "**/api/user/self", answer: "fails" }] },
];

const MESSAGE: MessageRow = {
  id: 5,
  event: "password_changed",
  status: "sent",
  method: "email",
  recipient: "ada@example.com",
  user_id: 2,
  username: "ada",
  attempts: 1,
  created_time: 1_790_000_000,
  next_time: 0,
  sent_time: 1_790_000_002,
  failure: "",
  failure_detail: "",
  can_retry: false,
};

const MESSAGES: MessagePage = {
  items: [
    MESSAGE,
    {
      ...MESSAGE,
      id: 4,
      event: "quota_warning",
      method: "webhook",
      recipient: "hooks.a-company-with-a-rather-long-name.example.com",
      status: "failed",
      attempts: 28,
      sent_time: 0,
      failure: "webhook_status",
      failure_detail: "503 Service Unavailable",
      can_retry: true,
    },
    {
      ...MESSAGE,
      id: 3,
      event: "channel_disabled",
      status: "waiting",
      sent_time: 0,
      next_time: 1_790_000_600,
      can_retry: true,
    },
    { ...MESSAGE, id: 2, event: "email_code", user_id: 0, username: "", recipient: "newcomer@example.org" },
  ],
  total: 4,
  page: 1,
  page_size: 10,
};

const SENT: readonly GalleryPage[] = [
  {
    name: "notifications-list",
    path: "/notification",
    as: "root",
    answers: [{ url: "**/api/notification?*", answer: { data: MESSAGES } }],
  },
];

export const PEOPLE_STATES: readonly GalleryPage[] = [...ENTRY, ...PEOPLE, ...OWN, ...SENT];
