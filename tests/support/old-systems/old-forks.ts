/** Databases of one-hub, done-hub and Veloera as GORM makes them, with rows written by hand, for tests of the import. */
import { NEW_API, type OldRows, type Tables } from "./old-gateway.ts";
import { channel, OLD_CODE, OLD_KEYS, token, user } from "./old-rows.ts";

/** one-hub v0.14.27. */
export const ONE_HUB: Tables = {
  users: `id:id username:string password:string display_name:string role:int32 status:int32 email:string avatar_url:string
    github_id:string github_id_new oidc_id:string wechat_id:string telegram_id lark_id:string access_token:char32 quota:int32
    used_quota:int32 request_count:int32 group:string aff_code:string aff_count:int32 aff_quota:int32 aff_history:int32
    inviter_id created_time deleted_at:time`,
  tokens: `id:id user_id key:string status name:string created_time accessed_time expired_time remain_quota unlimited_quota:bool
    used_quota group:string backup_group:string setting:json deleted_at:time`,
  channels: `id:id type key:string status name:string weight created_time test_time response_time base_url:string other:string
    balance:float balance_updated_time models:string group:string tag:string used_quota model_mapping:string model_headers:string
    custom_parameter:string priority proxy:string test_model:string only_chat:bool pre_cost plugin:json deleted_at:time`,
  options: "key:string value:string",
  redemptions: "id:id user_id key:char32 status name:string quota created_time redeemed_time",
  orders: `id:id user_id gateway_id trade_no:string gateway_no:string amount order_amount:float order_currency:string quota:int32
    fee:float discount:float status:string created_at updated_at deleted_at:time`,
  payments: "id:id type:string uuid:string config:string",
  user_groups: "id:id symbol:string name:string ratio:float api_rate public:bool promotion:bool enable:bool",
  prices: "model:string type:string channel_type input:float output:float locked:bool extra_ratios:json",
  migrations: "id:string",
  telegram_menus: "id:id command:string",
};

export const DONE_HUB: Tables = {
  ...ONE_HUB,
  users: `${ONE_HUB["users"]} linuxdo_id`,
  channels: `${ONE_HUB["channels"]} cost_ratio:float`,
};

const HUB_OPTIONS: OldRows[string] = [
  { key: "SystemName", value: "One Hub" },
  { key: "OIDCIssuer", value: "https://login.example/" },
  { key: "UPTIMEKUMA_DOMAIN", value: "status.example" },
  { key: "GroupRatio", value: '{"default":9}' },
];

const HUB_USERS: OldRows[string] = [
  user(1, "root", { role: 100, linuxdo_id: 0, telegram_id: 0 }),
  user(2, "ada", {
    quota: 900_000,
    used_quota: 7_000,
    request_count: 7,
    group: "vip",
    github_id: "octocat",
    github_id_new: 4242,
    telegram_id: 777,
    linuxdo_id: 31,
    avatar_url: "https://avatar.example/2",
  }),
  user(3, "eve", { github_id: "4243", role: 3 }),
  user(4, "bob_del_a1b2c3", { deleted_at: "2025-05-01 10:00:00" }),
];

const HUB_TOKENS: OldRows[string] = [
  token(1, 2, OLD_KEYS.dashed, {
    used_quota: 6_000,
    group: "vip",
    backup_group: "default",
    setting:
      '{"heartbeat":{"enabled":true,"timeout_seconds":5},"limits":{"limit_model_setting":{"enabled":true,"models":["gpt-4o"]},"limits_ip_setting":{"enabled":true,"whitelist":["10.0.0.0/8"]}}}',
  }),
  token(2, 2, OLD_KEYS.padded, { setting: '{"limits":{"enabled":true,"models":["gpt-4o","o3"]}}' }),
  token(3, 2, OLD_KEYS.plain, { setting: '{"limits":{"limits_ip_setting":{"enabled":true,"whitelist":[]}}}' }),
  token(4, 2, OLD_KEYS.long, { setting: "{}" }),
];

const hubChannels = (upstreamUrl: string): OldRows[string] => [
  channel(1, 1, "sk-upstream-0123456789abcdef", {
    base_url: upstreamUrl,
    proxy: "http://proxy.example:8080",
    model_headers: '{"x-team":"a"}',
    custom_parameter: '{"temperature":0}',
    pre_cost: 1,
  }),
  channel(2, 32, "us-east-1|AKIA000000000000|secretsecretsecret", { models: "claude-sonnet-4" }),
  channel(3, 43, "llama-key-00000000000000"),
  channel(4, 53, "kling-key-0000000000000"),
  channel(5, 28, "sk-deepseek-000000000000", {
    models: "deepseek-chat",
    custom_parameter: '{"overwrite":true,"top_p":1}',
    proxy: "http://%s.proxy.example",
    plugin: '{"code_execution":{"enable":true}}',
  }),
  channel(6, 1, "sk-deleted-0000000000000", { deleted_at: "2025-05-01 10:00:00", used_quota: 99 }),
  channel(7, 31, "gsk-000000000000000000", { models: "llama", custom_parameter: '{"per_model":true,"llama":{}}' }),
];

const HUB_ORDERS: OldRows[string] = [
  {
    id: 1,
    user_id: 2,
    gateway_id: 3,
    trade_no: "O1",
    amount: 10,
    order_amount: 9.5,
    order_currency: "USD",
    quota: 4_900_000,
    fee: 0.3,
    status: "success",
    created_at: 1_700_000_000,
    updated_at: 1_700_000_050,
  },
  { id: 2, user_id: 2, gateway_id: 4, trade_no: "O2", quota: 1, order_currency: "CNY", status: "closed" },
  { id: 3, user_id: 2, gateway_id: 4, trade_no: "O3", quota: 1, order_currency: "CNY", status: "pending" },
];

const HUB_USER_GROUPS: OldRows[string] = [
  { id: 1, symbol: "default", name: "Everybody", ratio: 1, api_rate: 600, public: true, enable: true },
  { id: 2, symbol: "vip", name: "Vip", ratio: 0.8, api_rate: 0, public: false, enable: true },
  { id: 3, symbol: "old", name: "Old", ratio: 2, api_rate: 0, public: true, enable: false },
];

const HUB_PRICES: OldRows[string] = [
  {
    model: "gpt-4o",
    type: "tokens",
    channel_type: 1,
    input: 1.25,
    output: 5,
    extra_ratios: '{"cached_tokens":0.5,"reasoning_tokens":1}',
  },
  { model: "third", type: "tokens", channel_type: 1, input: 1.5, output: 5 },
  { model: "picture", type: "times", channel_type: 1, input: 20, output: 20 },
  { model: "no-input", type: "tokens", channel_type: 1, input: 0, output: 5 },
];

/** Of both; the first channel goes to `upstreamUrl`. */
export const hubRows = (upstreamUrl: string): OldRows => ({
  options: HUB_OPTIONS,
  users: HUB_USERS,
  tokens: HUB_TOKENS,
  channels: hubChannels(upstreamUrl),
  redemptions: [{ id: 1, user_id: 1, key: OLD_CODE, status: 1, name: "welcome", quota: 5_000 }],
  payments: [{ id: 3, type: "stripe", uuid: "u", config: '{"secret":"hush-hush"}' }],
  orders: HUB_ORDERS,
  user_groups: HUB_USER_GROUPS,
  prices: HUB_PRICES,
  migrations: [{ id: "202405152141" }],
});

/** Veloera of June 2025. */
export const VELOERA: Tables = {
  users: `${NEW_API["users"]} last_check_in_time:time`,
  tokens: NEW_API["tokens"] ?? "",
  channels: `id:id type key:string open_ai_organization:string test_model:string status name:string weight created_time test_time
    response_time base_url:string other:string balance:float balance_updated_time models:string group:string used_quota
    model_mapping:string status_code_mapping:string priority auto_ban other_info:string tag:string setting:string
    param_override:string model_prefix:string`,
  options: "key:string value:string",
  redemptions: `id:id user_id key:char32 status name:string quota created_time redeemed_time used_user_id deleted_at:time valid_from
    valid_until is_gift:bool max_uses used_count`,
  top_ups: NEW_API["top_ups"] ?? "",
};

export const veloeraRows = (upstreamUrl: string): OldRows => ({
  options: [{ key: "CheckInEnabled", value: "true" }],
  users: [
    user(1, "root", { role: 100 }),
    user(2, "ada", { github_id: "4242", last_check_in_time: "2025-06-01 00:00:00" }),
  ],
  tokens: [token(1, 2, OLD_KEYS.plain)],
  channels: [
    channel(1, 1, "sk-upstream-0123456789abcdef", {
      base_url: upstreamUrl,
      models: "gpt-4o,o3",
      model_prefix: "fast/",
      model_mapping: '{"o3":"o3-2025"}',
      test_model: "o3",
    }),
    channel(2, 1, "sk-upstream-1123456789abcdef", { base_url: upstreamUrl, model_prefix: "" }),
  ],
  redemptions: [
    { id: 1, user_id: 1, key: OLD_CODE, status: 1, name: "plain", quota: 5, valid_until: 1_900_000_000, max_uses: 1 },
    { id: 2, user_id: 1, key: "many0000000000000000000000000000", status: 1, name: "many", quota: 5, max_uses: -1 },
    { id: 3, user_id: 1, key: "gift0000000000000000000000000000", status: 1, name: "gift", quota: 5, is_gift: true },
    {
      id: 4,
      user_id: 1,
      key: "later000000000000000000000000000",
      status: 1,
      name: "x",
      quota: 5,
      valid_from: 1_850_000_000,
    },
  ],
  top_ups: [],
});
