/** The options of payments, which the catalogue lists: what top-ups cost, what is offered, and how each provider is reached. */
import { CURRENCY_CODES } from "../payments/currencies.ts";
import {
  amountDiscountSchema,
  amountOptionsSchema,
  DEFAULT_AMOUNTS,
  payMethodsSchema,
} from "../payments/offer-options.ts";
import { jsonOption } from "./json-option.ts";
import { booleanOption, choiceOption, decimalOption, integerOption, textOption, urlOption } from "./kinds.ts";
import { decimalMapSchema } from "./schemas.ts";

/** All of them lead money somewhere: they are the super administrator's. */
const PAYMENT = { section: "payment", owner: "root" } as const;
const ALIPAY = { section: "alipay", owner: "root" } as const;
const WECHAT_PAY = { section: "wechat_pay", owner: "root" } as const;

/** The default of ratios by group. */
export const ONE_FOR_EACH_GROUP = '{\n  "default": 1,\n  "vip": 1,\n  "svip": 1\n}';

/** The sections Payment, Alipay and WeChat Pay. */
export const PAYMENT_OPTIONS = {
  PayAddress: urlOption({ ...PAYMENT, trimsSlash: true }),
  EpayId: textOption("", PAYMENT),
  EpayKey: textOption("", { ...PAYMENT, isSecret: true }),
  Price: decimalOption("7.3", { ...PAYMENT, minimum: 0, maximumDecimals: 2 }),
  MinTopUp: integerOption(1, { ...PAYMENT, minimum: 1 }),
  "payment_setting.amount_options": jsonOption([...DEFAULT_AMOUNTS], amountOptionsSchema, PAYMENT),
  /** What is paid of the price for some amounts, as a share; the credit stays the amount. */
  "payment_setting.amount_discount": jsonOption({}, amountDiscountSchema, { ...PAYMENT, keepsDecimals: true }),
  /** Name, colour and least amount of methods, and their order. */
  PayMethods: jsonOption([], payMethodsSchema, PAYMENT),
  CustomCallbackAddress: urlOption({ ...PAYMENT, trimsSlash: true }),
  TopupGroupRatio: jsonOption(ONE_FOR_EACH_GROUP, decimalMapSchema, {
    section: "groups",
    owner: "root",
    keepsDecimals: true,
  }),
  /** Groups that users rise into by what they have paid for, from so many units each; docs/payments.md has the rule. */
  PaidGroups: jsonOption({}, decimalMapSchema, { ...PAYMENT, keepsDecimals: true }),
  TopUpLink: urlOption(PAYMENT),
  AlipayEnabled: booleanOption(false, ALIPAY),
  AlipayAppId: textOption("", ALIPAY),
  /** Of the application, whose public key Alipay has. */
  AlipayPrivateKey: textOption("", { ...ALIPAY, isSecret: true }),
  /** Alipay's own, not that of the application. */
  AlipayPublicKey: textOption("", ALIPAY),
  /** The sandbox or another entrance; empty for Alipay's own. */
  AlipayGateway: urlOption({ ...ALIPAY, trimsSlash: true }),
  WechatPayEnabled: booleanOption(false, WECHAT_PAY),
  WechatPayAppId: textOption("", WECHAT_PAY),
  WechatPayMerchantId: textOption("", WECHAT_PAY),
  /** Serial number of the merchant's certificate, with whose key requests are signed. */
  WechatPayCertificateSerial: textOption("", WECHAT_PAY),
  WechatPayPrivateKey: textOption("", { ...WECHAT_PAY, isSecret: true }),
  WechatPayApiV3Key: textOption("", { ...WECHAT_PAY, isSecret: true }),
  /** WeChat Pay's public key, or its platform certificate. */
  WechatPayPlatformKey: textOption("", WECHAT_PAY),
  /** `PUB_KEY_ID_…`; empty for a certificate, which has its own number. */
  WechatPayPlatformKeyId: textOption("", WECHAT_PAY),
  /** Phones are led to WeChat Pay's page (H5), a product of its own there. */
  WechatPayH5Enabled: booleanOption(false, WECHAT_PAY),
  StripeEnabled: booleanOption(false, PAYMENT),
  StripeSecretKey: textOption("", { ...PAYMENT, isSecret: true }),
  StripeWebhookSecret: textOption("", { ...PAYMENT, isSecret: true }),
  StripeCurrency: choiceOption(CURRENCY_CODES, "USD", PAYMENT),
  StripePrice: decimalOption("1", { ...PAYMENT, minimum: 0, maximumDecimals: 4 }),
  /** People may have a card saved at Stripe, which pays when their balance is low. */
  StripeAutoTopUpEnabled: booleanOption(false, PAYMENT),
};
