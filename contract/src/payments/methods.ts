/** Every payment method of the wallet: its name, the switch of its provider with what that needs, and the endpoints its provider reports to. */
import { callbackEndpoint } from "../endpoint.ts";

/** Each by its name in calls and orders; the value says in English what people pay with. The wallet offers them in this order. */
export const PAYMENT_METHODS = {
  zfb: "Alipay",
  wx: "WeChat Pay",
  alipay_direct: "Alipay (direct)",
  wechat_direct: "WeChat Pay (direct)",
  stripe: "cards",
} as const;
export type PaymentMethodName = keyof typeof PAYMENT_METHODS;
export const PAYMENT_METHOD_NAMES = Object.freeze(Object.keys(PAYMENT_METHODS) as PaymentMethodName[]);

/** Names of epay's methods in the family of this API, and in its options. */
export const FAMILY_METHOD_WORDS: Readonly<Record<string, PaymentMethodName>> = { alipay: "zfb", wxpay: "wx" };

/** The option that switches a provider on, with the options that have to be set first. An epay gateway has no switch: its methods are on once it is set. */
export const PAYMENT_SWITCHES = {
  AlipayEnabled: ["ServerAddress", "AlipayAppId", "AlipayPrivateKey", "AlipayPublicKey"],
  WechatPayEnabled: [
    "ServerAddress",
    "WechatPayAppId",
    "WechatPayMerchantId",
    "WechatPayCertificateSerial",
    "WechatPayPrivateKey",
    "WechatPayApiV3Key",
    "WechatPayPlatformKey",
  ],
  StripeEnabled: ["ServerAddress", "StripeSecretKey", "StripeWebhookSecret"],
  StripeAutoTopUpEnabled: ["ServerAddress", "StripeSecretKey", "StripeWebhookSecret"],
} as const;

const EPAY_SUMMARY =
  "What an epay gateway reports of a payment; the answer is `success` once it is credited, else `fail`";

export const epayNotifyByGet = callbackEndpoint({
  method: "GET",
  path: "/api/user/epay/notify",
  access: "signed",
  object: "none",
  summary: EPAY_SUMMARY,
  changesState: true,
});

export const epayNotify = callbackEndpoint({
  method: "POST",
  path: "/api/user/epay/notify",
  access: "signed",
  object: "none",
  summary: EPAY_SUMMARY,
});

export const alipayNotify = callbackEndpoint({
  method: "POST",
  path: "/api/alipay/notify",
  access: "signed",
  object: "none",
  summary:
    "What Alipay reports of a trade: paid, closed, refunded; the answer is `success` once that is kept, else `fail`",
});

export const wechatPayNotify = callbackEndpoint({
  method: "POST",
  path: "/api/wechat-pay/notify",
  access: "signed",
  object: "none",
  summary: "What WeChat Pay reports: payments and refunds; any other status than 200 asks for it again",
});

export const stripeWebhook = callbackEndpoint({
  method: "POST",
  path: "/api/stripe/webhook",
  access: "signed",
  object: "none",
  summary: "Events of Stripe: sessions paid, ended and failed, refunds, disputes",
});

/** Addresses that providers report to, by the settings section that shows them. Stripe's is entered by hand, the others go along with each order. */
export const WEBHOOKS = [
  { provider: "stripe", section: "payment", path: stripeWebhook.path },
  { provider: "alipay", section: "alipay", path: alipayNotify.path },
  { provider: "wechat_pay", section: "wechat_pay", path: wechatPayNotify.path },
] as const;
