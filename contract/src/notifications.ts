/** Events that users are notified of by mail or another way (notification-ways.ts), with their values. The templates are in server/src/notify, in both languages. */
import { z } from "zod";

/** `lines`: text of several lines. `quota`: an amount in quota. `link`: an address of the console. `secret`: a code or link that lets its holder in; only the recipient sees it. */
type Kind = "text" | "lines" | "number" | "quota" | "time" | "link" | "secret";

interface NotificationDefinition {
  values: Readonly<Record<string, Kind>>;
  /** Sent by mail to the account's own address, whatever channel its owner chose: it concerns access to the account. */
  isAboutAccess?: true;
}

const COSTS = { old_cost: "quota", new_cost: "quota", days: "number", address: "link" } as const;
const CHANNEL = { id: "number", name: "text" } as const;

export const NOTIFICATIONS = {
  email_code: { values: { code: "secret", minutes: "number" }, isAboutAccess: true },
  password_reset: { values: { address: "secret", minutes: "number" }, isAboutAccess: true },
  invitation: { values: { inviter: "text", address: "secret", until: "time" }, isAboutAccess: true },
  password_changed: { values: { ip: "text" }, isAboutAccess: true },
  password_set_by_administrator: { values: {}, isAboutAccess: true },
  identity_added: { values: { provider: "text", ip: "text" }, isAboutAccess: true },
  identity_removed: { values: { provider: "text", ip: "text" }, isAboutAccess: true },
  identity_removed_by_administrator: { values: { provider: "text" }, isAboutAccess: true },
  /** `factor`: totp, passkey, recovery_codes. */
  factor_added: { values: { factor: "text", ip: "text" }, isAboutAccess: true },
  factor_removed: { values: { factor: "text", ip: "text" }, isAboutAccess: true },
  factor_removed_by_administrator: { values: { factor: "text" }, isAboutAccess: true },
  /** `scope` is one of ACCESS_TOKEN_SCOPES. */
  access_token_made: { values: { name: "text", scope: "text", ip: "text" }, isAboutAccess: true },
  sessions_ended_by_administrator: { values: {}, isAboutAccess: true },
  role_changed: { values: { from: "number", to: "number" }, isAboutAccess: true },
  account_disabled: { values: {}, isAboutAccess: true },
  account_enabled: { values: {}, isAboutAccess: true },
  account_deleted: { values: {}, isAboutAccess: true },
  /** `models` has a line for each model; amounts ending in `_units` are the same in units of quota. */
  monthly_statement: {
    values: {
      month: "text",
      opening: "quota",
      opening_units: "number",
      top_ups: "quota",
      reversals: "quota",
      credits: "quota",
      spent: "quota",
      requests: "number",
      refunds: "quota",
      closing: "quota",
      closing_units: "number",
      models: "lines",
      address: "link",
    },
  },
  quota_warning: { values: { remaining: "quota", threshold: "quota", address: "link" } },
  /** The own calls of the last `days` at the prices before and after; `start` is when those after come into force. */
  prices_changed: { values: { ...COSTS } },
  prices_announced: { values: { ...COSTS, start: "time" } },
  /** `day` as 2026-12-31, which is `days` away; the account used the model in the last 30 days. */
  model_retires: { values: { model: "text", day: "text", days: "number", address: "link" } },
  /** The last four digits of a card that is charged from now on where the rule says so. */
  card_saved: { values: { brand: "text", last4: "text", address: "link" } },
  /** Below `threshold` the saved card is charged, in a month at most `limit`: money with its currency. */
  auto_top_up_set: { values: { threshold: "quota", limit: "text", address: "link" } },
  auto_top_up_off: { values: { address: "link" } },
  /** `reason` is one of AUTO_TOP_UP_PAUSES. */
  auto_top_up_paused: { values: { reason: "text", address: "link" } },
  /** By what the user has paid for; both are names of groups. */
  group_raised: { values: { from: "text", to: "text" } },
  channel_disabled: { values: { ...CHANNEL, reason: "text" } },
  /** `key` is the masked key; `left` of `total` keys are still enabled. */
  channel_key_disabled: { values: { ...CHANNEL, key: "text", reason: "text", left: "number", total: "number" } },
  channel_enabled: { values: CHANNEL },
  /** Names of models, comma-joined: new at the upstream, no longer there, and added by themselves. */
  channel_models_changed: { values: { ...CHANNEL, added: "text", removed: "text", taken: "text" } },
  /** Its calls go to another address, provider or proxy; `address` is its base URL, `username` who changed it. */
  channel_moved: { values: { ...CHANNEL, address: "text", username: "text" }, isAboutAccess: true },
  /** `money` with its currency: "10.00 USD". */
  payment_disputed: { values: { number: "text", username: "text", money: "text" } },
  books_out_of_balance: { values: { count: "number" } },
  /** `place` is a folder or an `s3://` address. Once until it works again, as `backup_late`. */
  backup_failed: { values: { reason: "text", place: "text" } },
  backup_late: { values: { hours: "number", place: "text" } },
  backup_works_again: { values: { place: "text" } },
  test: { values: {} },
  mail_test: { values: { username: "text" } },
} as const satisfies Readonly<Record<string, NotificationDefinition>>;

export type NotificationCode = keyof typeof NOTIFICATIONS;

type ValueOf<Of> = Of extends "number" | "quota" | "time" ? number : string;

type ValuesOf<Code extends NotificationCode> = {
  readonly [Name in keyof (typeof NOTIFICATIONS)[Code]["values"]]: ValueOf<
    (typeof NOTIFICATIONS)[Code]["values"][Name]
  >;
};

/** One of the codes with the values it takes. */
export type Notification = { [Code in NotificationCode]: { code: Code; values: ValuesOf<Code> } }[NotificationCode];

export const LANGUAGES = ["en", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language of an Accept-Language header (RFC 9110, 12.5.4), English where it asks for neither. */
export function preferredLanguage(header: string | undefined): Language {
  const wanted = (header ?? "")
    .split(",")
    .map((part) => {
      const [tag = "", weight = ""] = part.trim().toLowerCase().split(";");
      return { tag, weight: weight.trim().startsWith("q=") ? Number(weight.trim().slice(2)) : 1 };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight);
  const found = wanted.map(({ tag }) =>
    LANGUAGES.find((language) => tag === language || tag.startsWith(`${language}-`)),
  );
  return found.find((language) => language !== undefined) ?? "en";
}

/**
 * Why a message did not arrive. `expired`: the code or link in it was over before it could be sent. `unreadable`: it was written under
 * another secret key. `receiver_refused`: a service answered with success and an error in its body. `receiver_missing`: the account has
 * taken its address or token away since.
 */
export const DELIVERY_FAILURES = [
  "smtp_not_configured",
  "smtp_unreachable",
  "smtp_tls",
  "smtp_login",
  "smtp_refused",
  "webhook_unreachable",
  "webhook_status",
  "receiver_refused",
  "receiver_missing",
  "worker_unreachable",
  "address_refused",
  "expired",
  "unreadable",
  "internal",
] as const;
export type DeliveryFailure = (typeof DELIVERY_FAILURES)[number];

/** What a test message came to. */
export const testMessageResult = z.object({
  is_delivered: z.boolean(),
  /** Why not; one of DELIVERY_FAILURES, "" where it was delivered. */
  failure: z.enum(["", ...DELIVERY_FAILURES]),
  /** What the receiver answered. */
  answer: z.string(),
});
export type TestMessageResult = z.output<typeof testMessageResult>;
