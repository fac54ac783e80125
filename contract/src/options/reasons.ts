/** Why a value of an option is refused: a closed list of reasons with the English sentence of each. Schemas name them, refusals.ts fills them. */

/** `{name}` is filled from the values; the web has the same sentences in both languages (error-codes.json, `reason`). */
export const OPTION_REASONS = {
  boolean: "Please send true or false",
  whole: "Please enter a whole number",
  number: "Please enter a number",
  number_size: "Please enter a number of ordinary size",
  smallest: "The smallest value is {minimum}",
  largest: "The largest value is {maximum}",
  decimals: "At most {decimals} decimals",
  long: "The text is too long",
  choice: "Please choose one of {choices}",
  web_address: "Please enter an address that starts with http:// or https://",
  base_address: "Please leave out the query (?) and the fragment (#): paths are added to this address",
  address_login:
    "Please leave out the user name and password: they are not sent, and everybody who sees the settings reads them",
  picture: "Please enter an address that starts with http://, https:// or /",
  email_domain: "The email domain format is incorrect",
  status_range: "Not a status or range: {entry}",
  active_content: "Please remove {part}: texts of this site must not run anything",
  active_text: "Please remove scripts, forms and links that run code: texts of this site must not run anything",
  json: "Not a valid JSON string",
  duplicate: "This name stands twice",
  reserved: "This name cannot be used",
  value: "Not a valid value",
  map: "Please give a JSON map",
  list: "Please give a JSON list",
  text: "Please enter a text",
  characters: "The text may have at most {maximum} characters",
  entries: "The list may have at most {maximum} entries",
  moment: "Please give a time such as 2026-01-31T12:00:00Z",
  day: "Please give a day such as 2026-12-31",
  unknown_name: "There is nothing of this name",
  long_name: "The name is too long",
  default_group: 'Please give a ratio for "default", the group of everybody who is in no other',
  every_other_model: 'Please give a price for "*", which is every other model',
  tool_price: "Please give a number of at least 0, or one each for low, medium and high",
  free_input: "Tokens that go in for nothing need every other price to be 0",
  tier_bound: "Please enter a whole number of tokens from 1 to 999999999",
  tier_count: "Please give 1 to 8 tiers",
  tier_twice: "Each bound may stand once",
  linear_pattern: "Please give a regular expression without counts, look-around and back references",
  header_name: "Please give header names without blanks",
  header_value: "Please give header values in plain ASCII",
  currency_sign: "Please enter a sign of 1 to {maximum} characters, without digits, blanks and arithmetic signs",
  time_zone: "Please enter a time zone such as UTC, Europe/Berlin or Asia/Shanghai",
  group_missing: "Please name a group after +: or -:",
  group_twice: "This group is added or taken twice here",
  own_group_taken: "A group cannot be taken from its own users",
  many_entries: "Too many entries",
  discount: "Please give a share up to 1, such as 0.95",
  private_key: "Please paste an RSA private key",
  public_key: "Please paste an RSA public key or certificate",
  api_v3_key: "Please enter 32 characters",
  method_twice: "Each method may stand once",
  two_numbers: "Please give two numbers: most requests, most successful requests",
  link_scheme: "This kind of link is not allowed",
  link_name: "Each entry has exactly one name",
  set_first: "Please set {option} first",
  own_factor_first: "Please set up an authenticator app or a passkey for your own account first, on your personal page",
  needed_by: "{option} needs this; please turn it off first",
  other_way_first:
    "Please log in as an administrator by another way first: without the password nobody is known to be able to log in",
  password_first: "Please turn password login on first: no administrator has logged in by another way that is on",
} as const;

export type OptionReason = keyof typeof OPTION_REASONS;

export const isOptionReason = (text: string): text is OptionReason => Object.hasOwn(OPTION_REASONS, text);

/** The reason as a schema's message: its key, which kinds.ts replaces by the sentence. */
export const because = (reason: OptionReason): string => reason;
