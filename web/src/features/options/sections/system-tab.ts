/** The parts of the System tab in one file, so that the tab loads with one more script and not with one for each part. */
export { GithubCallback, LinuxDoCallback, OidcCallback } from "./callback-parts.tsx";
export { EmailDomainsField } from "./email-domains-field.tsx";
export { TelegramHint, TurnstileHint, WechatHint } from "./hints.tsx";
export { MailTest } from "./mail-test.tsx";
export { PasswordLoginField } from "./password-login-field.tsx";
export { PaymentNote } from "./payment-note.tsx";
export { StripeWebhook } from "./stripe-webhook.tsx";
export { QrCodeField } from "./picture-fields.tsx";
export { WellKnownField } from "./well-known-field.tsx";
