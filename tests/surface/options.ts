/** Options by the names under which operators of this API family know them, our own, and the defaults and limits that users rely on. */
import type { OptionName } from "../../contract/src/options/options.ts";

const namesOf = (text: string): readonly string[] => text.match(/[\w.]+/g) ?? [];

/** What clients and imported settings use. */
export const FAMILY_OPTIONS = namesOf(`
ServerAddress WorkerUrl WorkerValidKey WorkerAllowHttpImageRequestEnabled
fetch_setting.domain_filter_mode fetch_setting.domain_list fetch_setting.allowed_ports
PayAddress EpayId EpayKey Price MinTopUp CustomCallbackAddress TopupGroupRatio TopUpLink
PasswordLoginEnabled PasswordRegisterEnabled EmailVerificationEnabled RegisterEnabled TurnstileCheckEnabled TurnstileSiteKey
TurnstileSecretKey GitHubOAuthEnabled GitHubClientId GitHubClientSecret LinuxDOOAuthEnabled LinuxDOClientId LinuxDOClientSecret
LinuxDOMinimumTrustLevel discord.enabled discord.client_id discord.client_secret
WeChatAuthEnabled WeChatServerAddress WeChatServerToken WeChatAccountQRCodeImageURL TelegramOAuthEnabled TelegramBotToken
TelegramBotName oidc.enabled oidc.client_id oidc.client_secret oidc.well_known oidc.authorization_endpoint oidc.token_endpoint
oidc.user_info_endpoint
EmailDomainRestrictionEnabled EmailAliasRestrictionEnabled EmailDomainWhitelist SMTPServer SMTPPort SMTPAccount SMTPFrom SMTPToken
SMTPSSLEnabled SMTPStartTLSEnabled SMTPInsecureSkipVerify SMTPForceAuthLogin
HeaderNavModules SidebarModulesAdmin TelegramBotEnabled
Notice SystemName Logo HomePageContent About Footer general_setting.docs_link DisplayInCurrencyEnabled
general_setting.quota_display_type USDExchangeRate general_setting.custom_currency_symbol
general_setting.custom_currency_exchange_rate DisplayTokenStatEnabled
DefaultCollapseSidebar DemoSiteEnabled SelfUseModeEnabled
QuotaPerUnit RetryTimes DrawingEnabled MjNotifyEnabled MjAccountFilterEnabled MjForwardUrlEnabled MjModeClearEnabled
MjActionCheckSuccessEnabled CheckSensitiveEnabled CheckSensitiveOnPromptEnabled SensitiveWords LogConsumeEnabled DataExportEnabled
DataExportInterval DataExportDefaultTime ChannelDisableThreshold QuotaRemindThreshold AutomaticDisableChannelEnabled
AutomaticEnableChannelEnabled AutomaticDisableKeywords AutomaticRetryStatusCodes AutomaticDisableStatusCodes
checkin_setting.enabled checkin_setting.min_quota checkin_setting.max_quota QuotaForNewUser PreConsumedQuota QuotaForInviter QuotaForInvitee
ModelPrice ModelRatio CompletionRatio CacheRatio GroupRatio GroupGroupRatio ExposeRatioEnabled UserUsableGroups group_ratio_setting.group_special_usable_group Chats
ModelRequestRateLimitEnabled ModelRequestRateLimitCount ModelRequestRateLimitSuccessCount ModelRequestRateLimitDurationMinutes
ModelRequestRateLimitGroup token_setting.max_user_tokens
gemini.safety_settings gemini.version_settings gemini.supported_imagine_models gemini.thinking_adapter_enabled
gemini.thinking_adapter_budget_tokens_percentage claude.model_headers_settings claude.default_max_tokens
claude.thinking_adapter_enabled claude.thinking_adapter_budget_tokens_percentage global.pass_through_request_enabled
general_setting.ping_interval_enabled general_setting.ping_interval_seconds
console_setting.announcements_enabled console_setting.announcements console_setting.faq_enabled console_setting.faq
console_setting.api_info_enabled console_setting.api_info legal.user_agreement legal.privacy_policy
`);

/** What this program has beside them; another one gets its name here. */
export const OWN_OPTIONS = namesOf(`
TaskEnabled StripeEnabled StripeSecretKey StripeWebhookSecret StripeCurrency StripePrice StripeAutoTopUpEnabled AlipayEnabled AlipayAppId AlipayPrivateKey AlipayPublicKey AlipayGateway WechatPayEnabled WechatPayAppId WechatPayMerchantId WechatPayCertificateSerial
WechatPayPrivateKey WechatPayApiV3Key WechatPayPlatformKey WechatPayPlatformKeyId WechatPayH5Enabled payment_setting.amount_options payment_setting.amount_discount PayMethods CacheCreationRatio ToolPrices PremiumRatios BrokenStreamBilling RetryAfterTimeoutEnabled AllowPrivateUpstreamsEnabled ConfigurationByTokenEnabled
TokenConcurrencyLimit ChannelConcurrencyLimit TokenListEntryLimit RequestEntryLimit UnpaidCallsPerMinute KeptAnswersPerUser KeptAnswerMebibytesPerUser KeptAnswerMebibytes ChannelChoice PromptCacheAffinityEnabled channel_affinity_setting.enabled channel_affinity_setting.rules AutoGroups DefaultUseAutoGroup ImageRatio AudioRatio
AudioCompletionRatio ContextTiers PriceListUrl UpdateCheckUrl ChannelTestFrequency ChannelTestScope ChannelUpdateFrequency ModelListFrequency
SecurityLogDays AuditTrailDays LogRetentionDays ClientAddressLogRequired MonthlyStatementEnabled CheckinTimeZone PaidGroups SessionsPerUser SessionIdleDays SafeHoldsEnabled UnknownContextWindow HeldOutputLimit SecondFactorDemand TemporaryPasswordsEnabled StatusPageEnabled ModelRankingsEnabled ChatShareEnabled LogoDark Favicon ModelRetirementDates
WebSearchProvider WebSearchAddress WebSearchKey WebSearchPrice WebSearchResults WebSearchesPerCall
LarkAuthEnabled LarkClientId LarkClientSecret LarkSite DingTalkAuthEnabled DingTalkClientId DingTalkClientSecret
`);

/** What an option is on a new site, as the text that is stored; objects may be laid out freely. */
export const OPTION_DEFAULTS: Readonly<Partial<Record<OptionName, string>>> = {
  SystemName: "Turnpike",
  Price: "7.3",
  MinTopUp: "1",
  QuotaPerUnit: "500000",
  SafeHoldsEnabled: "true",
  UnknownContextWindow: "200000",
  HeldOutputLimit: "0",
  DefaultCollapseSidebar: "false",
  DataExportDefaultTime: "hour",
  ModelRequestRateLimitDurationMinutes: "1",
  ModelRequestRateLimitCount: "0",
  ModelRequestRateLimitSuccessCount: "1000",
  "token_setting.max_user_tokens": "1000",
  TokenListEntryLimit: "500",
  RequestEntryLimit: "10000",
  UnpaidCallsPerMinute: "600",
  KeptAnswersPerUser: "2000",
  KeptAnswerMebibytesPerUser: "16",
  KeptAnswerMebibytes: "1024",
  "gemini.thinking_adapter_budget_tokens_percentage": "0.6",
  "claude.thinking_adapter_budget_tokens_percentage": "0.8",
  "claude.default_max_tokens": '{"default":8192}',
  "general_setting.ping_interval_seconds": "60",
};

interface OptionBounds {
  name: OptionName;
  refused: readonly string[];
  taken: readonly string[];
}

export const OPTION_BOUNDS: readonly OptionBounds[] = [
  { name: "Price", refused: ["7.333", "-1"], taken: ["7.33"] },
  { name: "TopupGroupRatio", refused: ["{", "[]"], taken: ['{"default":1}'] },
  { name: "DataExportInterval", refused: ["0"], taken: ["1"] },
  { name: "DataExportDefaultTime", refused: ["month"], taken: ["hour", "day", "week"] },
  { name: "QuotaForNewUser", refused: ["-1"], taken: ["0"] },
  { name: "PreConsumedQuota", refused: ["-1"], taken: ["0"] },
  { name: "UnknownContextWindow", refused: ["0", "10000001"], taken: ["1", "10000000"] },
  { name: "HeldOutputLimit", refused: ["-1", "10000001"], taken: ["0", "10000000"] },
  { name: "QuotaRemindThreshold", refused: ["-1"], taken: ["0"] },
  { name: "ChannelDisableThreshold", refused: ["-1"], taken: ["0"] },
  { name: "gemini.thinking_adapter_budget_tokens_percentage", refused: ["0.09", "1.1"], taken: ["0.1", "1"] },
  { name: "claude.thinking_adapter_budget_tokens_percentage", refused: ["0.09", "1.1"], taken: ["0.1", "1"] },
  { name: "ModelRequestRateLimitDurationMinutes", refused: ["-1"], taken: ["0"] },
  { name: "ModelRequestRateLimitCount", refused: ["-1"], taken: ["0"] },
  { name: "ModelRequestRateLimitSuccessCount", refused: ["0"], taken: ["1"] },
  { name: "ModelRequestRateLimitGroup", refused: ['{"vip":[1]}', '{"vip":1}'], taken: ['{"vip":[0,1]}'] },
  {
    name: "ModelRetirementDates",
    refused: ['{"gpt-4":"soon"}', '{"gpt-4":"2026-02-30"}', "[]"],
    taken: ['{"gpt-4":"2026-12-31"}'],
  },
  { name: "token_setting.max_user_tokens", refused: ["0", "100001"], taken: ["1"] },
  { name: "SessionsPerUser", refused: ["0", "1001"], taken: ["1", "1000"] },
  { name: "SessionIdleDays", refused: ["-1", "31"], taken: ["0", "30"] },
  { name: "RequestEntryLimit", refused: ["999"], taken: ["1000"] },
  { name: "UnpaidCallsPerMinute", refused: ["-1"], taken: ["0"] },
  { name: "KeptAnswersPerUser", refused: ["-1"], taken: ["0"] },
  { name: "KeptAnswerMebibytesPerUser", refused: ["-1"], taken: ["0"] },
  { name: "KeptAnswerMebibytes", refused: ["-1"], taken: ["0"] },
  { name: "TokenListEntryLimit", refused: ["0", "10001"], taken: ["1"] },
  { name: "general_setting.ping_interval_seconds", refused: ["0"], taken: ["1"] },
  { name: "EmailDomainWhitelist", refused: ["not a domain"], taken: ["example.com,example.org"] },
];

/** What is stored of what was typed. */
export const OPTION_SPELLINGS: readonly { name: OptionName; typed: string; stored: string }[] = [
  { name: "ServerAddress", typed: "https://a.example/", stored: "https://a.example" },
  { name: "WorkerUrl", typed: "https://a.example/w/", stored: "https://a.example/w" },
  { name: "PayAddress", typed: "https://pay.example/", stored: "https://pay.example" },
  { name: "WeChatServerAddress", typed: "https://a.example//", stored: "https://a.example" },
];
