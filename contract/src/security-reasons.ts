/** Reads what the reason of a row of the security log says, so that it can be said as a sentence in the reader's language. */
import { SECURITY_REASON_MAX, type SecurityEventKind } from "./security-events.ts";

/** The sentences by their names, each with the values that stand in it. */
export const SECURITY_SENTENCES = {
  /** Rows beyond what is kept one by one are added up without their reasons. */
  many: [],
  /** A reason that no sentence is known for. */
  other: ["reason"],
  call: ["name"],
  option: ["name"],
  ended_one: [],
  ended_others: [],
  ended_too_many: [],
  top_up_on: [],
  top_up_off: [],
  addresses_kept: [],
  addresses_left_out: [],
  account_promote: [],
  account_demote: [],
  account_enable: [],
  account_disable: [],
  account_end_sessions: [],
  account_delete: [],
  account_add_quota: [],
  account_group: [],
  account_update: [],
  account_manage: [],
  account_permissions: [],
  account_factors: [],
  provider_made: ["provider"],
  provider_changed: ["provider"],
  provider_deleted: ["provider"],
  provider_marked: ["provider"],
  provider_released: ["provider"],
  keys_made: ["channels"],
  keys_made_more: ["channels"],
  keys_added: ["channel"],
  keys_deleted: ["channel"],
  key_set: ["channel"],
  keys_copied: ["from", "to"],
  key_redirected: ["channel", "fields"],
  setup: ["program", "token"],
  guess_login: [],
  guess_step_up: [],
  guess_second_step: [],
  guess_email_code: [],
  guess_redemption: [],
  guess_wechat_code: [],
  user_banned: [],
  passkey_refused: [],
  identity_failed: [],
  oauth_state_invalid: [],
  reset_link_invalid: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type SecuritySentence = keyof typeof SECURITY_SENTENCES;

export interface SecurityReason {
  sentence: SecuritySentence;
  /** Names and numbers as they are shown; `fields` and `program` are names in the code, which have words of their own. */
  values: Readonly<Record<string, string>>;
}

type Words = Readonly<Record<string, SecuritySentence>>;

const ACCOUNT: Words = {
  promote: "account_promote",
  demote: "account_demote",
  enable: "account_enable",
  disable: "account_disable",
  end_sessions: "account_end_sessions",
  delete: "account_delete",
  add_quota: "account_add_quota",
  group: "account_group",
  update: "account_update",
  manage: "account_manage",
  permissions: "account_permissions",
  factors: "account_factors",
};

const GUESSES: Words = {
  login: "guess_login",
  step_up: "guess_step_up",
  second_step: "guess_second_step",
  email_code: "guess_email_code",
  redemption: "guess_redemption",
  wechat_code: "guess_wechat_code",
};

/** Kinds whose reasons are single words. */
const WORDS: Readonly<Partial<Record<SecurityEventKind, Words>>> = {
  sessions_ended: { one: "ended_one", others: "ended_others", too_many: "ended_too_many" },
  auto_top_up_changed: { on: "top_up_on", off: "top_up_off" },
  call_addresses_changed: { kept: "addresses_kept", "left out": "addresses_left_out" },
  account_changed: ACCOUNT,
  account_refused: ACCOUNT,
  sign_in_failed: {
    ...GUESSES,
    user_banned: "user_banned",
    passkey_refused: "passkey_refused",
    identity_failed: "identity_failed",
    oauth_state_invalid: "oauth_state_invalid",
  },
  second_step_failed: GUESSES,
  confirmation_failed: GUESSES,
  code_failed: { ...GUESSES, reset_link_invalid: "reset_link_invalid" },
  locked_out: GUESSES,
};

/** "#8" for the number of a thing; configuration files give its name. */
const shownName = (name: string): string => (/^\d+$/.test(name) ? `#${name}` : name);

const PROVIDER_ACTS: Words = {
  made: "provider_made",
  create: "provider_made",
  changed: "provider_changed",
  change: "provider_changed",
  deleted: "provider_deleted",
  delete: "provider_deleted",
  mark: "provider_marked",
  release: "provider_released",
};

function providerReason(reason: string): SecurityReason | undefined {
  const [, act = "", name = ""] = /^(\w+) (.+)$/.exec(reason) ?? [];
  const sentence = PROVIDER_ACTS[act];
  return sentence === undefined ? undefined : { sentence, values: { provider: shownName(name) } };
}

/** A long list was cut where it was stored: its last number may be half of one. */
function channelsReason(list: string, isCut: boolean): SecurityReason {
  const ids = list.split(", ").slice(0, isCut ? -1 : undefined);
  return { sentence: isCut ? "keys_made_more" : "keys_made", values: { channels: ids.map(shownName).join(", ") } };
}

const KEY_ACTS: Words = { added: "keys_added", deleted: "keys_deleted", set: "key_set" };

function channelKeyReason(reason: string): SecurityReason | undefined {
  const [, act = "", what = ""] = /^(\w+) (.+)$/.exec(reason) ?? [];
  if (act === "made") return channelsReason(what, reason.length >= SECURITY_REASON_MAX);
  const sentence = KEY_ACTS[act];
  return sentence === undefined ? undefined : { sentence, values: { channel: shownName(what) } };
}

/** A pattern whose groups have the names of the values. */
const patternReason =
  (sentence: SecuritySentence, pattern: RegExp) =>
  (reason: string): SecurityReason | undefined => {
    const values = pattern.exec(reason)?.groups;
    return values === undefined
      ? undefined
      : { sentence, values: Object.fromEntries(Object.entries(values).map(([name, text]) => [name, shownName(text)])) };
  };

const SETUP = patternReason("setup", /^(?<program>.+), token (?<token>\d+)$/);

/** Kinds whose reasons name things. */
const READERS: Readonly<Partial<Record<SecurityEventKind, (reason: string) => SecurityReason | undefined>>> = {
  option_changed: patternReason("option", /^(?<name>.+)$/),
  // Else the call, whose name has a capital behind its dot; options with a dot have none.
  option_refused: patternReason("option", /^(?![a-z_]+\.[a-z]+[A-Z])(?<name>.+)$/),
  provider_changed: providerReason,
  channel_key_changed: channelKeyReason,
  channel_key_copied: patternReason("keys_copied", /^(?<from>\d+) to (?<to>\d+)$/),
  channel_key_redirected: patternReason("key_redirected", /^channel (?<channel>\d+): (?<fields>.+)$/),
  setup_link_made: SETUP,
  setup_link_fetched: SETUP,
};

/** `<feature>.<endpoint>`, as refusals name what was asked for. */
const callReason = patternReason("call", /^(?<name>[a-z_]+\.[A-Za-z]+)$/);

/** What the reason of a row of this kind says; undefined where it has none. */
export function readSecurityReason(kind: SecurityEventKind, reason: string): SecurityReason | undefined {
  if (reason === "") return undefined;
  if (reason === "many") return { sentence: "many", values: {} };
  const words = WORDS[kind];
  const word = words !== undefined && Object.hasOwn(words, reason) ? words[reason] : undefined;
  if (word !== undefined) return { sentence: word, values: {} };
  return READERS[kind]?.(reason) ?? callReason(reason) ?? { sentence: "other", values: { reason } };
}
