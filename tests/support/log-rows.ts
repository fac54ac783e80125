/** A row of the log in which nothing is said: what tests of lists fill in as far as it matters to them. */

export const BLANK_LOG = {
  request_id: "",
  username: "",
  token_id: 0,
  token_name: "",
  channel_id: 0,
  group_name: "",
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  use_time_ms: 0,
  first_token_ms: 0,
  is_stream: 0,
  ip: "",
  content: "",
  other: "{}",
} as const;
