/** Every payment method of the wallet: its name, the switch of its provider with what that needs, and the endpoints its provider reports to. */
import { callbackEndpoint } from "../endpoint.ts";

/** Each by its name in calls and orders; the value says in English what people pay with. The wallet offers them in this order. */
export const PAYMENT_METHODS = { zfb: "Alipay", wx: "WeChat Pay", stripe: "cards" } as const;
export type PaymentMethodName = keyof typeof PAYMENT_METHODS;
export const PAYMENT_METHOD_NAMES = Object.freeze(Object.keys(PAYMENT_METHODS) as PaymentMethodName[]);

/** The option that switches a provider on, with the options that have to be set first. An epay gateway has no switch: its methods are on once it is set. */
export const PAYMENT_SWITCHES = {
  StripeEnabled: ["ServerAddress", "StripeSecretKey", "StripeWebhookSecret"],
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

export const stripeWebhook = callbackEndpoint({
  method: "POST",
  path: "/api/stripe/webhook",
  access: "signed",
  object: "none",
  summary: "Events of Stripe: sessions paid, ended and failed, refunds, disputes",
});

/** Callbacks that the operator enters at a provider by hand; the settings page shows them. */
export const WEBHOOKS = [{ provider: "stripe", path: stripeWebhook.path }] as const;
