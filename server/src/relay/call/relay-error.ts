/** Every refusal of the relay: status, type, code and text of the error envelope in one table. */
import { CallerError } from "../../../../contract/src/errors.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";

export type RelayErrorCode = keyof typeof RELAY_ERRORS;

const AUTH = "authentication_error";
const REQUEST = "invalid_request_error";
const SERVER = "server_error";

/** Texts are constant: no part of a key, no name of a channel, no address. */
export const RELAY_ERRORS = {
  key_missing: { status: 401, type: AUTH, message: "No API key was sent. Send it as 'Authorization: Bearer sk-...'." },
  key_invalid: { status: 401, type: AUTH, message: "The API key is not valid." },
  key_disabled: { status: 401, type: AUTH, message: "The API key is disabled." },
  key_expired: { status: 401, type: AUTH, message: "The API key has expired." },
  key_exhausted: { status: 401, type: AUTH, message: "The quota of this API key is used up." },
  session_refused: { status: 401, type: AUTH, message: "Not logged in." },
  access_token_not_supported: {
    status: 400,
    type: REQUEST,
    message: "The playground takes no access token: use a token's key at /v1/chat/completions.",
  },
  user_banned: { status: 403, type: "permission_error", message: "This account is banned." },
  channel_choice_forbidden: {
    status: 403,
    type: "permission_error",
    message: "Only administrators may choose a channel by the key.",
  },
  channel_choice_invalid: { status: 400, type: REQUEST, message: "The channel named in the key does not exist." },
  channel_choice_disabled: {
    status: 403,
    type: "permission_error",
    message: "The channel named in the key is disabled.",
  },
  address_not_allowed: {
    status: 403,
    type: "permission_error",
    message: "Your address is not in the list of this API key.",
  },
  model_not_allowed: { status: 403, type: "permission_error", message: "This API key may not use the model." },
  group_not_allowed: {
    status: 403,
    type: "permission_error",
    message: "The group of this API key cannot be used by its owner.",
  },
  group_unknown: { status: 403, type: "permission_error", message: "The group of this API key no longer exists." },
  rate_limit_exceeded: { status: 429, type: "rate_limit_error", message: "Too many requests, try again later." },
  too_many_unpaid_calls: {
    status: 429,
    type: "rate_limit_error",
    message: "Too many calls of this account were refused or cost nothing, try again later.",
  },
  concurrency_exceeded: {
    status: 429,
    type: "rate_limit_error",
    message: "This API key has as many open calls as it may have at a time.",
  },
  channels_busy: {
    status: 429,
    type: "rate_limit_error",
    message: "Every channel of this model has as many open calls as it may have, try again later.",
  },
  loop_detected: {
    status: 508,
    type: REQUEST,
    message: "This call has passed too many gateways, or this one twice: a channel leads back to where it came from.",
  },
  idempotency_key_invalid: {
    status: 400,
    type: REQUEST,
    message: "The header Idempotency-Key must have 1 to 255 printable ASCII characters.",
  },
  idempotency_key_reused: {
    status: 422,
    type: REQUEST,
    message: "This Idempotency-Key was used for another request.",
  },
  idempotency_key_taken: { status: 409, type: REQUEST, message: "A call with this Idempotency-Key was already made." },
  idempotency_unavailable: {
    status: 503,
    type: SERVER,
    message: "Idempotency-Key cannot be honoured at the moment, try again later.",
  },
  sensitive_words_detected: {
    status: 400,
    type: REQUEST,
    message: "The request contains words that are not allowed here.",
  },
  insufficient_user_quota: {
    status: 403,
    type: "insufficient_quota",
    message: "Your balance does not reach for this call.",
  },
  pre_consume_token_quota_failed: {
    status: 403,
    type: "insufficient_quota",
    message: "The quota of this API key does not reach for this call.",
  },
  books_unavailable: { status: 503, type: SERVER, message: "Calls cannot be booked at the moment, try again later." },
  model_price_error: { status: 400, type: REQUEST, message: "No price is set for this model." },
  model_missing: { status: 400, type: REQUEST, message: "The request names no model." },
  model_too_long: { status: 400, type: REQUEST, message: "The name of the model is longer than any model's." },
  messages_missing: { status: 400, type: REQUEST, message: "The request has no 'messages'." },
  contents_missing: { status: 400, type: REQUEST, message: "The request has no 'contents'." },
  documents_missing: { status: 400, type: REQUEST, message: "The request has no 'documents'." },
  max_tokens_missing: { status: 400, type: REQUEST, message: "The request has no 'max_tokens'." },
  not_translatable: { status: 400, type: REQUEST, message: "No channel of this model can do what was asked." },
  not_served: { status: 400, type: REQUEST, message: "What was asked for is not served here." },
  prompt_missing: { status: 400, type: REQUEST, message: "The request has no 'prompt'." },
  input_missing: { status: 400, type: REQUEST, message: "The request has no 'input'." },
  input_not_text: { status: 400, type: REQUEST, message: "'input' must be text." },
  form_expected: { status: 400, type: REQUEST, message: "Send this request as multipart/form-data with a boundary." },
  form_invalid: { status: 400, type: REQUEST, message: "The body is not well-formed multipart/form-data." },
  file_missing: { status: 400, type: REQUEST, message: "The request has no 'file'." },
  instances_missing: { status: 400, type: REQUEST, message: "The request has no 'instances'." },
  image_missing: { status: 400, type: REQUEST, message: "The request has no 'image'." },
  image_count_invalid: { status: 400, type: REQUEST, message: "'n' must be a whole number from 1 to 10." },
  choices_invalid: { status: 400, type: REQUEST, message: "At most 128 answers may be asked for at a time." },
  image_size_invalid: { status: 400, type: REQUEST, message: "'size' must be written with the letter x: 1024x1024." },
  max_tokens_invalid: { status: 400, type: REQUEST, message: "The limit of tokens is too large." },
  model_not_found: { status: 404, type: REQUEST, message: "The model does not exist or this API key cannot use it." },
  no_available_channel: { status: 503, type: SERVER, message: "No channel is available for this model." },
  /** The words of a channel's rule stand in place of these. */
  refused_by_override: { status: 400, type: REQUEST, message: "The request is refused here." },
  param_override_failed: {
    status: 500,
    type: SERVER,
    message: "The parameter override of the channel does not fit this request. Tell the operator.",
  },
  model_mapping_contains_cycle: {
    status: 500,
    type: SERVER,
    message: "The model mapping of the channel leads in a circle.",
  },
  invalid_json: { status: 400, type: REQUEST, message: "The body is not a valid JSON object." },
  ambiguous_field: { status: 400, type: REQUEST, message: "A field of the request can be read in two ways." },
  json_too_deep: { status: 400, type: REQUEST, message: "The JSON of the body is nested too deeply." },
  too_many_entries: { status: 400, type: REQUEST, message: "A list of the request has too many entries." },
  body_too_large: { status: 413, type: REQUEST, message: "The body is larger than this gateway takes." },
  input_too_long: { status: 400, type: REQUEST, message: "The input is longer than any channel of this model takes." },
  body_too_slow: { status: 408, type: REQUEST, message: "The body did not arrive in time." },
  body_encoding: { status: 400, type: REQUEST, message: "The body could not be decoded as its Content-Encoding says." },
  upgrade_required: { status: 426, type: REQUEST, message: "This address is a WebSocket: send the handshake of one." },
  socket_frame_invalid: { status: 400, type: REQUEST, message: "The frame is not one that this socket takes." },
  encrypted_content_invalid: {
    status: 400,
    type: REQUEST,
    message: "The encrypted content of an item was not made for this user, or was changed.",
  },
  response_not_found: { status: 404, type: REQUEST, message: "The response is not known." },
  previous_response_not_found: { status: 400, type: REQUEST, message: "The response to go on from is not known." },
  background_not_stored: {
    status: 400,
    type: REQUEST,
    message: "A response in the background has to be stored: leave 'store' out, or set it to true.",
  },
  too_many_background_responses: {
    status: 429,
    type: "rate_limit_error",
    message: "As many responses are made in the background as may be at a time.",
  },
  response_under_way: {
    status: 409,
    type: REQUEST,
    message: "The response is being made: it can be deleted once it has ended or was cancelled.",
  },
  websocket_connection_limit_reached: {
    status: 400,
    type: REQUEST,
    message: "A socket stays open for 60 minutes at most. Open another one to go on.",
  },
  websocket_stream_limit_reached: { status: 429, type: REQUEST, message: "The socket has no room for this frame." },
  url_too_long: { status: 414, type: REQUEST, message: "The URL is longer than this gateway takes." },
  over_capacity: {
    status: 503,
    type: SERVER,
    message: "The gateway has no memory left for this call, try again later.",
  },
  request_memory_exceeded: {
    status: 429,
    type: "rate_limit_error",
    message: "The requests of this user under way hold as much memory as one user may have.",
  },
  subprotocols_invalid: { status: 400, type: REQUEST, message: "The list of subprotocols is not well formed." },
  server_stopping: { status: 503, type: SERVER, message: "The gateway is stopping, try again." },
  invalid_url: { status: 404, type: REQUEST, message: "There is nothing at this address." },
  method_not_allowed: { status: 405, type: REQUEST, message: "This address does not take this method." },
  api_not_implemented: { status: 501, type: REQUEST, message: "API not implemented" },
  upstream_saturated: {
    status: 429,
    type: "rate_limit_error",
    message: "The upstreams of this group are saturated, try again later.",
  },
  upstream_account_empty: {
    status: 429,
    type: "insufficient_quota",
    message:
      "The account behind the upstream's key has no credit left, which waiting does not mend. Tell the operator.",
  },
  channel_key_refused: {
    status: 502,
    type: "upstream_error",
    message: "The upstream refused the key of its channel; the key of this call is fine. Tell the operator.",
  },
  channel_access_refused: {
    status: 502,
    type: "upstream_error",
    message: "The upstream refused its channel what was asked; the key of this call is fine. Tell the operator.",
  },
  upstream_unreachable: { status: 502, type: "upstream_error", message: "The upstream could not be reached." },
  upstream_timeout: { status: 504, type: "upstream_error", message: "The upstream did not answer in time." },
  // In a stream its envelope is all that a client reads, and coding agents ask again at the type that OpenAI's own failures have (OpenCode's session/retry.ts).
  upstream_broken: { status: 502, type: SERVER, message: "The upstream broke off its answer." },
  upstream_failed: { status: 502, type: "upstream_error", message: "The upstream answered with an error." },
  quota_reached: {
    status: 403,
    type: "insufficient_quota",
    message: "The balance does not reach for the rest of this answer.",
  },
  task_request_invalid: { status: 400, type: REQUEST, message: "The request cannot be handed over." },
  task_not_found: { status: 400, type: REQUEST, message: "There is no such task." },
  task_under_way: { status: 409, type: REQUEST, message: "It is being made: it can be deleted once it has ended." },
  task_unfinished: { status: 400, type: REQUEST, message: "The task that this one goes on from has not succeeded." },
  task_channel_disabled: {
    status: 400,
    type: REQUEST,
    message: "The channel of the task that this one goes on from is not available.",
  },
  tasks_disabled: { status: 403, type: "permission_error", message: "This site does not offer such tasks." },
  picture_unavailable: { status: 502, type: "upstream_error", message: "The picture could not be fetched." },
  internal_error: {
    status: 500,
    type: SERVER,
    message: "An error of the gateway; the log has it under the request id.",
  },
} as const;

interface RelayErrorOptions {
  message?: string;
  status?: number;
  type?: string;
  /** What stands in place of the table's code: an upstream's own. */
  code?: string;
  param?: string;
  retryAfterSeconds?: number;
  allowedMethods?: string;
  details?: JsonObject | undefined;
  verbatim?: string | undefined;
  hasPlainWords?: boolean;
  isForConsole?: boolean;
  isFinal?: boolean;
  shownCode?: string;
}

/** An error of the relay: its code decides status, type and text, which `options` may replace. */
export class RelayError extends CallerError {
  readonly type: string;
  readonly param: string | null;
  /** What else an upstream of the client's own format said. */
  readonly details: JsonObject | undefined;
  /** The envelope of an upstream of the client's own format, which the client gets in place of ours. */
  readonly verbatim: string | undefined;
  /** The words are such an upstream's: agents go by them, so that no request id is put behind them. */
  readonly hasPlainWords: boolean;
  /** Methods that the address takes, for the header Allow; empty where the method was right. */
  readonly allowedMethods: string;
  /** A retry changes nothing, whatever the status. */
  readonly isFinal: boolean;
  /** What clients read in place of the code, which the log has; empty for none. */
  readonly shownCode: string | undefined;
  /** Also has the console's envelope. */
  readonly isForConsole: boolean;

  constructor(code: RelayErrorCode, options: RelayErrorOptions = {}) {
    const entry = RELAY_ERRORS[code];
    super({ code, ...entry, ...options });
    this.type = options.type ?? entry.type;
    this.param = options.param ?? null;
    this.details = options.details;
    this.verbatim = options.verbatim;
    this.hasPlainWords = options.hasPlainWords ?? false;
    this.allowedMethods = options.allowedMethods ?? "";
    this.isFinal = options.isFinal ?? false;
    this.shownCode = options.shownCode;
    this.isForConsole = options.isForConsole ?? false;
  }
}
