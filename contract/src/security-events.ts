/** The kinds of events in the security log, each an act that was done or an attempt that was refused. */

/**
 * `done` rows are stored one by one; `refused` ones are added up by hour, since anonymous clients can cause any number of them, and so are `counted`
 * ones, which scripts do many times.
 */
export const SECURITY_EVENTS = {
  signed_in: "done",
  /** A right password or provider, and a second step is asked for. */
  second_step_asked: "done",
  signed_out: "done",
  sessions_ended: "done",
  registered: "done",
  password_changed: "done",
  password_reset: "done",
  email_changed: "done",
  username_changed: "done",
  identity_bound: "done",
  identity_unbound: "done",
  factor_added: "done",
  factor_removed: "done",
  recovery_codes_made: "done",
  access_token_made: "done",
  access_token_ended: "done",
  card_saved: "done",
  card_removed: "done",
  auto_top_up_changed: "done",
  account_made: "done",
  account_changed: "done",
  /** An administrator looked at the console as this person sees it. */
  account_seen: "done",
  account_deleted: "done",
  option_changed: "done",
  provider_changed: "done",
  channel_key_changed: "done",
  channel_key_copied: "done",
  channel_key_redirected: "done",
  chat_shared: "counted",
  /** Whether rows of the own calls have addresses; programs send it with every change of the settings. */
  call_addresses_changed: "counted",
  chat_share_removed: "counted",
  token_made: "counted",
  token_changed: "counted",
  token_deleted: "counted",
  setup_link_made: "done",
  setup_link_fetched: "done",
  sign_in_failed: "refused",
  second_step_failed: "refused",
  confirmation_failed: "refused",
  code_failed: "refused",
  locked_out: "refused",
  role_refused: "refused",
  account_refused: "refused",
  option_refused: "refused",
  access_token_refused: "refused",
  channel_key_refused: "refused",
  foreign_request_refused: "refused",
} as const satisfies Readonly<Record<string, "done" | "counted" | "refused">>;

export type SecurityEventKind = keyof typeof SECURITY_EVENTS;
export const SECURITY_EVENT_KINDS = Object.freeze(Object.keys(SECURITY_EVENTS) as SecurityEventKind[]);

export const isAddedUp = (kind: SecurityEventKind): boolean => SECURITY_EVENTS[kind] !== "done";
export const isRefusal = (kind: SecurityEventKind): boolean => SECURITY_EVENTS[kind] === "refused";

/** Attempts of others on an account; the other refusals are of the account's own requests. Without a known account they belong to an anonymous client. */
export const ABOUT_ACCOUNTS: ReadonlySet<string> = new Set<SecurityEventKind>([
  "sign_in_failed",
  "second_step_failed",
  "confirmation_failed",
  "code_failed",
  "locked_out",
]);

/** Most rows of the security log; the oldest are deleted first, acts and refusals separately. */
export const SECURITY_ROWS = {
  ofUser: { done: 1_000, refused: 500 },
  ofAll: { done: 200_000, refused: 50_000 },
} as const;

/** Characters of a reason that are stored. */
export const SECURITY_REASON_MAX = 64;

export interface SecurityEvent {
  kind: SecurityEventKind;
  /** Whose account; 0 where none is known. */
  userId: number;
  /** Who did it, where it is not the account's own holder. */
  actorId?: number;
  /** Address of the client; "" for the server's own acts. */
  ip: string;
  /** How: `password`, `passkey`, `totp`, a provider's name. */
  way?: string;
  /** An error's code, or the name of what was changed. Never a user's input, and no secret. What is longer than `SECURITY_REASON_MAX` is cut. */
  reason?: string;
  requestId?: string;
}

export type RecordSecurityEvent = (event: SecurityEvent) => void;
