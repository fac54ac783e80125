/** The public status object of the site, from the options in force. It contains no secret. */
import type { z } from "zod";
import type { statusSchema } from "../../../../contract/src/features/status.ts";
import type { OptionValues } from "../../../../contract/src/options/options.ts";
import { statusOfWays } from "../../../../contract/src/ways-in.ts";
import { isMailConfigured } from "../../notify/mail.ts";
import type { SiteInfo } from "../http/handlers.ts";
import { methodsIn } from "../wallet/methods.ts";
import { termsVersion } from "../terms.ts";
import { dashboardCards } from "./dashboard-cards.ts";

type Status = Omit<z.input<typeof statusSchema>, "identity_providers">;

const isSet = (...texts: readonly string[]): boolean => texts.every((text) => text !== "");

const appearance = (options: OptionValues) => ({
  system_name: options.SystemName,
  logo: options.Logo,
  logo_dark: options.LogoDark,
  favicon: options.Favicon,
  footer_html: options.Footer,
  docs_link: options["general_setting.docs_link"],
  server_address: options.ServerAddress,
  quota_per_unit: options.QuotaPerUnit,
  display_in_currency: options.DisplayInCurrencyEnabled,
  quota_display_type: options["general_setting.quota_display_type"],
  usd_exchange_rate: Number(options.USDExchangeRate),
  custom_currency_symbol: options["general_setting.custom_currency_symbol"],
  custom_currency_exchange_rate: Number(options["general_setting.custom_currency_exchange_rate"]),
  default_collapse_sidebar: options.DefaultCollapseSidebar,
  default_use_auto_group: options.DefaultUseAutoGroup,
  HeaderNavModules: JSON.stringify(options.HeaderNavModules),
  SidebarModulesAdmin: JSON.stringify(options.SidebarModulesAdmin),
  self_use_mode_enabled: options.SelfUseModeEnabled,
  demo_site_enabled: options.DemoSiteEnabled,
  status_page_enabled: options.StatusPageEnabled,
  model_rankings_enabled: options.ModelRankingsEnabled,
  chat_share_enabled: options.ChatShareEnabled,
});

const offers = (options: OptionValues) => ({
  enable_drawing: options.DrawingEnabled,
  enable_task: options.TaskEnabled,
  enable_data_export: options.DataExportEnabled,
  data_export_default_time: options.DataExportDefaultTime,
  data_export_interval: options.DataExportInterval,
  mj_notify_enabled: options.MjNotifyEnabled,
  price: Number(options.Price),
  min_topup: options.MinTopUp,
  top_up_link: options.TopUpLink,
  monthly_statement_enabled: options.MonthlyStatementEnabled,
  client_address_log_required: options.ClientAddressLogRequired,
  checkin_enabled: options["checkin_setting.enabled"],
  enable_online_topup: methodsIn(options).length > 0,
});

const signIn = (options: OptionValues) => ({
  password_login: options.PasswordLoginEnabled,
  // A gateway in self-use mode creates no accounts.
  register_enabled: options.RegisterEnabled && !options.SelfUseModeEnabled,
  password_register: options.PasswordRegisterEnabled,
  invitee_reward: options.QuotaForInvitee,
  inviter_reward: options.QuotaForInviter,
  password_reset: isMailConfigured(options) && isSet(options.ServerAddress),
  email_verification: options.EmailVerificationEnabled,
  turnstile_check: options.TurnstileCheckEnabled,
  turnstile_site_key: options.TurnstileSiteKey,
  user_agreement_enabled: isSet(options["legal.user_agreement"].trim()),
  privacy_policy_enabled: isSet(options["legal.privacy_policy"].trim()),
  terms_version: termsVersion(options),
  telegram_bot_enabled: options.TelegramBotEnabled,
  ...statusOfWays(
    (option) => options[option],
    (option) => options[option],
  ),
});

/** The first two chat links that open in a browser, for clients that know one or two links only. */
function chatLinks(options: OptionValues) {
  const templates = options.Chats.flatMap((chat) => Object.values(chat)).filter((link) => /^https?:/.test(link));
  return { chat_link: templates[0] ?? "", chat_link2: templates[1] ?? "" };
}

export function readStatus(options: OptionValues, site: SiteInfo, isSetupDone: boolean): Status {
  return {
    ...appearance(options),
    ...offers(options),
    ...signIn(options),
    ...chatLinks(options),
    ...dashboardCards(options),
    chats: [...options.Chats],
    version: site.version,
    start_time: site.startTime,
    setup: isSetupDone,
  };
}
