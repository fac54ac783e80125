/** States of the settings page's special sections: requests to other sites, previews, confirmations, and the named OpenID providers. */
import type { GalleryPage, Step } from "./gallery-page.ts";

/** The button of a provider's row; others stand before it. */
const EDIT = 'li button:has-text("Edit"), li button:has-text("编辑")';

const system = (section: string) => `/setting?tab=system&section=${section}`;

const typed = (option: string, text: string): Step[] => [
  { wait: `[data-option="${option}"] :is(input, textarea)` },
  { focus: `[data-option="${option}"] :is(input, textarea)` },
  { type: text },
];

const PROVIDER = {
  id: 1,
  slug: "acme",
  name: "Acme ID",
  is_enabled: true,
  client_id: "turnpike",
  well_known: "https://id.acme.example/.well-known/openid-configuration",
  authorization_endpoint: "https://id.acme.example/authorize",
  token_endpoint: "https://id.acme.example/token",
  user_info_endpoint: "https://id.acme.example/userinfo",
  kind: "oidc",
  scopes: "",
  client_authentication: "form",
  user_id_field: "id",
  username_field: "",
  display_name_field: "",
  email_field: "",
  email_verified_field: "",
  entry_conditions: "",
};
/** A site without OpenID. */
const FORUM = {
  ...PROVIDER,
  id: 3,
  slug: "forum",
  name: "Forum",
  well_known: "",
  kind: "oauth2",
  scopes: "read:user",
  user_id_field: "data.user.id",
  username_field: "data.user.username",
  display_name_field: "data.user.name",
  entry_conditions: "trust_level >= 2\ngroups contains staff",
};
const LONG_NAME = "Single sign-on of a company with a rather long name";
const PROVIDERS = [
  PROVIDER,
  { ...PROVIDER, id: 2, slug: "long-name-of-a-company", name: LONG_NAME, is_enabled: false },
  FORUM,
];
const LIST = "**/api/identity_provider";

const PROVIDER_PANEL: readonly GalleryPage[] = [
  {
    name: "setting-providers",
    path: system("identity_providers"),
    as: "root",
    answers: [{ url: LIST, answer: { data: PROVIDERS } }],
  },
  { name: "setting-providers-empty", path: system("identity_providers"), as: "root" },
  {
    name: "setting-providers-loading",
    path: system("identity_providers"),
    as: "root",
    answers: [{ url: LIST, answer: "never" }],
  },
  {
    name: "setting-providers-failed",
    path: system("identity_providers"),
    as: "root",
    answers: [{ url: LIST, answer: "fails" }],
  },
  {
    name: "setting-providers-edit",
    path: system("identity_providers"),
    as: "root",
    answers: [{ url: LIST, answer: { data: PROVIDERS } }],
    steps: [{ click: EDIT }, { wait: '[role="dialog"] input' }],
  },
  {
    name: "setting-providers-oauth2",
    path: system("identity_providers"),
    as: "root",
    answers: [{ url: LIST, answer: { data: [FORUM] } }],
    steps: [{ click: EDIT }, { wait: '[role="dialog"] textarea' }],
  },
];

const SECTIONS: readonly GalleryPage[] = [
  {
    name: "setting-sign-in",
    path: system("sign_in"),
    as: "root",
    steps: [{ wait: '[data-option="PasswordLoginEnabled"] [role="switch"]' }],
  },
  {
    name: "setting-sign-in-asked",
    path: system("sign_in"),
    as: "root",
    steps: [
      { wait: '[data-option="PasswordLoginEnabled"] [role="switch"]' },
      { click: '[data-option="PasswordLoginEnabled"] label' },
      { wait: '[role="dialog"], [role="alertdialog"]' },
    ],
  },
  {
    name: "setting-email-domains",
    path: system("email_domains"),
    as: "root",
    steps: [...typed("EmailDomainWhitelist", "gmail.com"), { press: "Enter" }],
  },
  {
    name: "setting-mail-test",
    path: system("smtp"),
    as: "root",
    steps: [{ wait: "#mail-test-to" }, { scrollTo: "#mail-test-to" }],
  },
  { name: "setting-oidc", path: system("oidc"), as: "root" },
  {
    name: "setting-wechat",
    path: system("wechat"),
    as: "root",
    steps: typed("WeChatAccountQRCodeImageURL", "/logo.png"),
  },
  {
    name: "setting-web-search",
    path: system("web_search"),
    as: "root",
    steps: typed("WebSearchAddress", "https://search.example.com"),
  },
  { name: "setting-other", path: "/setting?tab=other", as: "root" },
  { name: "setting-logo", path: "/setting?option=Logo", as: "root", steps: typed("Logo", "/logo.png") },
  {
    name: "setting-notice",
    path: "/setting?tab=other&section=notice",
    as: "root",
    steps: typed("Notice", "**Sunday**: we move. See https://status.example.com"),
  },
  {
    name: "setting-system-failed",
    path: "/setting?tab=other&section=system_info",
    as: "root",
    answers: [{ url: "**/api/option/system_info", answer: "fails" }],
    steps: [{ wait: '[role="alert"]' }],
  },
];

/** One step of a test as the server sends it; no reason where it passed. */
const step = (name: string, reason = "", answer = "") => ({ step: name, is_passed: reason === "", reason, answer });

/** The test of a section, with what it showed. */
const tested = (name: string, section: string, test: string, steps: readonly object[]): GalleryPage => ({
  name: `setting-test-${name}`,
  path: system(section),
  as: "root",
  isState: true,
  answers: [{ url: "**/api/option/test", answer: { data: steps } }],
  steps: [{ click: `button[aria-describedby="${test}-test-help"]` }, { wait: '[role="status"] li' }],
});

const REDIRECT = "https://gate.example.com/oauth/";
const TESTS: readonly GalleryPage[] = [
  tested("passed", "github", "github", [step("client"), step("redirect", "", `${REDIRECT}github`)]),
  tested("refused", "discord", "discord", [
    step("client", "client_refused", "invalid_client"),
    step("redirect", "", `${REDIRECT}discord`),
  ]),
  tested("timed-out", "linux_do", "linuxdo", [
    step("client", "timed_out", "The other site took too long"),
    step("redirect", "", `${REDIRECT}linuxdo`),
  ]),
  tested("bot", "telegram", "telegram", [step("bot", "", "@acme_bot"), step("bot_name", "other_name", "@acme_bot")]),
  tested("search", "web_search", "web_search", [step("search", "", "5")]),
  tested("search-refused", "web_search", "web_search", [step("search", "no_pages")]),
  {
    name: "setting-providers-tested",
    path: system("identity_providers"),
    as: "root",
    isState: true,
    answers: [
      { url: LIST, answer: { data: [FORUM] } },
      {
        url: `${LIST}/test`,
        answer: { data: [step("client"), step("redirect", "", `${REDIRECT}forum`)] },
      },
    ],
    steps: [
      { click: EDIT },
      { click: 'button[aria-describedby="provider-test-help"]' },
      { wait: '[role="dialog"] [role="status"] li' },
    ],
  },
];

export const SPECIAL_SETTING_STATES: readonly GalleryPage[] = [...SECTIONS, ...TESTS, ...PROVIDER_PANEL];
