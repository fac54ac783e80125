/** The closed list of error codes: HTTP status and English text of each; the web translates by code (locales/{en,zh}/error-codes.json). */

/** Status 200 with `success: false` is a refusal that says what to do; other statuses mean what they mean in HTTP. */
export const ERRORS = {
  not_logged_in: { status: 401, message: "Not logged in, and no access token was sent" },
  user_header_missing: { status: 401, message: "The New-Api-User header is missing or is not your user ID" },
  access_token_invalid: { status: 401, message: "The access token is not valid" },
  access_token_scope: { status: 403, message: "The scope of this access token does not allow this" },
  session_required: { status: 403, message: "An access token may not do this; sign in to the console instead" },
  user_banned: { status: 403, message: "This user is banned" },
  permission_denied: { status: 403, message: "Your role does not allow this" },
  password_change_needed: {
    status: 403,
    message:
      "Choose a password of your own first: sign in to the console, or send the old and a new one to PUT /api/user/self",
  },
  second_factor_needed: {
    status: 403,
    message:
      "This site demands a second factor: sign in to the console and set up an authenticator app or a passkey first",
  },
  terms_needed: {
    status: 403,
    message:
      "Accept the user agreement and the privacy policy of this site first: sign in to the console, or send terms_version of the status",
  },
  terms_changed: {
    status: 200,
    message: "The user agreement or the privacy policy has changed since you opened it, please read it again",
  },
  cross_site: { status: 403, message: "This request came from another site and was refused" },
  user_header_wanted: {
    status: 403,
    message:
      "This GET changes something: send the header New-Api-User with your user ID, or use the POST of the same path",
  },
  step_up_required: { status: 403, message: "Confirm that it is you to continue" },
  too_many_requests: { status: 429, message: "Too many requests, try again later" },
  too_many_open_calls: {
    status: 429,
    message: "Too many of your requests are open at a time, try again when some have ended",
  },
  demo_site: { status: 405, message: "This site is demo only, no backend" },
  malformed: { status: 400, message: "The request is not well formed" },
  invalid_field: { status: 400, message: "Please check the input" },
  field_unsupported: {
    status: 400,
    message: "Nothing was changed, because a field of the request has no effect here and would have one elsewhere",
  },
  payload_too_large: { status: 413, message: "The request body is too large" },
  internal: { status: 500, message: "Server internal error, contact the administrator" },
  database_unavailable: { status: 503, message: "The database does not answer at the moment, try again later" },
  question_too_slow: {
    status: 503,
    message: "This takes longer than one question may. Narrow the time range or the filters",
  },
  name_characters: {
    status: 200,
    message: "A name must not have invisible characters or such that turn text around; please type it again",
  },
  not_found: { status: 200, message: "Not found" },
  refused: { status: 200, message: "Refused" },
  setup_done: { status: 200, message: "The system is already initialised" },
  setup_code_wrong: {
    status: 200,
    message:
      "The one-time setup code is missing or wrong: send as code the one printed where the server was started, or the one set in SETUP_CODE",
  },
  setup_in_progress: { status: 200, message: "Another setup is in progress, please try again" },
  setup_username_missing: { status: 200, message: "Please enter the admin username" },
  setup_username_long: { status: 200, message: "The admin username may have at most 12 characters" },
  setup_password_short: { status: 200, message: "Password must be at least 8 characters long" },
  setup_password_mismatch: { status: 200, message: "The two passwords entered do not match" },
  setup_failed: { status: 200, message: "System initialisation failed, please try again" },
  password_login_disabled: { status: 200, message: "Password login is disabled by the administrator" },
  login_fields_missing: { status: 200, message: "Please enter username and password" },
  login_failed: { status: 200, message: "Wrong username or password, or the user is banned" },
  confirm_failed: { status: 200, message: "The password is wrong" },
  password_registration_closed: {
    status: 200,
    message: "Registration with a password is closed on this site; please register with another account",
  },
  passwords_differ: { status: 200, message: "The two passwords do not match" },
  email_code_missing: { status: 200, message: "Please enter your email address and the code that was sent to it" },
  email_invalid: { status: 200, message: "This is not an email address" },
  email_domain_refused: { status: 200, message: "Email addresses of this domain are not allowed on this site" },
  email_alias_refused: { status: 200, message: "The part before the @ must not have a + or a dot on this site" },
  mail_not_configured: { status: 200, message: "This site cannot send mail: its SMTP server is not configured" },
  server_address_missing: {
    status: 200,
    message: "The administrator has to set the option ServerAddress first: the link in the mail leads there",
  },
  reset_link_invalid: { status: 200, message: "This link is used or expired, please ask for a new one" },
  human_check_missing: {
    status: 200,
    message: "Please retry in a few seconds, the check is verifying the environment",
  },
  human_check_failed: { status: 200, message: "The human check failed, please refresh and retry" },
  option_of_root: { status: 403, message: "Only the super administrator may change this option" },
  option_unknown: { status: 200, message: "There is no option of this name" },
  option_invalid: { status: 200, message: "The value of this option is not valid" },
  option_changed: {
    status: 409,
    message: "Somebody else has changed this option since you opened it; look at the new value before you save",
  },
  price_changed: {
    status: 409,
    message: "Somebody else has changed this price since you opened it; look at the new one before you save",
  },
  web_address_invalid: { status: 200, message: "Please enter an address that starts with http:// or https://" },
  discovery_failed: {
    status: 200,
    message: "Failed to fetch OIDC config, check network and the well-known URL",
  },
  discovery_issuer: {
    status: 200,
    message: "This description belongs to another provider: its issuer does not fit the well-known URL",
  },
  discovery_incomplete: { status: 200, message: "The description does not name every endpoint that is needed" },
  update_check_off: { status: 200, message: "No address is set where releases are looked up" },
  update_check_failed: { status: 200, message: "Failed to check for updates, try later" },
  dry_run_running: {
    status: 409,
    message: "Another dry run is under way; this one can begin when it is done",
  },
  price_list_address: { status: 200, message: "Set PriceListUrl to an address that starts with https:// first" },
  price_list_status: { status: 200, message: "The address of the price list answered with an error" },
  price_list_invalid: { status: 200, message: "The price list cannot be read" },
  price_list_empty: { status: 200, message: "The price list has none of the providers whose prices are used here" },
  price_list_changed: {
    status: 409,
    message: "The price list has changed since this one was fetched; fetch it again to see what is new",
  },
  option_prerequisite: { status: 200, message: "Another option has to be set first" },
  username_looks_like_administrator: {
    status: 200,
    message: "This username looks like an administrator's; choose another one",
  },
  username_invalid: { status: 200, message: "The username has to have 1 to 12 characters, without spaces or @" },
  username_taken: { status: 200, message: "This username is taken" },
  quota_change_repeated: {
    status: 200,
    message: "This change of the balance was made already; open the user again to see it",
  },
  user_quota_changed: {
    status: 409,
    message: "Somebody else has changed this balance since you looked at it; look at the new one before you save",
  },
  balance_limit: {
    status: 200,
    message: "The balance would be larger than can be counted exactly, so nothing was added; use some of it first",
  },
  email_taken: { status: 200, message: "This email address belongs to another account" },
  code_invalid: { status: 200, message: "The code is wrong or expired" },
  oauth_state_invalid: { status: 403, message: "state is empty or not same" },
  identity_off: { status: 200, message: "This way of signing in is turned off" },
  identity_failed: { status: 200, message: "The other site did not confirm who you are, please try again" },
  identity_unreachable: {
    status: 200,
    message: "The other site does not answer at the moment, please try again later",
  },
  identity_code_wrong: { status: 200, message: "The code is wrong or expired" },
  identity_taken: { status: 200, message: "This account is bound to another user already" },
  identity_bound: { status: 200, message: "An account of this site is bound already; unbind it first" },
  identity_not_bound: { status: 200, message: "This account is not bound to any user" },
  identity_last: {
    status: 200,
    message: "This is your last way to log in; set a password or bind another account first",
  },
  registration_closed: { status: 200, message: "The administrator has closed registration" },
  account_deleted: { status: 200, message: "This user has been deregistered" },
  provider_endpoints_missing: {
    status: 200,
    message: "Please fill in the address of its description, or all three endpoints",
  },
  provider_slug_reserved: { status: 200, message: "This word means something else here" },
  provider_slug_taken: { status: 200, message: "Another provider has this name" },
  provider_needed: {
    status: 200,
    message: "While password login is off, administrators log in by this provider; turn password login on first",
  },
  second_step_over: {
    status: 200,
    message: "This took too long or there were too many wrong codes, please log in again",
  },
  factor_code_wrong: { status: 200, message: "This code is not right" },
  factor_code_used: { status: 200, message: "This code was used already, please wait for the next one" },
  totp_on: { status: 200, message: "An authenticator app is set up already; turn it off first" },
  totp_off: { status: 200, message: "No authenticator app is set up" },
  factor_demanded: {
    status: 200,
    message: "This site demands a second factor, and this is your last one; set up another one first",
  },
  passkey_refused: { status: 200, message: "This passkey was not accepted" },
  access_token_limit: {
    status: 200,
    message: "This account has 20 access tokens, the most it can have; end one first",
  },
  passkey_limit: { status: 200, message: "This account has 20 passkeys, the most it can have; remove one first" },
  passkey_name_invalid: { status: 200, message: "The name has to have 1 to 40 characters" },
  passkey_place: {
    status: 200,
    message: "Passkeys work only where this site is opened by its own host name, over HTTPS or on localhost",
  },
  display_name_long: { status: 200, message: "The display name is too long" },
  password_short: { status: 200, message: "The password has to be at least 8 characters long" },
  password_long: { status: 200, message: "The password may have at most 128 characters" },
  password_common: { status: 200, message: "This password is one of the first that are guessed; choose another one" },
  password_is_name: {
    status: 200,
    message: "The password may not be made of the names of the site and the account alone",
  },
  password_same: { status: 200, message: "The new password has to differ from the old one" },
  original_password_wrong: { status: 200, message: "The old password is not right" },
  transfer_too_small: { status: 200, message: "The transfer amount minimum is one unit of quota" },
  rewards_insufficient: { status: 200, message: "You do not have that many rewards left" },
  checkin_off: { status: 200, message: "The administrator has not enabled the daily check-in" },
  checkin_done: { status: 200, message: "You have checked in today already" },
  top_up_off: { status: 200, message: "The administrator has not enabled online top-up" },
  top_up_below_minimum: { status: 200, message: "The amount cannot be less than the minimum" },
  top_up_too_small: { status: 200, message: "This amount costs nothing that could be paid; choose a larger one" },
  top_up_too_large: { status: 200, message: "This is more than one payment can be; choose a smaller amount" },
  payment_start_failed: { status: 200, message: "The payment could not be started, please try again" },
  order_paid: { status: 200, message: "This order is paid and credited already" },
  transfer_repeated: { status: 200, message: "Your rewards have just changed; please look again" },
  super_administrator_stays: { status: 200, message: "The super administrator's account cannot be deleted" },
  notification_no_address: { status: 200, message: "There is no address to send to: bind an email address or set one" },
  message_not_retriable: {
    status: 200,
    message: "This message has arrived, is being sent, or says what counts no longer",
  },
  setting_invalid: { status: 200, message: "A setting is not valid" },
  user_quota_invalid: { status: 200, message: "The quota has to be a whole number that can be counted exactly" },
  group_unknown: { status: 200, message: "There is no group of this name" },
  user_role_not_lower: { status: 200, message: "You cannot act on users of your own role or a higher one" },
  user_is_self: { status: 200, message: "You cannot do this to your own account" },
  user_is_root: { status: 200, message: "The super administrator cannot be demoted, disabled or deregistered" },
  user_deregistered: { status: 200, message: "This user is deregistered; nothing about them can be changed" },
  user_not_activated: { status: 200, message: "This user was never activated and cannot be enabled" },
  only_root_promotes: {
    status: 200,
    message: "Only the super administrator makes users administrators or takes that back",
  },
  user_is_admin: { status: 200, message: "This user is an administrator already" },
  user_is_common: { status: 200, message: "This user is an ordinary user already" },
  log_timestamp_missing: { status: 200, message: "Please choose log record time" },
  log_clear_running: { status: 200, message: "Old log entries are being deleted already" },
  token_name_missing: { status: 200, message: "Please enter a name" },
  token_name_long: { status: 200, message: "The token name is too long" },
  token_expiry_invalid: { status: 200, message: "The expiry time has to be in the future, or -1 for never" },
  token_quota_invalid: { status: 200, message: "The quota has to be a whole number of at least 0" },
  token_address_invalid: { status: 200, message: "A line of the IP list is neither an address nor a CIDR range" },
  token_count_invalid: { status: 200, message: "The number of tokens has to be between 1 and 100" },
  token_limit_reached: { status: 200, message: "You have as many tokens as one user may have; delete some first" },
  token_list_long: { status: 200, message: "This list has more entries than the list of a token may have" },
  token_lists_large: {
    status: 200,
    message: "The lists of all your tokens together are too large; shorten some first",
  },
  token_expired: { status: 200, message: "The token is expired; change its expiry time first" },
  token_exhausted: { status: 200, message: "The token is exhausted; add quota first" },
  redemption_name_length: { status: 200, message: "The name has to have 1 to 20 characters" },
  redemption_quota_invalid: { status: 200, message: "The quota has to be a whole number of at least 1" },
  redemption_count_invalid: { status: 200, message: "The number of codes has to be between 1 and 100" },
  redemption_expiry_invalid: { status: 200, message: "The expiry has to be a moment in the future" },
  redemption_expired: { status: 200, message: "This redemption code has expired" },
  redemption_not_unused: { status: 200, message: "Only an unused code can be edited; enable it first" },
  redemption_stays_used: { status: 200, message: "This code was used; it stays as it is" },
  redemption_code_missing: { status: 200, message: "Please enter a redemption code" },
  redemption_unknown: { status: 200, message: "There is no such redemption code; please check what you typed" },
  redemption_disabled: { status: 200, message: "This redemption code is disabled; ask whoever gave it to you" },
  redemption_used: { status: 200, message: "This redemption code was used already" },
  redemption_used_by_you: {
    status: 200,
    message: "You have redeemed this code already; your balance has what it was worth",
  },
  group_twice: { status: 200, message: "A group stands twice in the list" },
  group_unusable: { status: 200, message: "You cannot use this group" },
  channel_fields_missing: { status: 200, message: "Please fill in channel name and key" },
  channel_models_missing: { status: 200, message: "Please select at least one model" },
  channel_invalid: { status: 200, message: "The channel is not valid" },
  channel_key_form: { status: 200, message: "The key does not have the form that its provider needs" },
  channel_keys_form: { status: 200, message: "One of the keys does not have the form that its provider needs" },
  channel_field_missing: { status: 200, message: "This type of channel needs the field" },
  channel_field_form: { status: 200, message: "The field does not have the form that its provider needs" },
  channel_costs_invalid: { status: 200, message: "The upstream cost of the channel is not valid" },
  channel_override_invalid: { status: 200, message: "The override of the channel is not valid" },
  channel_key_missing: { status: 200, message: "Please fill in the key" },
  channel_key_json_broken: { status: 200, message: "The JSON among the keys cannot be read" },
  channel_keys_many: { status: 200, message: "A channel holds at most 1000 keys" },
  channel_key_needed: {
    status: 200,
    message:
      "Enter the key again: a stored key is not sent to another address. A channel of several keys is made anew, or changed by the super administrator",
  },
  channel_proxy_login_needed: {
    status: 200,
    message:
      "Enter the proxy's user and password again: *** stands for stored ones, which are kept for the same protocol, host and port alone",
  },
  channel_headers_needed: {
    status: 200,
    message:
      "Enter the values of the header override again: *** stands for stored ones, which are not sent to another address",
  },
  channel_changed: {
    status: 409,
    message: "Somebody else has changed this channel since you opened it; look at it again before you save",
  },
  channel_has_several_keys: {
    status: 200,
    message: "Here a channel takes one key; several are added and removed in its list of keys",
  },
  channel_one_key: {
    status: 200,
    message: "The channel has one key, so there is nothing to choose from; add others first",
  },
  channel_last_key: {
    status: 200,
    message: "A channel needs a key, so nothing was removed; add another first, or delete the channel",
  },
  channel_test_running: { status: 200, message: "A test of all channels is running already" },
  channel_test_unsupported: { status: 200, message: "This channel type cannot be tested" },
  selection_changed: { status: 409, message: "The list has changed meanwhile, so nothing was done; please look again" },
  channel_balance_running: { status: 200, message: "The balances of all channels are being asked for already" },
  channel_balances_none: { status: 200, message: "None of the channels has a provider that tells a balance" },
  channel_balance_unsupported: {
    status: 200,
    message: "This provider tells no balance; look it up at the provider",
  },
  upstream_failed: { status: 200, message: "The upstream did not answer as expected" },
  address_refused: { status: 200, message: "This address is not allowed" },
  range_too_wide: { status: 200, message: "Please narrow the time range" },
  books_out_of_balance: { status: 200, message: "The books do not balance" },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERRORS;

interface CallerErrorOptions<Code> {
  code: Code;
  status: number;
  message: string;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

const UNAVAILABLE = 503;
/** After which a 503 may be over where nothing says more: a database that restarts is back in less. */
export const UNAVAILABLE_SECONDS = 5;

/** The error that a caller gets for a failed call: code, HTTP status and text, but never the internal cause (a `Fault`). */
export abstract class CallerError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly status: number;
  /** Seconds after which a retry may succeed; 0 where waiting does not help. */
  readonly retryAfterSeconds: number;

  constructor({ code, status, message, retryAfterSeconds = 0, cause }: CallerErrorOptions<Code>) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.status = status;
    this.retryAfterSeconds =
      retryAfterSeconds === 0 && status === UNAVAILABLE ? UNAVAILABLE_SECONDS : retryAfterSeconds;
  }
}

export interface AppErrorOptions {
  message?: string;
  field?: string;
  /** Values that the translated sentence needs. */
  values?: Readonly<Record<string, string | number>>;
  retryAfterSeconds?: number;
  cause?: unknown;
  detail?: unknown;
}

/** An error of the console: its code decides status and translation, `message` replaces the catalogue's text. */
export class AppError extends CallerError<ErrorCode> {
  readonly field: string | undefined;
  /** Sent beside the message, for the console's translated sentence. */
  readonly values: AppErrorOptions["values"];
  /** For the server's log only. */
  readonly detail: unknown;

  constructor(code: ErrorCode, { field, values, detail, ...options }: AppErrorOptions = {}) {
    super({ code, ...ERRORS[code], ...options });
    this.field = field;
    this.values = values;
    this.detail = detail;
  }
}
