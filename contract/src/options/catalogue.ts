/** Every option of the system with its type, default, secrecy and settings tab, one line each. */
import {
  booleanOption,
  choiceOption,
  commaListOption,
  decimalOption,
  integerOption,
  jsonOption,
  linesOption,
  pictureOption,
  refuse,
  textOption,
  urlOption,
} from "./kinds.ts";
import { BROKEN_STREAM_RULES } from "../pricing/broken-stream.ts";
import { contentOption } from "./content.ts";
import {
  chatsSchema,
  decimalMapSchema,
  DEFAULT_CHATS,
  DEFAULT_DISABLE_KEYWORDS,
  DEFAULT_EMAIL_DOMAINS,
  modelHeadersSchema,
  nameListSchema,
  rateLimitGroupSchema,
  textMapSchema,
  tokenCountMapSchema,
} from "./schemas.ts";
import { DEFAULT_SURCHARGE_RATIOS, surchargeRatiosSchema } from "../pricing/surcharge-ratios.ts";
import { DEFAULT_TOOL_PRICES, toolPricesSchema } from "../pricing/tool-prices.ts";

const SYSTEM = { page: "system" } as const;
/** Changing sign-in and payment options requires a confirmed password. */
const GUARDED = { page: "system", needsStepUp: true } as const;
const SECRET = { page: "system", isSecret: true } as const;
const OTHER = { page: "other" } as const;
const OPERATION = { page: "operation" } as const;
const COUNT = { page: "operation", minimum: 0 } as const;
const MODELS = { page: "models" } as const;
const RATIOS = { page: "operation", keepsDecimals: true } as const;

const ONE_FOR_EACH_GROUP = '{\n  "default": 1,\n  "vip": 1,\n  "svip": 1\n}';

const DOMAIN = /^(?!-)[a-z0-9-]+(?<!-)(\.(?!-)[a-z0-9-]+(?<!-))+$/;

function checkDomain(entry: string): void {
  if (!DOMAIN.test(entry)) refuse("The email domain format is incorrect");
}

const SERVER_AND_WORKER = {
  ServerAddress: urlOption({ ...SYSTEM, trimsSlash: true }),
  WorkerUrl: urlOption({ ...SYSTEM, trimsSlash: true }),
  WorkerValidKey: textOption("", SECRET),
  WorkerAllowHttpImageRequestEnabled: booleanOption(false, SYSTEM),
  /** Channel base URLs may point to private addresses; the wizard turns it on for self-use. */
  AllowPrivateUpstreamsEnabled: booleanOption(false, GUARDED),
};

const PAYMENT = {
  PayAddress: urlOption({ ...GUARDED, trimsSlash: true }),
  EpayId: textOption("", GUARDED),
  EpayKey: textOption("", SECRET),
  Price: decimalOption("7.3", { ...GUARDED, minimum: 0, maximumDecimals: 2 }),
  MinTopUp: integerOption(1, { ...GUARDED, minimum: 1 }),
  CustomCallbackAddress: urlOption({ ...GUARDED, trimsSlash: true }),
  TopupGroupRatio: jsonOption(ONE_FOR_EACH_GROUP, decimalMapSchema, { ...GUARDED, keepsDecimals: true }),
  TopUpLink: urlOption(GUARDED),
};

const LOGIN = {
  PasswordLoginEnabled: booleanOption(true, GUARDED),
  PasswordRegisterEnabled: booleanOption(true, GUARDED),
  EmailVerificationEnabled: booleanOption(false, GUARDED),
  RegisterEnabled: booleanOption(true, GUARDED),
  TurnstileCheckEnabled: booleanOption(false, GUARDED),
  TurnstileSiteKey: textOption("", GUARDED),
  TurnstileSecretKey: textOption("", SECRET),
  GitHubOAuthEnabled: booleanOption(false, GUARDED),
  GitHubClientId: textOption("", GUARDED),
  GitHubClientSecret: textOption("", SECRET),
  LinuxDOOAuthEnabled: booleanOption(false, GUARDED),
  LinuxDOClientId: textOption("", GUARDED),
  LinuxDOClientSecret: textOption("", SECRET),
  WeChatAuthEnabled: booleanOption(false, GUARDED),
  WeChatServerAddress: urlOption({ ...GUARDED, trimsSlash: true }),
  WeChatServerToken: textOption("", SECRET),
  WeChatAccountQRCodeImageURL: urlOption(GUARDED),
  TelegramOAuthEnabled: booleanOption(false, GUARDED),
  TelegramBotToken: textOption("", SECRET),
  TelegramBotName: textOption("", GUARDED),
  "oidc.enabled": booleanOption(false, GUARDED),
  "oidc.client_id": textOption("", GUARDED),
  "oidc.client_secret": textOption("", SECRET),
  "oidc.well_known": urlOption(GUARDED),
  "oidc.authorization_endpoint": urlOption(GUARDED),
  "oidc.token_endpoint": urlOption(GUARDED),
  "oidc.user_info_endpoint": urlOption(GUARDED),
};

const EMAIL = {
  EmailDomainRestrictionEnabled: booleanOption(false, GUARDED),
  EmailAliasRestrictionEnabled: booleanOption(false, GUARDED),
  EmailDomainWhitelist: commaListOption(DEFAULT_EMAIL_DOMAINS, {
    ...GUARDED,
    isLowerCased: true,
    checkEntry: checkDomain,
  }),
  SMTPServer: textOption("", SYSTEM),
  SMTPPort: integerOption(587, { ...SYSTEM, minimum: 1, maximum: 65_535 }),
  SMTPAccount: textOption("", SYSTEM),
  SMTPFrom: textOption("", SYSTEM),
  SMTPToken: textOption("", SECRET),
  SMTPSSLEnabled: booleanOption(false, SYSTEM),
};

const APPEARANCE = {
  Notice: contentOption(OTHER),
  SystemName: textOption("Turnpike", OTHER),
  Logo: pictureOption(OTHER),
  HomePageContent: contentOption(OTHER),
  About: contentOption(OTHER),
  Footer: contentOption(OTHER),
  "general_setting.docs_link": urlOption(OPERATION),
  DisplayInCurrencyEnabled: booleanOption(true, OPERATION),
  DisplayTokenStatEnabled: booleanOption(true, OPERATION),
  DefaultCollapseSidebar: booleanOption(false, OPERATION),
  DemoSiteEnabled: booleanOption(false, OPERATION),
  SelfUseModeEnabled: booleanOption(false, OPERATION),
};

const WORK = {
  QuotaPerUnit: integerOption(500_000, { ...OPERATION, minimum: 1 }),
  RetryTimes: integerOption(0, { ...OPERATION, minimum: 0, maximum: 100 }),
  /** Also fails over when the first byte never arrived, although the upstream may have done the work. */
  RetryAfterTimeoutEnabled: booleanOption(false, OPERATION),
  DrawingEnabled: booleanOption(true, OPERATION),
  TaskEnabled: booleanOption(true, OPERATION),
  MjNotifyEnabled: booleanOption(false, OPERATION),
  MjAccountFilterEnabled: booleanOption(false, OPERATION),
  MjForwardUrlEnabled: booleanOption(true, OPERATION),
  MjModeClearEnabled: booleanOption(false, OPERATION),
  MjActionCheckSuccessEnabled: booleanOption(true, OPERATION),
  CheckSensitiveEnabled: booleanOption(true, OPERATION),
  CheckSensitiveOnPromptEnabled: booleanOption(true, OPERATION),
  SensitiveWords: linesOption([], OPERATION),
  LogConsumeEnabled: booleanOption(true, OPERATION),
  DataExportEnabled: booleanOption(true, OPERATION),
  DataExportInterval: integerOption(5, { ...OPERATION, minimum: 1 }),
  DataExportDefaultTime: choiceOption(["hour", "day", "week"], "hour", OPERATION),
  ChannelDisableThreshold: decimalOption("5", COUNT),
  QuotaRemindThreshold: integerOption(1000, COUNT),
  AutomaticDisableChannelEnabled: booleanOption(false, OPERATION),
  AutomaticEnableChannelEnabled: booleanOption(false, OPERATION),
  AutomaticDisableKeywords: linesOption(DEFAULT_DISABLE_KEYWORDS, { ...OPERATION, isLowerCased: true }),
};

const QUOTA = {
  QuotaForNewUser: integerOption(0, COUNT),
  PreConsumedQuota: integerOption(500, COUNT),
  QuotaForInviter: integerOption(0, COUNT),
  QuotaForInvitee: integerOption(0, COUNT),
};

/** An entry in these tables overrides the price data; empty tables change nothing. */
const PRICING = {
  ModelPrice: jsonOption({}, decimalMapSchema, RATIOS),
  ModelRatio: jsonOption({}, decimalMapSchema, RATIOS),
  CompletionRatio: jsonOption({}, decimalMapSchema, RATIOS),
  CacheRatio: jsonOption({}, decimalMapSchema, RATIOS),
  CacheCreationRatio: jsonOption({}, decimalMapSchema, RATIOS),
  /** USD per 1,000 calls of providers' own tools, by model; pricing/tool-prices.ts says how names are matched. */
  ToolPrices: jsonOption(DEFAULT_TOOL_PRICES, toolPricesSchema, RATIOS),
  /** Factors for tokens that a vendor bills above or below its standard price; pricing/surcharge-ratios.ts has the defaults. */
  PremiumRatios: jsonOption(DEFAULT_SURCHARGE_RATIOS, surchargeRatiosSchema, RATIOS),
  /** What is charged when the upstream breaks off an answer: the part that arrived, the input only, or nothing. */
  BrokenStreamBilling: choiceOption(BROKEN_STREAM_RULES, "delivered", OPERATION),
  GroupRatio: jsonOption(ONE_FOR_EACH_GROUP, decimalMapSchema, RATIOS),
  UserUsableGroups: jsonOption({ default: "Default group", vip: "VIP group" }, textMapSchema, OPERATION),
  /** Groups in which a token of the group `auto` looks for a channel, in this order. */
  AutoGroups: jsonOption(["default"], nameListSchema, OPERATION),
  Chats: jsonOption(DEFAULT_CHATS, chatsSchema, OPERATION),
};

const RATE_LIMIT = {
  ModelRequestRateLimitEnabled: booleanOption(false, { page: "ratelimit" }),
  ModelRequestRateLimitCount: integerOption(0, { page: "ratelimit", minimum: 0 }),
  ModelRequestRateLimitSuccessCount: integerOption(1000, { page: "ratelimit", minimum: 1 }),
  ModelRequestRateLimitDurationMinutes: integerOption(1, { page: "ratelimit", minimum: 0 }),
  ModelRequestRateLimitGroup: jsonOption({}, rateLimitGroupSchema, { page: "ratelimit" }),
  /** Calls that one token and one channel may have open at the same time; 0 for no limit. A channel's setting max_concurrency overrides its option. */
  TokenConcurrencyLimit: integerOption(0, { page: "ratelimit", minimum: 0 }),
  ChannelConcurrencyLimit: integerOption(0, { page: "ratelimit", minimum: 0 }),
};

const MODEL_FAMILY = {
  "gemini.safety_settings": jsonOption(
    { default: "OFF", HARM_CATEGORY_CIVIC_INTEGRITY: "BLOCK_NONE" },
    textMapSchema,
    MODELS,
  ),
  "gemini.version_settings": jsonOption({ default: "v1beta", "gemini-1.0-pro": "v1" }, textMapSchema, MODELS),
  "gemini.supported_imagine_models": jsonOption(
    ["gemini-2.0-flash-exp-image-generation", "gemini-2.0-flash-exp"],
    nameListSchema,
    MODELS,
  ),
  "gemini.thinking_adapter_enabled": booleanOption(false, MODELS),
  "gemini.thinking_adapter_budget_tokens_percentage": decimalOption("0.6", { ...MODELS, minimum: 0.1, maximum: 1 }),
  "claude.model_headers_settings": jsonOption({}, modelHeadersSchema, MODELS),
  "claude.default_max_tokens": jsonOption({ default: 8192 }, tokenCountMapSchema, MODELS),
  "claude.thinking_adapter_enabled": booleanOption(true, MODELS),
  "claude.thinking_adapter_budget_tokens_percentage": decimalOption("0.8", { ...MODELS, minimum: 0.1, maximum: 1 }),
  "global.pass_through_request_enabled": booleanOption(false, MODELS),
  "general_setting.ping_interval_enabled": booleanOption(false, MODELS),
  "general_setting.ping_interval_seconds": integerOption(60, { ...MODELS, minimum: 1 }),
};

/** Every option by name; an unknown name is refused everywhere. */
export const OPTION_CATALOGUE = {
  ...SERVER_AND_WORKER,
  ...PAYMENT,
  ...LOGIN,
  ...EMAIL,
  ...APPEARANCE,
  ...WORK,
  ...QUOTA,
  ...PRICING,
  ...RATE_LIMIT,
  ...MODEL_FAMILY,
} as const;
