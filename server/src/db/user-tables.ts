/** Tables of accounts: codes, guesses, identities, second factors, notifications. Times are Unix seconds. */
import type { Generated } from "kysely";
import type { NotificationWay } from "../../../contract/src/notification-ways.ts";

/** Created by migration 10. Flags are 0 or 1. */
type Flag = 0 | 1;

/** A one-time secret: a code by mail, an OAuth state, a passkey challenge. */
interface OneTimeCodeTable {
  purpose: string;
  /** Its owner: an e-mail address, or the look-up hash of the browser's secret. */
  subject: string;
  secret_hash: string;
  /** Its data as JSON. */
  payload: string;
  /** Wrong guesses so far. */
  tries: number;
  created_time: number;
  expires_time: number;
}

/** Consecutive wrong passwords and codes, if no Redis counts them. */
interface GuessTable {
  bucket: string;
  failures: number;
  last_time_ms: number;
}

/** Networks where an account has signed in before: IPv4 /24 or IPv6 /56. */
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

/** Quota still to be granted to a new account and its inviter; deleted once the ledger has it. */
export interface PendingRewardTable {
  user_id: number;
  gift: number;
  invitee: number;
  inviter_id: number;
  inviter: number;
}

/** Invitations by mail, each of which makes one account. */
export interface InvitationTable {
  id: Generated<number>;
  email: string;
  /** Of the token in its link. */
  token_hash: string;
  group_name: string;
  /** Given beside what every new account is given. */
  quota: number;
  created_by: number;
  created_time: number;
  expires_time: number;
  /** 0 while no account was made by it. */
  used_time: Generated<number>;
  used_by: Generated<number>;
  revoked_time: Generated<number>;
}

/** Named OpenID providers. */
export interface IdentityProviderTable {
  id: Generated<number>;
  /** Part of URLs: /oauth/<slug>. */
  slug: string;
  name: string;
  is_enabled: Flag;
  client_id: string;
  client_secret_cipher: string;
  /** JSON: well_known, authorization_endpoint, token_endpoint, user_info_endpoint. */
  endpoints: string;
  /** JSON: scopes, fields of the user-info answer and who may come in, for a site without OpenID; null for OpenID. */
  oauth: string | null;
  created_time: number;
}

/** A user's id at another site: a built-in way, or a provider of identity_providers. */
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
  /** 0 until its first code was entered: until then it is not required. */
  confirmed_time: number;
  /** Time step of the last accepted code: none is accepted twice. */
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
  /** Base64url, from the authenticator. */
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
  /** Scheme, host and port of the page where it was registered; "" if unknown. */
  origin: Generated<string>;
}

/** Access tokens, with which programs call the console API in place of a session. */
interface PersonalAccessTokenTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  token_hash: string;
  /** One of ACCESS_TOKEN_SCOPES. */
  scope: string;
  /** 0 for one of an older version. */
  created_time: Generated<number>;
  /** Last use, up to five minutes old; 0 never. */
  used_time: Generated<number>;
  /** 0 never. */
  expires_time: Generated<number>;
}

/** A message by mail or webhook, sent after the transaction that wrote it (server/src/notify). */
interface OutboxTable {
  id: Generated<number>;
  event: string;
  user_id: number;
  method: NotificationWay;
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

/** The security log (contract/src/security-events.ts): an action, or equal refusals of one hour. It contains no secrets. */
export interface SecurityEventTable {
  id: Generated<number>;
  /** Equal refusals of one hour have one key. */
  event_key: string;
  kind: string;
  is_refusal: Flag;
  /** The account concerned; 0 if unknown. */
  user_id: number;
  /** The actor on another user's account; 0 for the account's own user and for anonymous callers. */
  actor_id: number;
  /** The client's network, as for guesses: IPv4 /24 or IPv6 /56. */
  network: string;
  way: string;
  reason: string;
  count: number;
  created_time: number;
  last_time: number;
}

/** What an administrator changed (contract/src/features/audit.ts). It contains no secrets. */
export interface AuditEntryTable {
  id: Generated<number>;
  created_time: number;
  actor_id: number;
  /** User name, as it was then. */
  actor: string;
  /** One of AUDIT_KINDS. */
  kind: string;
  /** Name or number of the thing; "" where it is about several or none. */
  object_id: string;
  object_name: string;
  /** The user it is about; 0 for none. */
  user_id: Generated<number>;
  /** JSON of the log event. */
  event: string;
  /** JSON list of AuditChange. */
  changes: string;
}

/** A saved view of the log, of one account. */
export interface LogViewTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** JSON of the filters by their names in the address. */
  search: string;
}

/** A share link of a chat. Times are Unix seconds. */
export interface ChatShareTable {
  /** The last part of the link's address. */
  id: string;
  user_id: number;
  title: string;
  created_time: number;
  expires_time: number;
  /** Of `content`. */
  bytes: number;
  has_system: number;
  /** JSON of the snapshot (contract/src/features/playground.ts). */
  content: string;
}

/** A picture that the operator uploaded for the site. */
export interface SitePictureTable {
  /** First characters of the SHA-256 of its bytes, in hexadecimal. */
  hash: string;
  media_type: string;
  /** Unix seconds of its last upload. */
  created_time: number;
  /** Base64. */
  content: string;
}

/** A response that its upstream stores, and who made it. */
export interface StoredResponseTable {
  /** As the upstream gave it. */
  id: string;
  user_id: number;
  channel_id: number;
  /** Of a channel with several keys; else 0. */
  channel_key_id: number;
  /** As its client named it. */
  model: string;
  /** Unix seconds. */
  created_time: number;
}

/** A response that this gateway makes in the background. */
interface BackgroundResponseTable {
  id: string;
  user_id: number;
  /** The process that makes it. */
  process_id: string;
  /** As its client named it. */
  model: string;
  /** One of BackgroundStatus (relay/call/ports.ts). */
  status: string;
  /** Its events are kept too. */
  is_streamed: Flag;
  is_cancel_asked: Flag;
  /** The response object, sealed. */
  response: string;
  /** Stored characters of it and of its events. */
  bytes: number;
  /** By which its upstream stores it too; empty where none does. */
  upstream_id: string;
  /** Unix seconds. */
  created_time: number;
}

/** Some of the events of such a response, up to the one of this number. */
interface BackgroundEventTable {
  response_id: string;
  last_sequence: number;
  /** As they are sent, sealed. */
  events: string;
  /** Unix seconds, of the response. */
  created_time: number;
}

/** Numbers of rows of an import's source that names them by texts. */
interface ImportNumberTable {
  /** Singular of the table here. */
  kind: string;
  /** SHA-256 of its name there, hexadecimal. */
  name_hash: string;
  number: number;
}

/** A one-time address of a script that writes a program's configuration. */
export interface SetupLinkTable {
  /** Look-up hash of the code in the address. */
  code_hash: string;
  user_id: number;
  token_id: number;
  /** One of INSTALLED_PROGRAMS and INSTALL_SHELLS (contract/src/connect/install-script.ts). */
  program: string;
  shell: string;
  model: string;
  /** The gateway's address, as the script names it. */
  origin: string;
  /** Unix seconds. */
  expires_time: number;
}

export interface UserTables {
  stored_responses: StoredResponseTable;
  background_responses: BackgroundResponseTable;
  background_events: BackgroundEventTable;
  import_numbers: ImportNumberTable;
  setup_links: SetupLinkTable;
  site_pictures: SitePictureTable;
  chat_shares: ChatShareTable;
  log_views: LogViewTable;
  audit_entries: AuditEntryTable;
  security_events: SecurityEventTable;
  one_time_codes: OneTimeCodeTable;
  guesses: GuessTable;
  known_networks: KnownNetworkTable;
  pending_rewards: PendingRewardTable;
  terms_acceptances: TermsAcceptanceTable;
  invitations: InvitationTable;
  identity_providers: IdentityProviderTable;
  identities: IdentityTable;
  totp_factors: TotpFactorTable;
  recovery_codes: RecoveryCodeTable;
  passkeys: PasskeyTable;
  personal_access_tokens: PersonalAccessTokenTable;
  outbox: OutboxTable;
}
