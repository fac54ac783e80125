/** Events that the system writes into the log, as codes with values. The API sends the English text from here; the console translates the code. */

/** `time`: Unix seconds. `ids`: channel ids. `quota`: shown as money where the site shows money. */
export type Kind = "text" | "number" | "time" | "ids" | "quota";

interface ValueTypes {
  text: string;
  number: number;
  time: number;
  ids: readonly number[];
  quota: number;
}

/** An event with a value `count` may have a sentence of its own for the count 1. */
type English = string | { one: string; other: string };

export interface EventDefinition {
  values: Readonly<Record<string, Kind>>;
  /** `{{name}}` is replaced by the value of that name. */
  english: English;
  /** An event that needs an administrator's attention. */
  isFailure?: true;
}

const NAMED = { name: "text", id: "number" } as const;

export const LOG_EVENTS = {
  option_changed: { values: { option: "text" }, english: "Changed the option {{option}}" },
  configuration_applied: { values: { name: "text" }, english: "Applied the configuration {{name}}" },
  ratios_reset: { values: {}, english: "Removed this site's own prices of all models" },
  prices_changed: {
    values: { count: "number", model: "text" },
    english: {
      one: "Changed the price of {{count}} model: {{model}}",
      other: "Changed the prices of {{count}} models, {{model}} among them",
    },
  },
  price_change_scheduled: {
    values: { id: "number", count: "number", time: "time" },
    english: "Scheduled the change of prices #{{id}} for {{time}}: {{count}} models or groups",
  },
  price_change_cancelled: { values: { id: "number" }, english: "Cancelled the change of prices #{{id}}" },
  price_version_restored: { values: { id: "number" }, english: "Went back to the prices of version {{id}}" },
  price_list_accepted: {
    values: { count: "number", source: "text" },
    english: {
      one: "Accepted {{count}} line of the price list at {{source}}",
      other: "Accepted {{count}} lines of the price list at {{source}}",
    },
  },
  price_list_undone: { values: { id: "number" }, english: "Undid the acceptance #{{id}} of lines of a price list" },
  channel_created: { values: NAMED, english: 'Created channel "{{name}}" (#{{id}})' },
  channels_created: {
    values: { count: "number", name: "text", ids: "ids" },
    english: 'Created {{count}} channels "{{name}}" ({{ids}})',
  },
  channel_changed: { values: NAMED, english: 'Changed channel "{{name}}" (#{{id}})' },
  channel_deleted: { values: NAMED, english: 'Deleted channel "{{name}}" (#{{id}})' },
  channels_deleted: {
    values: { count: "number" },
    english: { one: "Deleted {{count}} channel", other: "Deleted {{count}} channels" },
  },
  channels_enabled: {
    values: { count: "number" },
    english: { one: "Enabled {{count}} channel", other: "Enabled {{count}} channels" },
  },
  channels_disabled: {
    values: { count: "number" },
    english: { one: "Disabled {{count}} channel", other: "Disabled {{count}} channels" },
  },
  disabled_channels_deleted: {
    values: { count: "number" },
    english: { one: "Deleted {{count}} disabled channel", other: "Deleted {{count}} disabled channels" },
  },
  channel_copied: { values: { ...NAMED, copy: "number" }, english: 'Copied channel "{{name}}" (#{{id}}) to #{{copy}}' },
  channel_model_pulled: {
    values: { ...NAMED, model: "text" },
    english: 'Had the server of channel "{{name}}" (#{{id}}) pull {{model}}',
  },
  channel_model_deleted: {
    values: { ...NAMED, model: "text" },
    english: 'Deleted {{model}} from the server of channel "{{name}}" (#{{id}})',
  },
  abilities_rebuilt: {
    values: { count: "number" },
    english: {
      one: "Rebuilt the abilities of {{count}} channel",
      other: "Rebuilt the abilities of {{count}} channels",
    },
  },
  tag_changed: {
    values: { count: "number", tag: "text" },
    english: {
      one: 'Changed {{count}} channel of tag "{{tag}}"',
      other: 'Changed {{count}} channels of tag "{{tag}}"',
    },
  },
  tag_enabled: {
    values: { count: "number", tag: "text" },
    english: {
      one: 'Enabled {{count}} channel of tag "{{tag}}"',
      other: 'Enabled {{count}} channels of tag "{{tag}}"',
    },
  },
  tag_disabled: {
    values: { count: "number", tag: "text" },
    english: {
      one: 'Disabled {{count}} channel of tag "{{tag}}"',
      other: 'Disabled {{count}} channels of tag "{{tag}}"',
    },
  },
  channels_tagged: {
    values: { count: "number", tag: "text" },
    english: { one: 'Put {{count}} channel under tag "{{tag}}"', other: 'Put {{count}} channels under tag "{{tag}}"' },
  },
  channels_model_taken: {
    values: { count: "number", model: "text" },
    english: { one: "Took {{model}} off {{count}} channel", other: "Took {{model}} off {{count}} channels" },
  },
  channels_untagged: {
    values: { count: "number" },
    english: { one: "Took {{count}} channel out of its tag", other: "Took {{count}} channels out of their tag" },
  },
  provider_created: { values: NAMED, english: 'Added sign-in provider "{{name}}" (#{{id}})' },
  provider_changed: { values: NAMED, english: 'Changed sign-in provider "{{name}}" (#{{id}})' },
  provider_deleted: { values: NAMED, english: 'Deleted sign-in provider "{{name}}" (#{{id}})' },
  logs_cleared: {
    values: { count: "number", before: "time" },
    english: {
      one: "Cleared {{count}} log entry from before {{before}}",
      other: "Cleared {{count}} log entries from before {{before}}",
    },
  },
  logs_expired: {
    values: { count: "number", days: "number" },
    english: {
      one: "Deleted {{count}} log entry older than {{days}} days",
      other: "Deleted {{count}} log entries older than {{days}} days",
    },
  },
  log_clearing_started: {
    values: { count: "number", before: "time" },
    english: {
      one: "Began to clear about {{count}} log entry from before {{before}}",
      other: "Began to clear about {{count}} log entries from before {{before}}",
    },
  },
  channel_enabled_automatically: {
    values: NAMED,
    english: 'Enabled channel "{{name}}" (#{{id}}) automatically: its test passed',
  },
  channel_disabled_automatically: {
    values: { ...NAMED, reason: "text" },
    english: 'Disabled channel "{{name}}" (#{{id}}) automatically: {{reason}}',
    isFailure: true,
  },
  channel_key_disabled_automatically: {
    values: { ...NAMED, key: "text", reason: "text" },
    english: 'Disabled key {{key}} of channel "{{name}}" (#{{id}}) automatically: {{reason}}',
    isFailure: true,
  },
  channel_disabled_without_keys: {
    values: { ...NAMED, count: "number", reason: "text" },
    english: {
      one: 'Disabled channel "{{name}}" (#{{id}}) automatically: its {{count}} key is disabled; {{reason}}',
      other:
        'Disabled channel "{{name}}" (#{{id}}) automatically: none of its {{count}} keys is enabled; the last was {{reason}}',
    },
    isFailure: true,
  },
  channel_keys_added: {
    values: { ...NAMED, count: "number" },
    english: {
      one: 'Added {{count}} key to channel "{{name}}" (#{{id}})',
      other: 'Added {{count}} keys to channel "{{name}}" (#{{id}})',
    },
  },
  channel_keys_removed: {
    values: { ...NAMED, count: "number" },
    english: {
      one: 'Removed {{count}} key from channel "{{name}}" (#{{id}})',
      other: 'Removed {{count}} keys from channel "{{name}}" (#{{id}})',
    },
  },
  channel_keys_enabled: {
    values: { ...NAMED, count: "number" },
    english: {
      one: 'Enabled {{count}} key of channel "{{name}}" (#{{id}})',
      other: 'Enabled {{count}} keys of channel "{{name}}" (#{{id}})',
    },
  },
  channel_keys_disabled: {
    values: { ...NAMED, count: "number" },
    english: {
      one: 'Disabled {{count}} key of channel "{{name}}" (#{{id}})',
      other: 'Disabled {{count}} keys of channel "{{name}}" (#{{id}})',
    },
  },
  channel_keys_at_random: {
    values: NAMED,
    english: 'Calls of channel "{{name}}" (#{{id}}) take one of its keys at random',
  },
  channel_keys_in_turn: { values: NAMED, english: 'Calls of channel "{{name}}" (#{{id}}) take its keys in turn' },
  channel_disabled_slow: {
    values: { ...NAMED, seconds: "number", limit: "number" },
    english: 'Disabled channel "{{name}}" (#{{id}}) automatically: it took {{seconds}} s, more than {{limit}} s',
    isFailure: true,
  },
  channel_test_passed: { values: NAMED, english: 'Test of channel "{{name}}" (#{{id}}) passed' },
  channel_test_failed: {
    values: { ...NAMED, reason: "text" },
    english: 'Test of channel "{{name}}" (#{{id}}) failed: {{reason}}',
    isFailure: true,
  },
  channel_test_timed_out: {
    values: { ...NAMED, seconds: "number" },
    english: 'Test of channel "{{name}}" (#{{id}}) failed: no answer within {{seconds}} s',
    isFailure: true,
  },
  channels_tested: {
    values: { count: "number", passed: "number", failed: "number" },
    english: {
      one: "Tested {{count}} channel: {{passed}} passed, {{failed}} failed",
      other: "Tested {{count}} channels: {{passed}} passed, {{failed}} failed",
    },
  },
  channel_tests_stopped: {
    values: { done: "number", total: "number" },
    english: "Stopped the test of channels after {{done}} of {{total}}",
  },
  balances_asked: {
    values: { count: "number", failed: "number" },
    english: {
      one: "Asked for the balance of {{count}} channel: {{failed}} failed",
      other: "Asked for the balances of {{count}} channels: {{failed}} failed",
    },
  },
  balances_stopped: {
    values: { done: "number", total: "number" },
    english: "Stopped asking for balances after {{done}} of {{total}} channels",
  },
  channel_disabled_balance: {
    values: { ...NAMED, amount: "text", currency: "text" },
    english: 'Disabled channel "{{name}}" (#{{id}}) automatically: its balance is {{amount}} {{currency}}',
    isFailure: true,
  },
  new_user_gift: { values: { quota: "quota" }, english: "Received a quota of {{quota}} as a new user" },
  invitee_gift: { values: { quota: "quota" }, english: "Received a quota of {{quota}} for using an invitation" },
  inviter_reward: {
    values: { quota: "quota", name: "text" },
    english: "Earned a reward of {{quota}}: {{name}} used your invitation",
  },
  people_invited: { values: { count: "number" }, english: "Invited {{count}} people by mail" },
  invitation_revoked: { values: { id: "number" }, english: "Took back the invitation #{{id}}" },
  user_created: { values: NAMED, english: 'Created user "{{name}}" (#{{id}})' },
  user_changed: { values: NAMED, english: 'Changed user "{{name}}" (#{{id}})' },
  user_quota_changed: {
    values: { ...NAMED, from: "quota", to: "quota" },
    english: 'Changed the quota of user "{{name}}" (#{{id}}) from {{from}} to {{to}}',
  },
  user_promoted: { values: NAMED, english: 'Made user "{{name}}" (#{{id}}) an administrator' },
  user_made_root: { values: NAMED, english: 'Made user "{{name}}" (#{{id}}) a super administrator' },
  user_password_reset: { values: NAMED, english: 'Gave user "{{name}}" (#{{id}}) a temporary password' },
  data_import_begun: { values: { place: "text" }, english: "Began an import from {{place}}" },
  data_imported: {
    values: { users: "number", tokens: "number" },
    english: "Imported {{users}} users, {{tokens}} tokens",
  },
  key_rotated: {
    values: { count: "number" },
    english: {
      one: "Encrypted {{count}} value again with another SECRET_KEY",
      other: "Encrypted {{count}} values again with another SECRET_KEY",
    },
  },
  backup_made: { values: { place: "text", rows: "number" }, english: "Backed {{rows}} rows up to {{place}}" },
  backup_requested: { values: { place: "text" }, english: "Asked for a backup to {{place}}" },
  backup_restored: { values: { rows: "number" }, english: "Restored {{rows}} rows from a backup" },
  database_copied: { values: { place: "text", rows: "number" }, english: "Copied {{rows}} rows to {{place}}" },
  database_migrated: { values: { schema: "number" }, english: "Brought the database to schema {{schema}}" },
  support_bundle_made: { values: {}, english: "Made a support bundle" },
  user_unlocked: { values: NAMED, english: 'Forgot wrong guesses at user "{{name}}" (#{{id}})' },
  user_demoted: { values: NAMED, english: 'Made administrator "{{name}}" (#{{id}}) an ordinary user' },
  user_enabled: { values: NAMED, english: 'Enabled user "{{name}}" (#{{id}})' },
  user_disabled: { values: NAMED, english: 'Disabled user "{{name}}" (#{{id}})' },
  user_sessions_ended: { values: NAMED, english: 'Ended the sessions and access tokens of user "{{name}}" (#{{id}})' },
  user_seen_as: { values: NAMED, english: 'Saw the console as user "{{name}}" (#{{id}})' },
  user_deregistered: { values: NAMED, english: 'Deregistered user "{{name}}" (#{{id}})' },
  quota_changed_by_admin: {
    values: { from: "quota", to: "quota" },
    english: "An administrator changed the quota from {{from}} to {{to}}",
  },
  user_permissions_changed: { values: NAMED, english: 'Changed what administrator "{{name}}" (#{{id}}) may do' },
  identity_removed: {
    values: { name: "text", id: "number", provider: "text" },
    english: 'Unbound {{provider}} from user "{{name}}" (#{{id}})',
  },
  factors_removed: {
    values: NAMED,
    english: 'Removed the second factor and the passkeys of user "{{name}}" (#{{id}})',
  },
  rewards_transferred: {
    values: { quota: "quota" },
    english: "Moved a quota of {{quota}} from rewards to the balance",
  },
  /** `money` with its currency: "7.30 CNY". */
  top_up_paid: { values: { quota: "quota", money: "text" }, english: "Topped up a quota of {{quota}}, paid {{money}}" },
  top_up_completed: {
    values: { quota: "quota", money: "text" },
    english: "Topped up a quota of {{quota}} for {{money}}, entered by an administrator",
  },
  top_up_uncredited: {
    values: { quota: "quota", money: "text" },
    english:
      "Paid {{money}}, but the balance has no room for the quota of {{quota}}: an administrator adds it when there is room",
    isFailure: true,
  },
  order_completed: {
    values: { ...NAMED, number: "text", quota: "quota", money: "text" },
    english: 'Completed the order {{number}} of user "{{name}}" (#{{id}}) by hand: a quota of {{quota}} for {{money}}',
  },
  top_up_refunded: {
    values: { quota: "quota", money: "text" },
    english: "{{money}} of a top-up went back: a quota of {{quota}} was taken from the balance",
  },
  top_up_disputed: {
    values: { quota: "quota", money: "text" },
    english: "A payment of {{money}} is disputed: a quota of {{quota}} was taken from the balance",
    isFailure: true,
  },
  top_up_restored: {
    values: { quota: "quota", money: "text" },
    english: "A dispute about {{money}} was won: a quota of {{quota}} is back in the balance",
  },
  top_up_refund_failed: {
    values: { quota: "quota", money: "text" },
    english: "A refund of {{money}} failed: a quota of {{quota}} is back in the balance",
  },
  code_redeemed: {
    values: { ...NAMED, quota: "quota" },
    english: 'Redeemed code "{{name}}" (#{{id}}): {{quota}} added to the balance',
  },
  group_raised: {
    values: { from: "text", to: "text" },
    english: "Moved from the group {{from}} to {{to}} by what was topped up",
  },
  checked_in: {
    values: { day: "text", quota: "quota" },
    english: "Daily check-in of {{day}}: {{quota}} added to the balance",
  },
  codes_created: {
    values: { count: "number", name: "text", quota: "quota" },
    english: {
      one: 'Made {{count}} redemption code "{{name}}" worth {{quota}}',
      other: 'Made {{count}} redemption codes "{{name}}" worth {{quota}} each',
    },
  },
  code_changed: { values: NAMED, english: 'Changed redemption code "{{name}}" (#{{id}})' },
  code_enabled: { values: NAMED, english: 'Enabled redemption code "{{name}}" (#{{id}})' },
  code_disabled: { values: NAMED, english: 'Disabled redemption code "{{name}}" (#{{id}})' },
  code_deleted: { values: NAMED, english: 'Deleted redemption code "{{name}}" (#{{id}})' },
  invalid_codes_deleted: {
    values: { count: "number" },
    english: {
      one: "Deleted {{count}} redemption code that was used or disabled",
      other: "Deleted {{count}} redemption codes that were used or disabled",
    },
  },
  saved_list_created: { values: NAMED, english: 'Made the saved list "{{name}}" (#{{id}})' },
  saved_list_changed: { values: NAMED, english: 'Changed the saved list "{{name}}" (#{{id}})' },
  saved_list_deleted: { values: NAMED, english: 'Deleted the saved list "{{name}}" (#{{id}})' },
  message_retried: { values: { id: "number" }, english: "Tried message #{{id}} again" },
  account_deleted: { values: {}, english: "Deleted their own account" },
  task_refunded: {
    values: { quota: "quota", platform: "text", action: "text", task: "text" },
    english: "Gave {{quota}} back for a task that failed: {{platform}} {{action}} {{task}}",
  },
  call_interrupted: { values: {}, english: "Interrupted, not charged" },
} as const satisfies Readonly<Record<string, EventDefinition>>;
export type LogEventCode = keyof typeof LOG_EVENTS;

type ValuesOf<Code extends LogEventCode> = {
  readonly [
    Name in keyof (typeof LOG_EVENTS)[Code]["values"]
  ]: (typeof LOG_EVENTS)[Code]["values"][Name] extends infer Of extends Kind ? ValueTypes[Of] : never;
};

/** One of the codes with the values it takes. */
export type LogEvent = { [Code in LogEventCode]: { code: Code; values: ValuesOf<Code> } }[LogEventCode];

/** The values by name, without the type of a specific code. */
export type LogEventValues = Readonly<Record<string, string | number | readonly number[]>>;
