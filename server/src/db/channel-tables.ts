/** Tables beside a channel's row: its keys, the tokens its upstreams gave, and the circuit breakers that are open. */
import type { Generated } from "kysely";

/** One of several keys of a channel; a channel of one key has no row here. Times are Unix seconds. */
interface ChannelKeyTable {
  id: Generated<number>;
  channel_id: number;
  /** Look-up hash, for the same key pasted twice. */
  key_hash: string;
  key_cipher: string;
  /** What of it is shown: its first and last characters. */
  key_mark: string;
  /** As a channel's: 1 enabled, 2 disabled, 3 auto-disabled. */
  status: Generated<number>;
  status_reason: Generated<string>;
  status_time: Generated<number>;
  used_count: Generated<number>;
  failed_count: Generated<number>;
  created_time: number;
}

/** Tokens that an upstream gave for a key, shared by all processes (stores/access-tokens.ts). Times are Unix seconds. */
interface AccessTokenTable {
  /** Hash of what the token is for. */
  name_hash: string;
  token_cipher: string;
  expires_time: number;
  updated_time: number;
}

/** Circuit breakers that are open, as each process tells the others for the console to show. */
interface OpenBreakerTable {
  /** Name of the process. */
  process: string;
  channel_id: number;
  /** 0 where it is the whole channel's. */
  key_id: Generated<number>;
  reason: string;
  /** Unix time in milliseconds. */
  open_until_ms: number;
  updated_time: number;
}

/** What migrations 12 and 25 add to a channel's row. */
export interface MoreChannelColumns {
  /** How one of several keys is chosen: 0 one key, 1 random, 2 in turn. */
  key_choice: Generated<number>;
  /** Of `balance_micros`: an ISO 4217 code, or what the vendor counts in. */
  balance_currency: Generated<string>;
  /** JSON: code and values of why the balance could not be read last; null where it could. */
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
