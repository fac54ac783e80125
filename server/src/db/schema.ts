/** Every table and column, as Kysely sees them on SQLite, PostgreSQL and MySQL; migrations/ creates exactly these. */
import type { Generated } from "kysely";
import type { AutoTopUpTable, CheckinTable, OrderEventTable, PriceTables, TopUpTable } from "./money-tables.ts";
import type { UserTables } from "./user-tables.ts";
import type { ChannelTables, MoreChannelColumns } from "./channel-tables.ts";
import type { TaskTable } from "./task-table.ts";
import type { CallHourTable, TokenCallHourTable } from "./call-hour-tables.ts";

/** Times are Unix seconds unless the name ends in `_ms`; booleans are 0 or 1; quota is an integer; JSON is text. */
export type Flag = 0 | 1;

/** A row that the snapshot follows: the value of its table's row in `versions` when it was last written. */
interface Versioned {
  changed_version: number;
}

export interface UserTable extends Versioned {
  id: Generated<number>;
  username: string;
  /** The folded user name (contract/names.ts), unique; null for later accounts with the same one. */
  username_key: string | null;
  password_hash: string | null;
  /** Set by an administrator or a reset: with TemporaryPasswordsEnabled a user who signs in with it must choose another one. */
  is_password_temporary: Generated<Flag>;
  display_name: string;
  role: number;
  status: number;
  email: string | null;
  /** A copy of the rows of identities, for the previous version; so are the four columns below. */
  github_id: string | null;
  oidc_id: string | null;
  wechat_id: string | null;
  telegram_id: string | null;
  linux_do_id: string | null;
  /** Always null: access tokens are rows of personal_access_tokens. */
  access_token_hash: string | null;
  /** Raised by every event that ends sessions; earlier unfinished sign-ins, such as a second step, are invalid then. */
  sign_in_epoch: Generated<number>;
  /** Balance; open holds are not subtracted. */
  quota: number;
  /** Sum of open holds. Stays 0 on SQLite, whose holds are in memory. */
  held: number;
  used_quota: number;
  request_count: number;
  group_name: string;
  aff_code: string;
  aff_count: number;
  aff_quota: number;
  aff_history_quota: number;
  inviter_id: number;
  setting: string;
  /** What administrators note; its user never sees it. */
  remark: Generated<string>;
  /** What an administrator may do, separated by commas; null for everything. It counts for that role alone. */
  permissions: string | null;
  created_time: number;
  deleted_at: number | null;
}

export interface TokenTable extends Versioned {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** HMAC of the key, for look-up; of its SHA-256 while `key_unknown`. */
  key_hash: string;
  key_cipher: string;
  /** 1: another gateway kept nothing but a hash of the key, and no call has brought it yet. */
  key_unknown: Generated<Flag>;
  key_first: string;
  key_last: string;
  status: number;
  created_time: number;
  /** Changed by settlements. */
  accessed_time: number;
  /** -1: never. */
  expired_time: number;
  remain_quota: number;
  held: number;
  used_quota: number;
  unlimited_quota: Flag;
  model_limits_enabled: Flag;
  /** Comma-joined. */
  model_limits: string;
  /** One address or CIDR range per line. */
  allow_ips: string;
  /** JSON list of groups that a token of the group `auto` tries; empty for those of the option AutoGroups. */
  auto_groups: Generated<string>;
  cross_group_retry: Generated<Flag>;
  /** Empty: the user's group. */
  group_name: string;
  deleted_at: number | null;
}

export interface ChannelTable extends Versioned, MoreChannelColumns {
  id: Generated<number>;
  type: number;
  name: string;
  key_hash: string;
  key_cipher: string;
  key_first: string;
  key_last: string;
  key_set_time: number;
  status: number;
  base_url: string;
  other: string;
  /** Comma-joined. */
  models: string;
  /** Comma-joined; `group` on the wire. */
  group_names: string;
  model_mapping: string;
  status_code_mapping: string;
  param_override: string;
  setting: string;
  openai_organization: string;
  test_model: string;
  tag: string;
  priority: number;
  weight: number;
  auto_ban: Flag;
  max_input_tokens: number | null;
  /** Of the last test that passed; 0 if none did. */
  response_time_ms: number;
  test_time: number;
  /** The result of the last test: TEST_RESULT of the contract. */
  test_result: number;
  /** JSON: code and values of the last test's failure; "" after a success. */
  test_failure: string;
  balance_micros: number;
  balance_updated_time: number;
  /** Some seconds old: later usage is in `channel_usage`. */
  used_quota: number;
  /** JSON: status_reason, status_time. */
  other_info: string;
  created_time: number;
  /** JSON: upstream costs of its calls (contract/channels/costs.ts); null to use the price list. */
  costs: Generated<string | null>;
}

/** Which channel offers which model to which group: the product of a channel's groups and models, written in its transaction. */
export interface AbilityTable {
  group_name: string;
  model: string;
  channel_id: number;
  enabled: Flag;
  priority: number;
  weight: number;
  tag: string;
}

export interface OptionTable {
  name: string;
  /** Encrypted if the catalogue marks the option as secret. */
  value: string;
  updated_time: number;
  /** Id of the administrator who changed it last; 0 for the wizard. */
  updated_by: Generated<number>;
  /** Version of the options with this change; an option that was never changed has 0. */
  revision: Generated<number>;
}

export interface SessionTable {
  /** HMAC of the cookie's value. */
  id: string;
  user_id: number;
  created_time: number;
  seen_time: number;
  expires_time: number;
  /** When the password was last confirmed (step-up); 0 never. */
  confirmed_time: number;
  ip: string;
  user_agent: string;
  /** How it was begun: `password`, `passkey`, or a provider's name. */
  way: string;
  /** Whom an administrator sees the console as (console/users/see-as.ts); 0 for no one. */
  seen_user_id: Generated<number>;
  /** Unix seconds until which they do. */
  seen_until: Generated<number>;
}

/** One row at most (id 1): if it exists the wizard is done. */
export interface SetupTable {
  id: number;
  version: string;
  initialized_at: number;
}

/** Names: users, tokens, channels, options, prices, sessions. Raised in the transaction that changes them. */
export interface VersionTable {
  name: string;
  version: number;
}

/** Facts about this database itself: schema version, check value of SECRET_KEY. */
export interface FactTable {
  name: string;
  value: string;
}

/** The ledger: append-only, never pruned. Every balance and counter is the sum of its entries. */
export interface LedgerTable {
  id: Generated<number>;
  /** Request id of a call, or a unique id of an adjustment: no id is posted twice. */
  entry_id: string;
  /** charge, opening, gift, redemption, checkin, top_up, reversal, adjustment, transfer, reward, refund, token_quota. */
  kind: string;
  created_at: number;
  user_id: number;
  token_id: number;
  channel_id: number;
  model: string;
  group_name: string;
  /** Change of users.quota. */
  quota_delta: number;
  /** Change of tokens.remain_quota. */
  token_quota_delta: number;
  /** Change of users.aff_quota. */
  aff_quota_delta: number;
  /** Change of used_quota of the user, the token and the channel; that of the channel is applied some seconds later. */
  used_delta: number;
  /** Change of users.request_count and usage_hours.requests. */
  request_delta: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Upstream cost of the call, in quota; null if unknown, and for every entry that is no call. */
  cost: number | null;
  /** Compact JSON: usage and price version of a charge, reason and actor of everything else. */
  detail: string;
}

/** Open holds on PostgreSQL and MySQL. */
export interface HoldTable {
  id: string;
  process_id: string;
  user_id: number;
  token_id: number;
  amount: number;
  created_time: number;
}

/** Live processes; holds of a process without a recent heartbeat are voided by the sweeper. */
export interface ProcessTable {
  id: string;
  started_time: number;
  seen_time: number;
}

/** How a process is, as JSON; rewritten every few seconds where there may be several. */
export interface ProcessVitalsTable {
  process: string;
  seen_time: number;
  vitals: string;
}

/** One leader per scheduled job. */
export interface LeaseTable {
  name: string;
  holder: string;
  expires_time: number;
}

export interface LogTable {
  id: Generated<number>;
  request_id: string;
  created_at: number;
  /** 1 top-up, 2 consumption, 3 admin, 4 system, 5 error. */
  type: number;
  user_id: number;
  username: string;
  token_id: number;
  token_name: string;
  channel_id: number;
  model_name: string;
  group_name: string;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  use_time_ms: number;
  first_token_ms: number;
  is_stream: Flag;
  ip: string;
  content: string;
  /** Receipt (JSON); its `admin_info` is removed for users below role 10. */
  other: string;
}

/** Hourly roll-up, written in the settlement's transaction. `hour` is Unix seconds, a multiple of 3600. */
export interface UsageHourTable {
  hour: number;
  user_id: number;
  token_id: number;
  channel_id: number;
  model: string;
  group_name: string;
  requests: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Upstream costs of the calls whose cost is known, in quota. */
  cost: Generated<number>;
  /** Share of `quota` that was charged for those calls. */
  costed_quota: Generated<number>;
}

/** What a batch of settlements adds to a channel's `used_quota`, until it is merged. Written with the ledger rows. */
export interface ChannelUsageTable {
  id: Generated<number>;
  channel_id: number;
  used: number;
}

export interface RedemptionTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  key_hash: string;
  key_cipher: string;
  key_first: string;
  key_last: string;
  status: number;
  quota: number;
  created_time: number;
  redeemed_time: number;
  /** Unix seconds; 0 for a code that never expires. */
  expired_time: Generated<number>;
  used_user_id: number;
  deleted_at: number | null;
}

/** Idempotency keys (relay/idempotency.ts), stored for 24 hours. */
export interface IdempotencyKeyTable {
  token_id: number;
  key_hash: string;
  body_hash: string;
  request_id: string;
  /** 0 in progress, 1 answered (in plain text, before migration 21), 2 ended with a response that cannot be repeated, 3 answered. */
  state: number;
  status: number;
  content_type: string;
  /** Encrypted. */
  answer: string;
  created_time: number;
  user_id: number;
  /** Characters of `answer`; 0 if none is stored. */
  answer_bytes: number;
}

/** The size of a user's stored responses. Follows idempotency_keys in the same transactions. */
export interface KeptAnswerTable {
  user_id: number;
  answers: number;
  bytes: number;
}

/** What a configuration file manages (console/managed-store.ts). */
export interface ManagedThingTable {
  /** One of MANAGED_KINDS. */
  kind: string;
  /** Name of the option, model, channel or provider in the file. */
  name: string;
  /** Id of the channel or the provider; 0 for options and prices. */
  target_id: Generated<number>;
  /** Name of the configuration. */
  managed_by: string;
  is_locked: Generated<0 | 1>;
  /** Unix seconds. */
  updated_time: number;
  /** User id; 0 for the command line. */
  updated_by: Generated<number>;
}

export interface Schema extends UserTables, PriceTables, ChannelTables {
  users: UserTable;
  tokens: TokenTable;
  channels: ChannelTable;
  abilities: AbilityTable;
  options: OptionTable;
  sessions: SessionTable;
  setups: SetupTable;
  versions: VersionTable;
  facts: FactTable;
  ledger: LedgerTable;
  holds: HoldTable;
  processes: ProcessTable;
  process_vitals: ProcessVitalsTable;
  leases: LeaseTable;
  logs: LogTable;
  usage_hours: UsageHourTable;
  call_hours: CallHourTable;
  token_call_hours: TokenCallHourTable;
  channel_usage: ChannelUsageTable;
  redemptions: RedemptionTable;
  checkins: CheckinTable;
  top_ups: TopUpTable;
  auto_top_ups: AutoTopUpTable;
  order_events: OrderEventTable;
  tasks: TaskTable;
  idempotency_keys: IdempotencyKeyTable;
  kept_answers: KeptAnswerTable;
  managed_things: ManagedThingTable;
}
