/** Tables that belong to a channel: its keys, its upstream access tokens, and its open circuit breakers. */
import type { Generated } from "kysely";

/** One of several keys of a channel; a channel of one key has no row here. Times are Unix seconds. */
interface ChannelKeyTable {
  id: Generated<number>;
  channel_id: number;
  /** Look-up hash, for the same key pasted twice. */
  key_hash: string;
  key_cipher: string;
  /** The masked key: its first and last characters. */
  key_mark: string;
  /** As a channel's: 1 enabled, 2 disabled, 3 auto-disabled. */
  status: Generated<number>;
  status_reason: Generated<string>;
  status_time: Generated<number>;
  used_count: Generated<number>;
  failed_count: Generated<number>;
  created_time: number;
}

/** Upstream access tokens that were exchanged for keys, shared by all processes (stores/access-tokens.ts). Times are Unix seconds. */
interface AccessTokenTable {
  /** Hash of the token's purpose. */
  name_hash: string;
  token_cipher: string;
  expires_time: number;
  updated_time: number;
}

/** Open circuit breakers, as each process publishes them for the console. */
interface OpenBreakerTable {
  /** Name of the process. */
  process: string;
  channel_id: number;
  /** 0 for the whole channel. */
  key_id: Generated<number>;
  reason: string;
  /** Unix time in milliseconds. */
  open_until_ms: number;
  updated_time: number;
}

/** What was found when a channel's upstream was asked for its models. */
interface ModelWatchTable {
  channel_id: number;
  /** JSON lists of names: models that only the upstream has, and that only the channel has. */
  added: string;
  removed: string;
  /** Unix seconds; 0 for never. */
  checked_time: Generated<number>;
  /** Why the list could not be fetched last; blank where it could. */
  failure: Generated<string>;
  /** Hash of the difference that was notified of last; blank for none. */
  told_hash: Generated<string>;
}

/** Columns of a channel's row since migrations 12 and 25. */
export interface MoreChannelColumns {
  /** How one of several keys is chosen: 0 one key, 1 random, 2 round robin. */
  key_choice: Generated<number>;
  /** The unit of `balance_micros`: an ISO 4217 code, or the vendor's own unit. */
  balance_currency: Generated<string>;
  /** JSON: code and values of the last failure to query the balance; null after a success. */
  balance_failure: Generated<string | null>;
  /** JSON (contract/channels/header-override.ts), encrypted; null or empty for none. */
  header_override: Generated<string | null>;
  /** JSON: which fields of requests go on (contract/channel-form.ts); null or empty for the defaults. */
  settings: Generated<string | null>;
  /** What administrators note. */
  remark: Generated<string>;
}

/** The last known balance of a day. */
interface ChannelBalanceTable {
  channel_id: number;
  /** First second of the day by UTC. */
  day: number;
  /** Hash of what the account is known by: balances of another one are not compared. */
  account: string;
  balance_micros: number;
  currency: string;
}

/** A saved list that forms are filled from. */
interface PrefillGroupTable {
  id: Generated<number>;
  /** Unique. */
  name: string;
  /** One of PREFILL_TYPES. */
  type: string;
  /** JSON: a list of names, or an object of addresses by type of endpoint. */
  items: string;
  description: string;
  created_time: number;
  updated_time: number;
}

export interface ChannelTables {
  prefill_groups: PrefillGroupTable;
  channel_balances: ChannelBalanceTable;
  channel_keys: ChannelKeyTable;
  access_tokens: AccessTokenTable;
  open_breakers: OpenBreakerTable;
  model_watches: ModelWatchTable;
}
