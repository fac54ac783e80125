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

export interface ChannelTables {
  channel_keys: ChannelKeyTable;
  access_tokens: AccessTokenTable;
  open_breakers: OpenBreakerTable;
}
