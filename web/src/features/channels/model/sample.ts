/** A channel for the tests of this folder. */
import type { ChannelRow } from "../../../../../contract/src/features/channels.ts";

const PLAIN: ChannelRow = {
  id: 1,
  type: 1,
  name: "main",
  status: 1,
  key_first: "sk-abc",
  key_last: "9QAA",
  key_set_time: 100,
  base_url: "",
  other: "",
  models: "gpt-4o,gpt-4o-mini",
  group: "default",
  model_mapping: "",
  status_code_mapping: "",
  param_override: "",
  setting: "",
  costs: "",
  openai_organization: "",
  test_model: "",
  tag: "",
  priority: 0,
  weight: 0,
  auto_ban: 1,
  max_input_tokens: null,
  response_time: 0,
  test_time: 0,
  test_result: 0,
  test_failure: null,
  balance: 0,
  balance_updated_time: 0,
  used_quota: 0,
  other_info: "",
  created_time: 1,
};

export const aChannel = (change: Partial<ChannelRow> = {}): ChannelRow => ({ ...PLAIN, ...change });
