/** Every option of the system with its type, default, owner, secrecy and settings tab, one line each. */
import {
  booleanOption,
  choiceOption,
  commaListOption,
  decimalOption,
  integerOption,
  linesOption,
  pictureOption,
  textOption,
  timeZoneOption,
  urlOption,
} from "./kinds.ts";
import { isEmailDomain } from "../address.ts";
import { BROKEN_STREAM_RULES } from "../pricing/broken-stream.ts";
import { affinityRulesSchema, DEFAULT_AFFINITY_RULES } from "../channels/affinity-rules.ts";
import { CHANNEL_CHOICES } from "../channels/choices.ts";
import { FACTOR_DEMANDS } from "../roles.ts";
import { contentOption } from "./content.ts";
import { DASHBOARD_CARDS, LEGAL, QUOTA_UNIT } from "./display-options.ts";
import { fetchHostsSchema, fetchPortsSchema } from "./fetch-rules.ts";
import { jsonOption, withDefaultGroup } from "./json-option.ts";
import { ONE_FOR_EACH_GROUP, PAYMENT_OPTIONS } from "./payment-options.ts";
import { refuse } from "./refusals.ts";
import type { OptionSection } from "./sections.ts";
import {
  chatsSchema,
  contextTiersSchema,
  decimalMapSchema,
  decimalPairsSchema,
  DEFAULT_CHATS,
  DEFAULT_DISABLE_KEYWORDS,
  DEFAULT_EMAIL_DOMAINS,
  headerEntriesSchema,
  modelHeadersSchema,
  retirementDaysSchema,
  nameListSchema,
  rateLimitGroupSchema,
  sidebarEntriesSchema,
  specialGroupsSchema,
  textMapSchema,
  tokenCountMapSchema,
} from "./schemas.ts";
import { statusCodesOption } from "./status-codes.ts";
import { DEFAULT_SURCHARGE_RATIOS, surchargeRatiosSchema } from "../pricing/surcharge-ratios.ts";
import { DEFAULT_TOOL_PRICES, toolPricesSchema } from "../pricing/tool-prices.ts";
import { WAY_OPTIONS } from "./way-options.ts";
import { WEB_SEARCH_OPTIONS } from "./web-search-options.ts";

/**
 * What decides who can sign in, or can send a secret, money, a link or a user elsewhere: the super administrator's, after confirming who he
 * is. Everything else is the administrators'.
 */
const ofRoot = (section: OptionSection) => ({ section, owner: "root" }) as const;
const ofAdmin = (section: OptionSection) => ({ section, owner: "admin" }) as const;
const secret = (section: OptionSection) => ({ ...ofRoot(section), isSecret: true }) as const;
const GENERAL = ofAdmin("general");
const DRAWING = ofAdmin("drawing");
const SENSITIVE_WORDS = ofAdmin("sensitive_words");
const DASHBOARD = ofAdmin("dashboard");
const MONITORING = ofAdmin("monitoring");
const CHANNEL_INTERVAL = { ...MONITORING, minimum: 0, maximum: 525_600, unit: "minutes" } as const;
const QUOTA_RULES = ofAdmin("quota");
const QUOTA_COUNT = { ...QUOTA_RULES, minimum: 0, unit: "quota" } as const;
const CHECK_IN = ofAdmin("check_in");
/** As much as a redemption code may be worth. */
const CHECK_IN_QUOTA = { ...CHECK_IN, minimum: 1, maximum: 1_000_000_000_000, unit: "quota" } as const;
const TOKEN_COUNT = { ...QUOTA_RULES, minimum: 0, maximum: 10_000_000, unit: "tokens" } as const;
const RATIOS = { ...ofAdmin("price_tables"), keepsDecimals: true } as const;
const GROUPS = ofAdmin("groups");
const REQUESTS = ofAdmin("requests");
const CONCURRENCY = { ...ofAdmin("concurrency"), minimum: 0, unit: "calls" } as const;
const BOUNDS = ofAdmin("bounds");
const CHANNEL_CHOICE = ofAdmin("channel_choice");
const GEMINI = ofAdmin("gemini");
const CLAUDE = ofAdmin("claude");
const EVERY_MODEL = ofAdmin("every_model");
const SITE = ofRoot("site");
/** Keys are sent to these servers: who may set the address could read them. */
const WORKER = ofRoot("worker");
const SMTP = ofRoot("smtp");
const SIGN_IN = ofRoot("sign_in");
const EMAIL_DOMAINS = ofRoot("email_domains");
const TURNSTILE = ofRoot("turnstile");
const APPEARANCE_RULES = ofRoot("appearance");
const BARS = ofAdmin("bars");

/** The family's default: all but a wrong request (400) and what may have been done already (408, 504, 524). */
const DEFAULT_RETRY_STATUSES = "100-199,300-399,401-407,409-499,500-503,505-523,525-599";

function checkDomain(entry: string): void {
  if (!isEmailDomain(entry)) refuse("email_domain");
}

const SERVER_AND_WORKER = {
  ServerAddress: urlOption({ ...SITE, trimsSlash: true }),
  WorkerUrl: urlOption({ ...WORKER, trimsSlash: true }),
  WorkerValidKey: textOption("", secret("worker")),
  WorkerAllowHttpImageRequestEnabled: booleanOption(false, WORKER),
  /** Hosts that pictures and files of requests and answers are fetched from: only those (true), or all but those. */
  "fetch_setting.domain_filter_mode": booleanOption(false, WORKER),
  "fetch_setting.domain_list": jsonOption([], fetchHostsSchema, WORKER),
  /** Empty for every port. */
  "fetch_setting.allowed_ports": jsonOption([], fetchPortsSchema, WORKER),
  /** Access tokens of the super administrator with the scope `admin` may plan and apply configuration files. */
  ConfigurationByTokenEnabled: booleanOption(false, SITE),
  /** Channel base URLs may point to private addresses; the wizard enables it for self-use. */
  AllowPrivateUpstreamsEnabled: booleanOption(false, SITE),
};

const LOGIN = {
  PasswordLoginEnabled: booleanOption(true, SIGN_IN),
  PasswordRegisterEnabled: booleanOption(true, SIGN_IN),
  EmailVerificationEnabled: booleanOption(false, SIGN_IN),
  RegisterEnabled: booleanOption(true, SIGN_IN),
  /** At the bound a new sign-in ends the session that was used least recently. */
  SessionsPerUser: integerOption(50, { ...SIGN_IN, minimum: 1, maximum: 1000 }),
  /** Idle time in days after which a session ends; 0 for no limit. No session lasts longer than 30 days. */
  SessionIdleDays: integerOption(7, { ...SIGN_IN, minimum: 0, maximum: 30, unit: "days" }),
  /** Roles that need an authenticator app or a passkey before anything else. */
  SecondFactorDemand: choiceOption(FACTOR_DEMANDS, "nobody", SIGN_IN),
  /** Whether a password that an administrator set, or that a reset made, is changed at the first sign-in with it. */
  TemporaryPasswordsEnabled: booleanOption(false, SIGN_IN),
  TurnstileCheckEnabled: booleanOption(false, TURNSTILE),
  TurnstileSiteKey: textOption("", TURNSTILE),
  TurnstileSecretKey: textOption("", secret("turnstile")),
  ...WAY_OPTIONS,
};

const EMAIL = {
  EmailDomainRestrictionEnabled: booleanOption(false, EMAIL_DOMAINS),
  EmailAliasRestrictionEnabled: booleanOption(false, EMAIL_DOMAINS),
  EmailDomainWhitelist: commaListOption(DEFAULT_EMAIL_DOMAINS, {
    ...EMAIL_DOMAINS,
    isLowerCased: true,
    checkEntry: checkDomain,
  }),
  SMTPServer: textOption("", SMTP),
  SMTPPort: integerOption(587, { ...SMTP, minimum: 1, maximum: 65_535 }),
  SMTPAccount: textOption("", SMTP),
  SMTPFrom: textOption("", SMTP),
  SMTPToken: textOption("", secret("smtp")),
  SMTPSSLEnabled: booleanOption(false, SMTP),
  SMTPStartTLSEnabled: booleanOption(true, SMTP),
  SMTPInsecureSkipVerify: booleanOption(false, SMTP),
  SMTPForceAuthLogin: booleanOption(false, SMTP),
};

const APPEARANCE = {
  Notice: contentOption(ofRoot("notice")),
  SystemName: textOption("Turnpike", APPEARANCE_RULES),
  Logo: pictureOption(APPEARANCE_RULES),
  /** In the dark theme; empty for the same one. */
  LogoDark: pictureOption(APPEARANCE_RULES),
  /** The browser's mark of the pages; empty for the logo. */
  Favicon: pictureOption(APPEARANCE_RULES),
  HomePageContent: contentOption(APPEARANCE_RULES),
  About: contentOption(APPEARANCE_RULES),
  Footer: contentOption(APPEARANCE_RULES),
  /** Whether everybody may read how available the models are: `/status` and `/api/status/models`. */
  StatusPageEnabled: booleanOption(false, APPEARANCE_RULES),
  /** Whether everybody who sees the price list sees which models are used most: `/api/rankings`. */
  ModelRankingsEnabled: booleanOption(false, APPEARANCE_RULES),
  /** Whether people make links that show a chat to everybody; while it is off none opens. */
  ChatShareEnabled: booleanOption(false, APPEARANCE_RULES),
  "general_setting.docs_link": urlOption(ofRoot("general")),
  ...QUOTA_UNIT,
  DisplayTokenStatEnabled: booleanOption(true, GENERAL),
  DefaultCollapseSidebar: booleanOption(false, GENERAL),
  HeaderNavModules: jsonOption({}, headerEntriesSchema, BARS),
  SidebarModulesAdmin: jsonOption({}, sidebarEntriesSchema, BARS),
  /** It takes every act from the administrators, this one too. */
  DemoSiteEnabled: booleanOption(false, ofRoot("general")),
  SelfUseModeEnabled: booleanOption(false, GENERAL),
};

/** Where the newest version is looked up, when an administrator asks; empty disables it. */
const SYSTEM_INFO = {
  UpdateCheckUrl: urlOption(ofRoot("system_info")),
};

const WORK = {
  QuotaPerUnit: integerOption(500_000, { ...GENERAL, minimum: 1 }),
  RetryTimes: integerOption(0, { ...GENERAL, minimum: 0, maximum: 100 }),
  /** Statuses of an upstream with which a call goes to the next channel; 504 and 524 only with RetryAfterTimeoutEnabled too. */
  AutomaticRetryStatusCodes: statusCodesOption(DEFAULT_RETRY_STATUSES, GENERAL),
  /** Also fails over when the first byte never arrived, although the upstream may have done the work. */
  RetryAfterTimeoutEnabled: booleanOption(false, GENERAL),
  DrawingEnabled: booleanOption(true, DRAWING),
  TaskEnabled: booleanOption(true, DRAWING),
  MjNotifyEnabled: booleanOption(false, DRAWING),
  MjAccountFilterEnabled: booleanOption(false, DRAWING),
  MjForwardUrlEnabled: booleanOption(true, DRAWING),
  MjModeClearEnabled: booleanOption(false, DRAWING),
  MjActionCheckSuccessEnabled: booleanOption(true, DRAWING),
  CheckSensitiveEnabled: booleanOption(true, SENSITIVE_WORDS),
  CheckSensitiveOnPromptEnabled: booleanOption(true, SENSITIVE_WORDS),
  SensitiveWords: linesOption([], SENSITIVE_WORDS),
  LogConsumeEnabled: booleanOption(true, ofAdmin("log")),
  /** Days that rows of the usage log are stored, 0 for good. Of root: who shortens it takes evidence of calls from everybody. */
  LogRetentionDays: integerOption(0, { ...ofRoot("log"), minimum: 0, maximum: 3650, unit: "days" }),
  /** Whether every call's row has its client's address; else each person says so for the own calls. */
  ClientAddressLogRequired: booleanOption(false, ofRoot("log")),
  /** Days that the security log is stored; at least a month, so that traces are not gone the next day. */
  SecurityLogDays: integerOption(180, { ...ofRoot("log"), minimum: 30, maximum: 3650, unit: "days" }),
  /** Days that the audit trail is stored. */
  AuditTrailDays: integerOption(365, { ...ofRoot("log"), minimum: 30, maximum: 3650, unit: "days" }),
  DataExportEnabled: booleanOption(true, DASHBOARD),
  DataExportInterval: integerOption(5, { ...DASHBOARD, minimum: 1, unit: "minutes" }),
  DataExportDefaultTime: choiceOption(["hour", "day", "week"], "hour", DASHBOARD),
  ChannelDisableThreshold: decimalOption("5", { ...MONITORING, minimum: 0, unit: "seconds" }),
  /** 0: never. The environment's CHANNEL_TEST_FREQUENCY stands over it. */
  ChannelTestFrequency: integerOption(0, CHANNEL_INTERVAL),
  ChannelTestScope: choiceOption(["all", "auto_disabled"], "all", MONITORING),
  /** 0: never. The environment's CHANNEL_UPDATE_FREQUENCY stands over it. */
  ChannelUpdateFrequency: integerOption(0, CHANNEL_INTERVAL),
  /** Between two looks at the model lists of the channels that are watched (`upstream_model_update_check_enabled` of a channel); 0: never. */
  ModelListFrequency: integerOption(60, CHANNEL_INTERVAL),
  /** Statements of each month to the accounts that want them; months are those of CheckinTimeZone. */
  MonthlyStatementEnabled: booleanOption(false, MONITORING),
  QuotaRemindThreshold: integerOption(1000, { ...MONITORING, minimum: 0, unit: "quota" }),
  AutomaticDisableChannelEnabled: booleanOption(false, MONITORING),
  AutomaticEnableChannelEnabled: booleanOption(false, MONITORING),
  /** Statuses of an upstream that disable the channel, whatever its error says. */
  AutomaticDisableStatusCodes: statusCodesOption("401", MONITORING),
  AutomaticDisableKeywords: linesOption(DEFAULT_DISABLE_KEYWORDS, { ...MONITORING, isLowerCased: true }),
};

const QUOTA = {
  QuotaForNewUser: integerOption(0, QUOTA_COUNT),
  PreConsumedQuota: integerOption(500, { ...QUOTA_RULES, minimum: 0, unit: "tokens" }),
  /** What passes unseen is held at its bound; false holds a step of every answer and no input but what is in the request. */
  SafeHoldsEnabled: booleanOption(true, QUOTA_RULES),
  /** Tokens that a model reads at most, where the price list does not say. */
  UnknownContextWindow: integerOption(200_000, { ...TOKEN_COUNT, minimum: 1 }),
  /** Output tokens that are held at most for what grows unseen; 0 for no bound but the model's. */
  HeldOutputLimit: integerOption(0, TOKEN_COUNT),
  QuotaForInviter: integerOption(0, QUOTA_COUNT),
  QuotaForInvitee: integerOption(0, QUOTA_COUNT),
};

/** The daily check-in: once a day of the time zone each user may claim quota between the two amounts, drawn by chance. */
const DAILY_CHECK_IN = {
  "checkin_setting.enabled": booleanOption(false, CHECK_IN),
  "checkin_setting.min_quota": integerOption(1_000, CHECK_IN_QUOTA),
  /** One below the smallest counts as the smallest. */
  "checkin_setting.max_quota": integerOption(10_000, CHECK_IN_QUOTA),
  CheckinTimeZone: timeZoneOption("UTC", CHECK_IN),
};

/** An entry in these tables overrides the price data; empty tables change nothing. */
const PRICING = {
  ModelPrice: jsonOption({}, decimalMapSchema, RATIOS),
  ModelRatio: jsonOption({}, decimalMapSchema, RATIOS),
  CompletionRatio: jsonOption({}, decimalMapSchema, RATIOS),
  CacheRatio: jsonOption({}, decimalMapSchema, RATIOS),
  CacheCreationRatio: jsonOption({}, decimalMapSchema, RATIOS),
  ImageRatio: jsonOption({}, decimalMapSchema, RATIOS),
  AudioRatio: jsonOption({}, decimalMapSchema, RATIOS),
  AudioCompletionRatio: jsonOption({}, decimalMapSchema, RATIOS),
  /** Ratios of long contexts for models whose ModelRatio stands above: an own ratio sets the list's tiers aside. */
  ContextTiers: jsonOption({}, contextTiersSchema, RATIOS),
  /** USD per 1,000 calls of providers' own tools, by model; pricing/tool-prices.ts says how names are matched. */
  ToolPrices: jsonOption(DEFAULT_TOOL_PRICES, toolPricesSchema, RATIOS),
  /** Factors for tokens that a vendor bills above or below its standard price; pricing/surcharge-ratios.ts has the defaults. */
  PremiumRatios: jsonOption(DEFAULT_SURCHARGE_RATIOS, surchargeRatiosSchema, RATIOS),
  /** What is charged when the upstream breaks off an answer: the part that arrived, the input only, or nothing. */
  BrokenStreamBilling: choiceOption(BROKEN_STREAM_RULES, "delivered", ofAdmin("price_tables")),
  GroupRatio: withDefaultGroup(jsonOption(ONE_FOR_EACH_GROUP, decimalMapSchema, { ...GROUPS, keepsDecimals: true })),
  /** Ratios of a group for the users of another one, which stand over GroupRatio. */
  GroupGroupRatio: jsonOption({}, decimalPairsSchema, { ...GROUPS, keepsDecimals: true }),
  UserUsableGroups: jsonOption({ default: "Default group", vip: "VIP group" }, textMapSchema, GROUPS),
  /** Groups that the users of one group may use besides (`+:name`), or may not although others may (`-:name`). */
  "group_ratio_setting.group_special_usable_group": jsonOption({}, specialGroupsSchema, GROUPS),
  /** Groups in which a token of the group `auto` looks for a channel, in this order. */
  AutoGroups: jsonOption(["default"], nameListSchema, GROUPS),
  /** Whether the form of a new token begins with the group `auto`, where the person may use it. */
  DefaultUseAutoGroup: booleanOption(false, GENERAL),
  /** Whether `/api/ratio_config` answers everybody. */
  ExposeRatioEnabled: booleanOption(false, GENERAL),
  /** Where a newer price list is fetched from, when an administrator asks for it. */
  PriceListUrl: urlOption(ofRoot("price_list")),
  Chats: jsonOption(DEFAULT_CHATS, chatsSchema, ofRoot("chats")),
};

const RATE_LIMIT = {
  ModelRequestRateLimitEnabled: booleanOption(false, REQUESTS),
  ModelRequestRateLimitCount: integerOption(0, { ...REQUESTS, minimum: 0, unit: "calls" }),
  ModelRequestRateLimitSuccessCount: integerOption(1000, { ...REQUESTS, minimum: 1, unit: "calls" }),
  ModelRequestRateLimitDurationMinutes: integerOption(1, { ...REQUESTS, minimum: 0, unit: "minutes" }),
  ModelRequestRateLimitGroup: jsonOption({}, rateLimitGroupSchema, REQUESTS),
  /** Calls that one token and one channel may have open at the same time; 0 for no limit. A channel's setting max_concurrency overrides its option. */
  TokenConcurrencyLimit: integerOption(0, CONCURRENCY),
  ChannelConcurrencyLimit: integerOption(0, CONCURRENCY),
};

/** What one user may have the site keep for them. What is there above a bound stays, and may only become less. */
const USER_BOUNDS = {
  "token_setting.max_user_tokens": integerOption(1_000, { ...BOUNDS, minimum: 1, maximum: 100_000 }),
  /** Messages, parts, tools and other entries that the lists in one field of a model request may have together. */
  RequestEntryLimit: integerOption(10_000, { ...BOUNDS, minimum: 1_000, maximum: 1_000_000 }),
  /** Calls a minute that are refused, or free for a user without quota; 0 for no limit. */
  UnpaidCallsPerMinute: integerOption(600, { ...BOUNDS, minimum: 0, maximum: 1_000_000, unit: "calls" }),
  /** Responses stored for calls with an Idempotency-Key; 0 stores none. */
  KeptAnswersPerUser: integerOption(2_000, { ...BOUNDS, minimum: 0, maximum: 1_000_000 }),
  KeptAnswerMebibytesPerUser: integerOption(16, { ...BOUNDS, minimum: 0, maximum: 1_048_576, unit: "mebibytes" }),
  KeptAnswerMebibytes: integerOption(1_024, { ...BOUNDS, minimum: 0, maximum: 1_048_576, unit: "mebibytes" }),
  TokenListEntryLimit: integerOption(500, { ...BOUNDS, minimum: 1, maximum: 10_000 }),
};

const ROUTING = {
  /** What decides among the channels of one priority: their weights, the time to their first token, or what their upstreams ask. */
  ChannelChoice: choiceOption(CHANNEL_CHOICES, "weight", CHANNEL_CHOICE),
  /** A conversation's next call goes to the channel that has its prompt cache. */
  PromptCacheAffinityEnabled: booleanOption(false, CHANNEL_CHOICE),
  /** Calls that a rule takes together go to the channel that had the last of them. */
  "channel_affinity_setting.enabled": booleanOption(true, CHANNEL_CHOICE),
  "channel_affinity_setting.rules": jsonOption(DEFAULT_AFFINITY_RULES, affinityRulesSchema, CHANNEL_CHOICE),
};

const MODEL_FAMILY = {
  "gemini.safety_settings": jsonOption(
    { default: "OFF", HARM_CATEGORY_CIVIC_INTEGRITY: "BLOCK_NONE" },
    textMapSchema,
    GEMINI,
  ),
  "gemini.version_settings": jsonOption({ default: "v1beta", "gemini-1.0-pro": "v1" }, textMapSchema, GEMINI),
  "gemini.supported_imagine_models": jsonOption(
    ["gemini-2.0-flash-exp-image-generation", "gemini-2.0-flash-exp"],
    nameListSchema,
    GEMINI,
  ),
  "gemini.thinking_adapter_enabled": booleanOption(false, GEMINI),
  "gemini.thinking_adapter_budget_tokens_percentage": decimalOption("0.6", { ...GEMINI, minimum: 0.1, maximum: 1 }),
  "claude.model_headers_settings": jsonOption({}, modelHeadersSchema, CLAUDE),
  "claude.default_max_tokens": jsonOption({ default: 8192 }, tokenCountMapSchema, CLAUDE),
  "claude.thinking_adapter_enabled": booleanOption(true, CLAUDE),
  "claude.thinking_adapter_budget_tokens_percentage": decimalOption("0.8", { ...CLAUDE, minimum: 0.1, maximum: 1 }),
  "global.pass_through_request_enabled": booleanOption(false, EVERY_MODEL),
  /** By model the day on which it is taken off: a note for those who use it, and no switch (pricing/retirement.ts). */
  ModelRetirementDates: jsonOption({}, retirementDaysSchema, EVERY_MODEL),
  "general_setting.ping_interval_enabled": booleanOption(false, EVERY_MODEL),
  "general_setting.ping_interval_seconds": integerOption(60, { ...EVERY_MODEL, minimum: 1, unit: "seconds" }),
};

/** Every option by name; an unknown name is refused everywhere. */
export const OPTION_CATALOGUE = {
  ...SERVER_AND_WORKER,
  ...PAYMENT_OPTIONS,
  ...LOGIN,
  ...EMAIL,
  ...APPEARANCE,
  ...DASHBOARD_CARDS,
  ...LEGAL,
  ...SYSTEM_INFO,
  ...WORK,
  ...QUOTA,
  ...DAILY_CHECK_IN,
  ...PRICING,
  ...RATE_LIMIT,
  ...USER_BOUNDS,
  ...ROUTING,
  ...MODEL_FAMILY,
  ...WEB_SEARCH_OPTIONS,
} as const;
