/** English notification templates, and the type that every language implements. */
import type { NotificationCode } from "../../../contract/src/notifications.ts";
import { WAY_TITLES } from "../../../contract/src/ways-in.ts";

/** Placeholders: `{name}` for a value of the event, `{site}` for the site's name, `{time}` for the time of the event. */
export interface MessageTemplate {
  subject: string;
  paragraphs: readonly string[];
  /** Name of the value that is shown in large type, such as a code. */
  code?: string;
  /** A button; `value` is the name of the value with its URL. */
  action?: { label: string; value: string };
}

export interface LanguageTemplates {
  messages: Readonly<Record<NotificationCode, MessageTemplate>>;
  /** Texts of values that are codes, by the value's name; unknown codes are shown unchanged. */
  valueWords: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The footer of every mail. */
  footer: string;
}

const NOT_YOU = "If this was not you, change your password at once and tell the administrator.";

const ROLES = { "1": "user", "10": "administrator", "100": "super administrator" };
const FACTORS = { totp: "An authenticator app", passkey: "A passkey", recovery_codes: "A set of recovery codes" };

export const ENGLISH: LanguageTemplates = {
  footer: "{site} sent this message because of your account. Please do not reply to it.",
  valueWords: {
    factor: FACTORS,
    from: ROLES,
    to: ROLES,
    provider: { ...WAY_TITLES, email: "email" },
  },
  messages: {
    email_code: {
      subject: "{site}: your verification code",
      paragraphs: [
        "Type this code on the page that asked for it. It is valid for {minutes} minutes and can be used once.",
        "If you did not ask for a code, ignore this message.",
      ],
      code: "code",
    },
    password_reset: {
      subject: "{site}: reset your password",
      paragraphs: [
        "Somebody asked to reset the password of your account. The link is valid for {minutes} minutes and can be used once.",
        "If it was not you, ignore this message: your password stays as it is.",
      ],
      action: { label: "Reset the password", value: "address" },
    },
    invitation: {
      subject: "{inviter} invites you to {site}",
      paragraphs: [
        "{inviter} invites you to {site}. The link makes your account; it can be used once, until {until}.",
        "If you do not want an account, ignore this message.",
      ],
      action: { label: "Make the account", value: "address" },
    },
    password_changed: {
      subject: "{site}: your password was changed",
      paragraphs: ["The password of your account was changed on {time} from the address {ip}.", NOT_YOU],
    },
    password_set_by_administrator: {
      subject: "{site}: an administrator set a new password",
      paragraphs: [
        "An administrator set a new password for your account on {time}. You are signed out everywhere, and your access tokens have ended.",
        "If you did not ask for this, tell the administrator.",
      ],
    },
    identity_added: {
      subject: "{site}: a sign-in method was added",
      paragraphs: ["{provider} was bound to your account on {time} from the address {ip}.", NOT_YOU],
    },
    identity_removed: {
      subject: "{site}: a sign-in method was removed",
      paragraphs: ["{provider} was unbound from your account on {time} from the address {ip}.", NOT_YOU],
    },
    factor_added: {
      subject: "{site}: a second step was added",
      paragraphs: ["{factor} was added to your account on {time} from the address {ip}.", NOT_YOU],
    },
    factor_removed: {
      subject: "{site}: a second step was removed",
      paragraphs: ["{factor} was removed from your account on {time} from the address {ip}.", NOT_YOU],
    },
    identity_removed_by_administrator: {
      subject: "{site}: an administrator unbound {provider}",
      paragraphs: [
        "Your account of {provider} was unbound from your account here by an administrator on {time}. It does not sign you in any more.",
        "If you did not ask for this, tell the administrator.",
      ],
    },
    factor_removed_by_administrator: {
      subject: "{site}: an administrator removed a second step",
      paragraphs: [
        "{factor} was removed from your account by an administrator on {time}.",
        "If you did not ask for this, tell the administrator.",
      ],
    },
    access_token_made: {
      subject: "{site}: an access token was made",
      paragraphs: [
        'The access token "{name}" was made for your account on {time} from the address {ip}. What it may do: {scope}.',
        NOT_YOU,
      ],
    },
    sessions_ended_by_administrator: {
      subject: "{site}: an administrator signed you out",
      paragraphs: [
        "An administrator ended all sessions and access tokens of your account on {time}. You can sign in again.",
        "If you did not ask for this, tell the administrator.",
      ],
    },
    role_changed: {
      subject: "{site}: your role was changed",
      paragraphs: [
        "Your role was changed from {from} to {to} on {time}. Your sessions and access tokens have ended; please sign in again.",
      ],
    },
    account_disabled: {
      subject: "{site}: your account was disabled",
      paragraphs: [
        "An administrator disabled your account on {time}. You cannot sign in, and your tokens are refused.",
        "Please ask the administrator if you think this is a mistake.",
      ],
    },
    account_enabled: {
      subject: "{site}: your account was enabled",
      paragraphs: [
        "An administrator enabled your account on {time}. You can sign in again, and your tokens work. Access tokens that the ban ended have to be made again.",
      ],
    },
    account_deleted: {
      subject: "{site}: your account was deleted",
      paragraphs: ["Your account was deleted on {time}. Its sessions have ended and its tokens are refused."],
    },
    monthly_statement: {
      subject: "{site}: your statement for {month}",
      paragraphs: [
        "Opening balance: {opening} ({opening_units} units)\nTop-ups: {top_ups}\nRefunded or disputed payments: {reversals}\nCredits and corrections: {credits}\nCharged for {requests} calls: {spent}\nCharges given back: {refunds}\nClosing balance: {closing} ({closing_units} units)",
        "By model, less what was given back:\n{models}",
        "You get this message because you asked for monthly statements on your personal page.",
      ],
      action: { label: "Open your wallet", value: "address" },
    },
    quota_warning: {
      subject: "{site}: your balance is running low",
      paragraphs: [
        "Your balance has fallen to {remaining}, below your warning threshold of {threshold}.",
        "Calls are refused once it is used up.",
      ],
      action: { label: "Look at your balance", value: "address" },
    },
    prices_changed: {
      subject: "{site}: prices have changed",
      paragraphs: [
        "The prices of models or groups that you use changed on {time}.",
        "Your calls of the last {days} days would have cost {new_cost} instead of {old_cost}.",
      ],
      action: { label: "See the prices", value: "address" },
    },
    prices_announced: {
      subject: "{site}: prices change on {start}",
      paragraphs: [
        "The prices of models or groups that you use change on {start}. Calls that begin before then are charged by today's prices.",
        "At the new prices your calls of the last {days} days would have cost {new_cost} instead of {old_cost}.",
      ],
      action: { label: "See today's prices", value: "address" },
    },
    model_retires: {
      subject: "{site}: {model} is taken off on {day}",
      paragraphs: [
        "The model {model}, which you used in the last 30 days, is taken off on {day}, in {days} days.",
        "Please move your programs to another model before then.",
      ],
      action: { label: "See the models", value: "address" },
    },
    card_saved: {
      subject: "{site}: a card was saved",
      paragraphs: [
        "A {brand} card that ends in {last4} was saved for your account on {time}. It is charged only where you switch automatic top-up on.",
        "If it was not you, remove the card in your wallet, change your password and end your other sessions.",
      ],
      action: { label: "Open the wallet", value: "address" },
    },
    auto_top_up_set: {
      subject: "{site}: automatic top-up was changed",
      paragraphs: [
        "From now on your saved card is charged when your balance falls below {threshold}, at most {limit} a month.",
        "If it was not you, switch it off in your wallet, change your password and end your other sessions.",
      ],
      action: { label: "Open the wallet", value: "address" },
    },
    auto_top_up_off: {
      subject: "{site}: automatic top-up was switched off",
      paragraphs: ["Nothing more is charged to your saved card by itself."],
      action: { label: "Open the wallet", value: "address" },
    },
    auto_top_up_paused: {
      subject: "{site}: automatic top-up has stopped",
      paragraphs: [
        "Your saved card could not pay for your low balance ({reason}), so nothing more is charged to it.",
        "Look at the card and the rule in your wallet; saving the rule again lets it go on.",
      ],
      action: { label: "Open the wallet", value: "address" },
    },
    group_raised: {
      subject: "{site}: you are in the group {to} now",
      paragraphs: ["By what you have topped up your account moved from the group {from} to {to} on {time}."],
    },
    channel_disabled: {
      subject: "{site}: channel {name} was disabled",
      paragraphs: ['Channel "{name}" (#{id}) was disabled automatically on {time}.', "Reason: {reason}"],
    },
    channel_key_disabled: {
      subject: "{site}: a key of channel {name} was disabled",
      paragraphs: [
        'Key {key} of channel "{name}" (#{id}) was disabled automatically on {time}. Calls go on with its other keys: {left} of {total} are enabled.',
        "Reason: {reason}",
      ],
    },
    channel_models_changed: {
      subject: "{site}: the upstream of channel {name} changed its models",
      paragraphs: [
        'The model list of channel "{name}" (#{id}) was fetched on {time}.',
        "New at the upstream: {added}",
        "No longer listed by the upstream: {removed}",
        "Added to the channel automatically: {taken}",
      ],
    },
    channel_enabled: {
      subject: "{site}: channel {name} was enabled",
      paragraphs: ['Channel "{name}" (#{id}) passed its test and was enabled automatically on {time}.'],
    },
    payment_disputed: {
      subject: "{site}: a payment is disputed",
      paragraphs: [
        "{username}'s payment of {money} (order {number}) was disputed at the payment provider on {time}.",
        "The quota that it credited was taken from the balance, as far as it was left. Answer the dispute at the provider; where it is won, the quota comes back by itself.",
      ],
    },
    channel_moved: {
      subject: "{site}: a channel sends its calls elsewhere",
      paragraphs: [
        "{username} changed on {time} where the calls of the channel {name} (number {id}) go: its provider, base URL or proxy. Its base URL is now {address}.",
        "If this should not be so, disable the channel and replace its key at the provider.",
      ],
    },
    backup_failed: {
      subject: "{site}: the scheduled backup failed",
      paragraphs: [
        "No backup could be written to {place}: {reason}",
        "It is tried again every hour. There is no further message until it works again. The destination is set on the server by BACKUP_DIR or BACKUP_S3_URL.",
      ],
    },
    backup_late: {
      subject: "{site}: the scheduled backup is late",
      paragraphs: [
        "The backup to {place} was due {hours} hours ago and is not there yet.",
        'Look at the page "System", and at the server\'s log. There is no further message until it works again.',
      ],
    },
    backup_works_again: {
      subject: "{site}: the scheduled backup works again",
      paragraphs: ["A whole backup has been written to {place} and read back."],
    },
    books_out_of_balance: {
      subject: "{site}: the books do not balance",
      paragraphs: [
        "The daily check found amounts that are not the sum of their ledger entries: {count}.",
        'Run "npm run audit" on the server: it names each of them.',
      ],
    },
    test: {
      subject: "{site}: test message",
      paragraphs: ["This is the test you asked for. Messages to your account arrive here."],
    },
    mail_test: {
      subject: "{site}: test of the mail server",
      paragraphs: [
        "{username} sent this from the settings page. The mail server accepted it with the settings that are saved.",
      ],
    },
  },
};
