/** Tables of coming in and of being told: codes, guesses, other ways of signing in, second factors, messages. Times are Unix seconds. */
import type { Generated } from "kysely";

/** Made by migration 10. Flags are 0 or 1. */
type Flag = 0 | 1;

/** A secret that was given out and counts once: a code by mail, a state of a provider's page, a challenge of a passkey. */
interface OneTimeCodeTable {
  purpose: string;
  /** Whose: an e-mail address, or the look-up hash of what the browser holds. */
  subject: string;
  secret_hash: string;
  /** JSON of what belongs to it. */
  payload: string;
  /** Wrong ones so far. */
  tries: number;
  created_time: number;
  expires_time: number;
}

/** Wrong passwords and codes in a row, where no Redis counts them. */
interface GuessTable {
  bucket: string;
  failures: number;
  last_time_ms: number;
}

/** Where an account has signed in before: IPv4 /24 or IPv6 /56. */
interface KnownNetworkTable {
  user_id: number;
  network: string;
  seen_time: number;
}

/** Which version of the user agreement and privacy policy an account accepted; `console/terms.ts` makes the version. */
interface TermsAcceptanceTable {
  user_id: number;
  version: string;
  /** Unix seconds. */
  accepted_time: number;
}

/** What a new account and its inviter are still to be given; gone once the ledger has it. Quota. */
export interface PendingRewardTable {
  user_id: number;
  gift: number;
  invitee: number;
  inviter_id: number;
  inviter: number;
}

/** OpenID providers beside the one of the options. */
export interface IdentityProviderTable {
  id: Generated<number>;
  /** In addresses: /oauth/<slug>. */
  slug: string;
  name: string;
  is_enabled: Flag;
  client_id: string;
  client_secret_cipher: string;
  /** JSON: well_known, authorization_endpoint, token_endpoint, user_info_endpoint. */
  endpoints: string;
  created_time: number;
}

/** Who a user is at another site: a built-in way, or a provider of identity_providers. */
export interface IdentityTable {
  provider: string;
  subject: string;
  user_id: number;
  login: string;
  created_time: number;
}

interface TotpFactorTable {
  user_id: number;
  secret_cipher: string;
  /** 0 until its first code was typed: then it is not asked for. */
  confirmed_time: number;
  /** Time step of the last code that was taken: none counts twice. */
  last_step: number;
  created_time: number;
}

interface RecoveryCodeTable {
  user_id: number;
  code_hash: string;
  /** 0 unused. */
  used_time: number;
}

interface PasskeyTable {
  credential_hash: string;
  /** Base64url, as the authenticator gave it. */
  credential_id: string;
  user_id: number;
  name: string;
  /** COSE key, base64url. */
  public_key: string;
  counter: number;
  /** Comma-joined. */
  transports: string;
  is_backed_up: Flag;
  created_time: number;
  used_time: number;
  /** Scheme, host and port of the page it was made at; "" where that is not known. */
  origin: Generated<string>;
}

/** What a program of somebody's calls the console with, in place of a session. */
interface PersonalAccessTokenTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  token_hash: string;
  /** One of ACCESS_TOKEN_SCOPES. */
  scope: string;
  /** 0 for one that an older version made. */
  created_time: Generated<number>;
  /** Up to five minutes behind; 0 never. */
  used_time: Generated<number>;
  /** 0 never. */
  expires_time: Generated<number>;
}

/** A message by mail or webhook, sent after the transaction that wrote it (server/src/notify). */
interface OutboxTable {
  id: Generated<number>;
  event: string;
  user_id: number;
  method: "email" | "webhook";
  recipient: string;
  language: string;
  /** JSON of the event's values, encrypted: codes and links are among them. */
  values_cipher: string;
  status: "waiting" | "sent" | "failed";
  attempts: number;
  next_time: number;
  created_time: number;
  sent_time: number;
  /** Why the last attempt failed. */
  failure: string;
  /** A second message of the same key is not sent. */
  once_key: string | null;
}

/** The security log (contract/src/security-events.ts): an act, or refusals of one hour that are alike. Nothing in it is a secret. */
export interface SecurityEventTable {
  id: Generated<number>;
  /** Refusals of one hour that are alike have one key. */
  event_key: string;
  kind: string;
  is_refusal: Flag;
  /** Whose account; 0 where none is known. */
  user_id: number;
  /** Who did it to somebody else's account; 0 for the account's own holder and for strangers. */
  actor_id: number;
  /** Of the client, as guesses are counted: IPv4 /24 or IPv6 /56. */
  network: string;
  way: string;
  reason: string;
  count: number;
  created_time: number;
  last_time: number;
}

export interface UserTables {
  security_events: SecurityEventTable;
  one_time_codes: OneTimeCodeTable;
  guesses: GuessTable;
  known_networks: KnownNetworkTable;
  pending_rewards: PendingRewardTable;
  terms_acceptances: TermsAcceptanceTable;
  identity_providers: IdentityProviderTable;
  identities: IdentityTable;
  totp_factors: TotpFactorTable;
  recovery_codes: RecoveryCodeTable;
  passkeys: PasskeyTable;
  personal_access_tokens: PersonalAccessTokenTable;
  outbox: OutboxTable;
}
