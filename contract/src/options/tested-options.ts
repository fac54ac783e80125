/** Which options each test of the settings reads, and which of them say where a secret goes; apart from the question, which every page of settings knows. */
import type { OptionName } from "./options.ts";

interface OptionTest {
  /** What the test reads; everything else is as it is stored. */
  options: readonly OptionName[];
  secrets: readonly OptionName[];
  /** Where the secrets go, and how they are protected on the way: with another value here a stored secret is not used. */
  places: readonly OptionName[];
}

export const OPTION_TESTS = {
  smtp: {
    options: [
      "SMTPServer",
      "SMTPPort",
      "SMTPAccount",
      "SMTPFrom",
      "SMTPToken",
      "SMTPSSLEnabled",
      "SMTPStartTLSEnabled",
      "SMTPInsecureSkipVerify",
      "SMTPForceAuthLogin",
    ],
    secrets: ["SMTPToken"],
    places: ["SMTPServer", "SMTPPort", "SMTPSSLEnabled", "SMTPStartTLSEnabled", "SMTPInsecureSkipVerify"],
  },
  epay: { options: ["PayAddress", "EpayId", "EpayKey"], secrets: ["EpayKey"], places: ["PayAddress"] },
  stripe: {
    options: ["StripeSecretKey", "StripeWebhookSecret"],
    secrets: ["StripeSecretKey", "StripeWebhookSecret"],
    places: [],
  },
  alipay: {
    options: ["AlipayAppId", "AlipayPrivateKey", "AlipayPublicKey", "AlipayGateway"],
    secrets: ["AlipayPrivateKey"],
    places: ["AlipayGateway"],
  },
  wechat_pay: {
    options: [
      "WechatPayAppId",
      "WechatPayMerchantId",
      "WechatPayCertificateSerial",
      "WechatPayPrivateKey",
      "WechatPayPlatformKey",
      "WechatPayPlatformKeyId",
    ],
    secrets: ["WechatPayPrivateKey"],
    places: [],
  },
  oidc: {
    options: [
      "oidc.client_id",
      "oidc.client_secret",
      "oidc.well_known",
      "oidc.authorization_endpoint",
      "oidc.token_endpoint",
      "oidc.user_info_endpoint",
    ],
    secrets: ["oidc.client_secret"],
    places: ["oidc.well_known", "oidc.token_endpoint"],
  },
  github: { options: ["GitHubClientId", "GitHubClientSecret"], secrets: ["GitHubClientSecret"], places: [] },
  discord: {
    options: ["discord.client_id", "discord.client_secret"],
    secrets: ["discord.client_secret"],
    places: [],
  },
  linuxdo: { options: ["LinuxDOClientId", "LinuxDOClientSecret"], secrets: ["LinuxDOClientSecret"], places: [] },
  lark: {
    options: ["LarkClientId", "LarkClientSecret", "LarkSite"],
    secrets: ["LarkClientSecret"],
    places: ["LarkSite"],
  },
  dingtalk: {
    options: ["DingTalkClientId", "DingTalkClientSecret"],
    secrets: ["DingTalkClientSecret"],
    places: [],
  },
  telegram: { options: ["TelegramBotToken", "TelegramBotName"], secrets: ["TelegramBotToken"], places: [] },
  web_search: {
    options: ["WebSearchProvider", "WebSearchAddress", "WebSearchKey"],
    secrets: ["WebSearchKey"],
    places: ["WebSearchProvider", "WebSearchAddress"],
  },
  wechat: {
    options: ["WeChatServerAddress", "WeChatServerToken"],
    secrets: ["WeChatServerToken"],
    places: ["WeChatServerAddress"],
  },
} as const satisfies Record<string, OptionTest>;
