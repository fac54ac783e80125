/** Descriptions of the console API's parameters and body fields, by name; a name means the same in every endpoint. */
import { PAYMENT_METHODS } from "../../../../contract/src/payments/methods.ts";

const SIGN_IN: Readonly<Record<string, string>> = {
  code: "The code that was shown, sent or printed",
  turnstile: "Token of the human check, where the site asks for one",
  email: "Email address",
  aff: "Invitation code",
  aff_code: "Invitation code",
  provider: "Name of the way to sign in, such as `github`",
  bind: "Whether an account is bound instead of signed in with",
  state: "The state that began this sign-in; it counts once",
  iss: "Issuer that the provider names (RFC 9207)",
  error: "Error code of the provider",
  error_description: "What the provider says of the error",
  first_name: "As Telegram's widget sends it",
  last_name: "As Telegram's widget sends it",
  photo_url: "As Telegram's widget sends it",
  auth_date: "Unix seconds of the sign-in at Telegram",
  hash: "Telegram's signature of the other fields",
  username: "Name to log in with; in a filter, the person's",
  password: "Password, 8 to 128 characters; blank keeps the present one where there is one",
  password2: "The password once more",
  confirmPassword: "The password once more",
  original_password: "The present password",
  terms_version: "Version of the user agreement and privacy policy that is accepted, as the status has it",
  verification_code: "Code that was sent to the email address",
  passkey: "Answer of a passkey to its challenge",
  credential: "Answer of the browser, as WebAuthn defines it",
  ticket: "What the step before gave",
};

const LISTS: Readonly<Record<string, string>> = {
  before: "The id of the last row that was read: older ones follow",
  p: "Page; the call's summary says whether pages count from 0 or 1",
  page_size: "Rows of a page, 1 to 100; 10 where absent",
  size: "The same as page_size",
  sort: "Column to sort by",
  order: "`asc` or `desc`",
  keyword: "Part of a name, or an id",
  status: "Only rows of this status; in a body, the status to set",
  group: "Name of a group",
  role: "A role: 1 user, 10 administrator, 100 super administrator. A list has only these; a new account gets it",
  ids: "Ids of the rows, at most 10,000",
  filter: "Every row that matches, instead of ids",
  total: "How many rows matched when the list was seen; another number refuses the act",
  excluded: "Ids among the matching rows that are left alone",
  action: "What is done",
  which: "All rows of this kind, instead of ids",
  field: "Column whose values are listed",
};

const TIMES: Readonly<Record<string, string>> = {
  start_timestamp: "From this time on, in Unix seconds; for tasks in milliseconds too",
  end_timestamp: "Until this time, in Unix seconds; for tasks in milliseconds too",
  target_timestamp: "Everything before this time, in Unix seconds",
  hours: "How many hours back",
  days: "How many days back",
  granularity: "`hour`, `day` or `week`",
  time_zone: "IANA name of the zone in which days and weeks begin",
};

const LOGS: Readonly<Record<string, string>> = {
  types: "Several types, comma-joined",
  token_name: "Name of the token",
  model_name: "Name of the model, or a part of it",
  request_id: "Id of the call, as its answer's header has it",
  min_time_ms: "Only calls that took at least so many milliseconds",
  min_quota: "Only calls that cost at least so much quota",
  error_code: "Only calls that failed with this code",
  channel: "Id of the channel",
  has_error: "Only calls of which an attempt failed",
};

const TASKS: Readonly<Record<string, string>> = {
  mj_id: "Id of the drawing at the upstream",
  task_id: "Id of the task at the upstream",
  platform: "Kind of task: `suno` or `video`",
  channel_id: "Id of the channel",
};

const CHANNELS: Readonly<Record<string, string>> = {
  act: "What would be done",
  type: "Number of the kind: of a channel's provider, of a log row; in a path, the name of the way to sign in",
  model: "Name of a model",
  models: "Names of models, comma-joined",
  groups: "Names of groups",
  test_result: "Only channels whose last test came out so",
  id_sort: "By id instead of priority",
  tag_mode: "One row for each tag",
  untagged: "Only channels without a tag",
  base_url: "Address of the upstream, without the path of the API",
  other: "What this provider needs beside: region, version, id",
  model_mapping: "JSON: the client's model name to the upstream's",
  status_code_mapping: "JSON: the upstream's status to the client's",
  param_override: "JSON: fields merged over each request, and `operations` that change it (docs/overrides.md)",
  body: "JSON text of a request to try the override on",
  original_model: "Model as the caller names it",
  request_path: "Path as the caller calls it",
  headers: "Headers of the caller, by name",
  setting: "JSON of the channel's settings; in a proxy `***@` stands for the stored user and password",
  settings: "JSON of which fields of requests go on to the upstream",
  header_override: "JSON of headers for the upstream; `***` stands for a stored value",
  remark: "What administrators note; other people never see it",
  costs: "JSON of what the upstream asks for",
  openai_organization: "Organisation that calls are made for",
  test_model: "Model that tests ask for; the first one where empty",
  tag: "Tag of the channel",
  new_tag: "New name of the tag; empty takes it away",
  priority: "Higher ones are tried first; -999 and up",
  weight: "Share among channels of one priority; 0 and up",
  auto_ban: "1: is disabled on certain errors; 0: never by itself",
  max_input_tokens: "Most input tokens of a call; 0 for no limit",
  keys_make: "Whether several keys make a channel each or one channel",
  key_choice: "How the calls of a channel get one of its keys",
  key: "A secret, or the name of an option; a blank secret keeps the stored one",
};

const TOKENS_AND_QUOTA: Readonly<Record<string, string>> = {
  token: "Key of a token, or the secret of a link",
  status_only: "Changes the status and nothing else",
  name: "Name, as lists show it",
  remain_quota: "Quota that is left",
  remain_quota_seen: "What was left when the editor was opened",
  remain_quota_delta: "Signed change of what is left",
  unlimited_quota: "Whether the person's balance alone is the limit",
  expired_time: "Unix seconds; -1 for never, of redemption codes 0",
  model_limits_enabled: "Whether model_limits counts",
  model_limits: "Names of models, comma-joined",
  auto_groups: "Groups that a token of the group auto tries, in this order; empty for those of the site",
  cross_group_retry: "Whether a call of such a token that fails in one group is retried in the next",
  allow_ips: "Addresses or ranges, one a line; empty for all",
  count: "How many are made at once",
  quota: "Amount in quota",
  quota_seen: "Balance when the editor was opened",
  quota_delta: "Signed change of the balance",
  change_id: "Id of the change, so that sending it twice makes it once",
  display_name: "Name that is shown",
  scope: "What an access token may do: `read`, `manage` what is one's own, or `admin` for all that the role allows",
  expires_time: "Unix seconds at which it ends; 0 for never",
};

const SETTINGS: Readonly<Record<string, string>> = {
  value: "The value as text; with add_quota, whole units of quota",
  mode: "With add_quota: add and subtract move the balance, override sets it",
  revision: "The revision that the editor saw; a newer one refuses the change",
  url: "Address to ask",
  to: "Address of the receiver",
  notify_type: "`email` or `webhook`",
  quota_warning_threshold: "Quota below which a warning is sent; 0 for the site's own",
  webhook_url: "Address that receives messages; https only",
  webhook_secret: "Sent as a bearer token; blank keeps the stored one",
  notification_email: "Address of messages; empty for the account's own",
  accept_unset_model_ratio_model: "Whether models without a price may be called, at the default ratio",
  language: "`en` or `zh`: the language of messages",
  SelfUseModeEnabled: "Whether the site is for its operator alone",
  DemoSiteEnabled: "Whether visitors may look and change nothing",
  slug: "Name in addresses",
  is_enabled: "Whether it is offered",
  client_id: "Id of this site at the provider",
  client_secret: "Secret of this site at the provider; blank keeps the stored one",
  well_known: "Address of the provider's OpenID configuration",
  authorization_endpoint: "Where people are sent",
  token_endpoint: "Where codes are exchanged",
  user_info_endpoint: "Who somebody is",
};

const PRICES: Readonly<Record<string, string>> = {
  source: "Address that the list was fetched from",
  base: "Mark of the list that the lines were compared with",
  lines: "Lines to accept",
  changes: "Models with their price before and after",
  tables: "Price tables as JSON text, with the revisions that were seen",
  options: "Options as they would be",
};

const WALLET: Readonly<Record<string, string>> = {
  month: "Month as `YYYY-MM`; the present one where it is left out",
  amount: "How much is bought, in whole units; what a unit is, the wallet's information says",
  top_up_code: "Read by nothing: other consoles of this API family send it",
  payment_method: Object.entries(PAYMENT_METHODS)
    .map(([name, meaning]) => `\`${name}\` for ${meaning}`)
    .join(", "),
  method: "How it is paid",
  number: "Number of an order or a payment",
  reference: "What proves the payment, for the record",
};

const ROUTING: Readonly<Record<string, string>> = {
  user: "Name or id of the caller",
  token_id: "Id of the token that calls",
  input_tokens: "Input tokens of the call",
  operation: "What the call asks for",
  is_stream: "Whether it asks for a stream",
};

const id = "Id of the row; of Telegram's user where its widget signs in";

export const FIELD_TEXTS: Readonly<Record<string, string>> = {
  id,
  ...SIGN_IN,
  ...LISTS,
  ...TIMES,
  ...LOGS,
  ...TASKS,
  ...CHANNELS,
  ...TOKENS_AND_QUOTA,
  ...SETTINGS,
  ...PRICES,
  ...WALLET,
  ...ROUTING,
};
