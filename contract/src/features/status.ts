/** Public endpoints that describe the site: the status object and the public texts. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { ANNOUNCEMENT_KINDS, API_ADDRESS_COLORS } from "../options/site-content.ts";
import { QUOTA_DISPLAY_TYPES } from "../quota-display.ts";
import { queryPage, queryPageSize, queryText } from "../query.ts";
import { statusOfWays } from "../ways-in.ts";

/** The status object that clients of this API family read, and what the wallet and the sign-in pages need beside it. */
export const statusSchema = z.object({
  system_name: z.string(),
  logo: z.string(),
  /** In the dark theme, and the browser's mark of the pages; empty where the logo stands for them. */
  logo_dark: z.string(),
  favicon: z.string(),
  footer_html: z.string(),
  quota_per_unit: z.number(),
  display_in_currency: z.boolean(),
  /** What quota is shown in; TOKENS are plain units. */
  quota_display_type: z.enum(QUOTA_DISPLAY_TYPES),
  /** Yuan for one US dollar. */
  usd_exchange_rate: z.number(),
  custom_currency_symbol: z.string(),
  /** Amount of the site's own currency for one US dollar. */
  custom_currency_exchange_rate: z.number(),
  enable_drawing: z.boolean(),
  enable_task: z.boolean(),
  enable_data_export: z.boolean(),
  /** Each entry maps one name to its link template. */
  chats: z.array(z.record(z.string(), z.string())),
  data_export_default_time: z.string(),
  /** How often an open dashboard asks again, in minutes. */
  data_export_interval: z.number(),
  default_collapse_sidebar: z.boolean(),
  default_use_auto_group: z.boolean(),
  /** JSON texts of which entries of the bars are shown; bar-entries.ts reads them. */
  HeaderNavModules: z.string(),
  SidebarModulesAdmin: z.string(),
  mj_notify_enabled: z.boolean(),
  /** Template of the first web chat of `chats`, for clients that know only one; empty where there is none. */
  chat_link: z.string(),
  chat_link2: z.string(),
  docs_link: z.string(),
  version: z.string(),
  /** Unix seconds. */
  start_time: z.number(),
  email_verification: z.boolean(),
  checkin_enabled: z.boolean(),
  turnstile_check: z.boolean(),
  turnstile_site_key: z.string(),
  ...statusOfWays(
    () => z.boolean(),
    () => z.string(),
  ),
  /** Whether the Telegram bot answers people, who bind their account by it. */
  telegram_bot_enabled: z.boolean(),
  /** OpenID providers beside the one of the options. */
  identity_providers: z.array(z.object({ slug: z.string(), name: z.string() })),
  setup: z.boolean(),
  self_use_mode_enabled: z.boolean(),
  demo_site_enabled: z.boolean(),
  server_address: z.string(),
  price: z.number(),
  min_topup: z.number(),
  top_up_link: z.string(),
  enable_online_topup: z.boolean(),
  password_login: z.boolean(),
  register_enabled: z.boolean(),
  password_register: z.boolean(),
  /** Quota that an invited account starts with, and that its inviter is credited once it is made; 0 for none. */
  invitee_reward: z.number(),
  inviter_reward: z.number(),
  /** Mail is configured, and where its links lead. */
  password_reset: z.boolean(),
  user_agreement_enabled: z.boolean(),
  privacy_policy_enabled: z.boolean(),
  /** Whether the availability of models is public. */
  status_page_enabled: z.boolean(),
  /** Whether the price list says which models are used most. */
  model_rankings_enabled: z.boolean(),
  /** Whether chats of the playground may be shared by link. */
  chat_share_enabled: z.boolean(),
  /** Version of both texts, which a registration sends back; empty where there is nothing to accept. */
  terms_version: z.string(),
  /** Whether accounts may have a statement of each month sent to them. */
  monthly_statement_enabled: z.boolean(),
  /** Whether the log has the client's address of every call, whatever people choose. */
  client_address_log_required: z.boolean(),
  announcements_enabled: z.boolean(),
  /** The newest first, at most 20; empty where they are turned off. Dates are RFC 3339. */
  announcements: z.array(
    z.object({ content: z.string(), publishDate: z.string(), type: z.enum(ANNOUNCEMENT_KINDS), extra: z.string() }),
  ),
  faq_enabled: z.boolean(),
  faq: z.array(z.object({ question: z.string(), answer: z.string() })),
  api_info_enabled: z.boolean(),
  /** Addresses at which clients reach this gateway. */
  api_info: z.array(
    z.object({ url: z.string(), route: z.string(), description: z.string(), color: z.enum(API_ADDRESS_COLORS) }),
  ),
});

export const getStatus = endpoint({
  method: "GET",
  path: "/api/status",
  access: "public",
  object: "none",
  summary: "What this site is and offers",
  data: statusSchema,
});

export const testStatus = endpoint({
  method: "GET",
  path: "/api/status/test",
  access: "admin",
  act: "any",
  object: "site",
  summary: "Ask the database whether it answers",
});

export const getNotice = endpoint({
  method: "GET",
  path: "/api/notice",
  access: "public",
  object: "none",
  summary: "The announcement",
  data: z.string(),
});

export const getAbout = endpoint({
  method: "GET",
  path: "/api/about",
  access: "public",
  object: "none",
  summary: "The text of the about page",
  data: z.string(),
});

export const getHomePageContent = endpoint({
  method: "GET",
  path: "/api/home_page_content",
  access: "public",
  object: "none",
  summary: "The text of the home page",
  data: z.string(),
});

export const getUserAgreement = endpoint({
  method: "GET",
  path: "/api/user-agreement",
  access: "public",
  object: "none",
  summary: "The text of the user agreement",
  data: z.string(),
});

export const getPrivacyPolicy = endpoint({
  method: "GET",
  path: "/api/privacy-policy",
  access: "public",
  object: "none",
  summary: "The text of the privacy policy",
  data: z.string(),
});

export const acceptTerms = endpoint({
  method: "POST",
  path: "/api/user/self/terms",
  access: "user",
  object: "self",
  summary: "Accept the user agreement and the privacy policy of this version",
  body: z.object({
    /** `terms_version` of the status. */
    terms_version: z.string().max(64).default(""),
  }),
  sessionOnly: true,
  openInDemo: true,
  openBefore: ["terms"],
});

const acceptance = z.object({
  user_id: z.number(),
  /** Empty where the account was removed from the database. */
  username: z.string(),
  version: z.string(),
  /** Unix seconds. */
  accepted_time: z.number(),
  /** Whether it is the version in force. */
  is_current: z.boolean(),
});

export const listAcceptances = endpoint({
  method: "GET",
  path: "/api/user/terms",
  access: "admin",
  act: "users",
  object: "site",
  summary: "Who accepted which version of the user agreement and privacy policy, the latest first",
  query: z.object({ username: queryText, p: queryPage(1), page_size: queryPageSize }),
  data: z.object({ items: z.array(acceptance), total: z.number(), page: z.number(), page_size: z.number() }),
});
