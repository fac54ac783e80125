/** Tests of settings before they are saved: which options each test reads, which of them say where a secret goes, and what a test shows. */
import { z } from "zod";
import { DELIVERY_FAILURES } from "../notifications.ts";
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

export type OptionTestName = keyof typeof OPTION_TESTS;
const OPTION_TEST_NAMES = Object.keys(OPTION_TESTS) as OptionTestName[];

/** `signature` and `key` are checked here, and `redirect` is shown; all others ask the other side. */
const STEPS = [
  "mail",
  "signature",
  "address",
  "key",
  "webhook_secret",
  "query",
  "search",
  "discovery",
  "client",
  "redirect",
  "bot",
  "bot_name",
] as const;

/** Why a step failed, beside what a mail server may do. */
const REASONS = [
  "missing",
  "key_unreadable",
  "format",
  "unreachable",
  "timed_out",
  "address_refused",
  "refused",
  "client_refused",
  "redirect_refused",
  "other_name",
  "no_pages",
  "too_many_requests",
] as const;

export const optionTestStep = z.object({
  step: z.enum(STEPS),
  is_passed: z.boolean(),
  reason: z.enum(["", ...REASONS, ...DELIVERY_FAILURES.filter((each) => each !== "address_refused")]),
  /** What the other side said, without the secrets of the test. */
  answer: z.string(),
});
export type OptionTestStep = z.output<typeof optionTestStep>;

/** Longest text of an option in a test: keys as PEM with their certificates. */
const OPTION_TEXT_MAX = 20_000;

export const optionTestQuestion = z.object({
  what: z.enum(OPTION_TEST_NAMES),
  /** The options that differ from what is stored, as text; a secret that is absent is the stored one. */
  options: z.record(z.string().max(100), z.string().max(OPTION_TEXT_MAX)),
  /** Address of the test mail. */
  to: z.string().max(400).default(""),
});
