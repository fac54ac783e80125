/** Hostile rows of a new-api and a plain one-api, as they are met in the field: what is doubled, dangling, negative, deleted, NULL or no JSON. */
import bcrypt from "bcryptjs";
import type { OldRows } from "./old-gateway.ts";

/** Of every account with a password. */
export const OLD_PASSWORD = "old password 7";
const HASH = bcrypt.hashSync(OLD_PASSWORD, 4);

export const OLD_KEYS = {
  plain: "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0U1v2W3x4",
  dashed: "legacy-key_with-dashes-0123456789-abc",
  long: "L0ng".repeat(32),
  padded: "Padded0123456789012345678901234567890123456789ab",
} as const;
export const OLD_SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
export const OLD_CODE = "0123456789abcdef0123456789abcdef";
export const INT32_MAX = 2_147_483_647;
/** Quota of one call of `fixed-model`. */
export const OLD_PRICE = 1_000;

export const user = (id: number, username: string, more: OldRows[string][number] = {}) => ({
  id,
  username,
  password: HASH,
  display_name: username,
  role: 1,
  status: 1,
  email: "",
  quota: 1_000_000,
  used_quota: 0,
  request_count: 0,
  group: "default",
  aff_code: `af${id}`,
  inviter_id: 0,
  ...more,
});

export const token = (id: number, user_id: number, key: string, more: OldRows[string][number] = {}) => ({
  id,
  user_id,
  key,
  status: 1,
  name: `token ${id}`,
  created_time: 1_700_000_000,
  accessed_time: 1_700_000_100,
  expired_time: -1,
  remain_quota: 500_000,
  unlimited_quota: false,
  used_quota: 0,
  ...more,
});

export const channel = (id: number, type: number, key: string, more: OldRows[string][number] = {}) => ({
  id,
  type,
  key,
  status: 1,
  name: `channel ${id}`,
  weight: 1,
  created_time: 1_700_000_000,
  models: "fixed-model",
  group: "default,vip",
  used_quota: 100 * id,
  priority: 0,
  ...more,
});

const OPTIONS: OldRows[string] = [
  { key: "ModelPrice", value: '{"fixed-model":0.002}' },
  { key: "GroupRatio", value: '{"default":1,"vip":0.5}' },
  { key: "SystemName", value: "New API" },
  { key: "RegisterEnabled", value: "false" },
  { key: "CreateCacheRatio", value: '{"fixed-model":1.25}' },
  { key: "ModelRatio", value: '{"broken":' },
  { key: "CreemApiKey", value: "creem-very-secret" },
  { key: "perf_metrics_setting.enabled", value: "true" },
  { key: "GitHubOAuthEnabled", value: "true" },
  { key: "GitHubClientId", value: "client-of-old" },
  { key: "GitHubClientSecret", value: "client-secret-of-old" },
];

const USERS: OldRows[string] = [
  user(1, "root", { role: 100, quota: 100_000_000, used_quota: 5_000, request_count: 5 }),
  user(2, "ada", {
    quota: 123_456_789,
    used_quota: 7_000,
    request_count: 70,
    group: "vip",
    email: "Ada@Example.com",
    github_id: "4242",
    oidc_id: "subject-of-ada",
    inviter_id: 1,
    aff_count: 2,
    aff_quota: 50,
    aff_history: 80,
    setting: '{"notify_type":"webhook","webhook_url":"https://hook.example/x","webhook_secret":"hush","language":"zh"}',
    remark: "pays by invoice",
    created_at: 1_690_000_000,
  }),
  user(3, "ADA", { email: "ada@example.com", github_id: "octocat", telegram_id: "777" }),
  user(4, "negative", { quota: -5, telegram_id: "777", inviter_id: 4_000 }),
  user(5, "ceiling", { quota: INT32_MAX, used_quota: -3 }),
  user(6, "gone", { email: "gone@example.com", deleted_at: "2024-05-01 10:00:00.123", oidc_id: "subject-of-gone" }),
  user(7, "helper", { role: 10, status: null, request_count: null, quota: null }),
  user(8, "junk", { password: "5f4dcc3b5aa765d61d8327deb882cf99", setting: "{broken", role: 3, aff_code: "" }),
  user(9, "bo\u200bb", { group: "no-such-group", aff_code: "", display_name: "a".repeat(80) }),
];

const TOKENS: OldRows[string] = [
  token(1, 1, OLD_KEYS.plain, { unlimited_quota: true, remain_quota: -900, used_quota: 5_000 }),
  token(2, 2, OLD_KEYS.dashed, { used_quota: 6_000, model_limits_enabled: true, model_limits: "fixed-model,other" }),
  token(3, 2, OLD_KEYS.long, {
    expired_time: 0,
    group: "auto",
    auto_groups: '["vip","no-such-group"]',
    cross_group_retry: true,
  }),
  token(4, 99, "DanglingDanglingDanglingDanglingDanglingDangling", { used_quota: 44 }),
  token(5, 2, OLD_KEYS.plain, { used_quota: 55 }),
  token(6, 2, ""),
  token(7, 2, "tooShort"),
  token(8, 2, "DeletedDeletedDeletedDeletedDeletedDeletedDelete", {
    deleted_at: "2024-06-01 00:00:00",
    used_quota: 200,
  }),
  token(9, 4, "NegativeNegativeNegativeNegativeNegativeNegative", { remain_quota: -7, unlimited_quota: null }),
  token(10, 4, "Address0123456789Address0123456789Address0123456", { allow_ips: "10.0.0.1\nnot-an-address" }),
  token(11, 2, `${OLD_KEYS.padded}  `),
  token(12, 2, "sk-typedbyhandtypedbyhandtypedbyhand"),
  token(13, 2, "kaputt kaputt kaputt kaputt"),
];

const CHANNELS = (upstreamUrl: string): OldRows[string] => [
  channel(1, 1, "sk-upstream-0123456789abcdef", { base_url: upstreamUrl, auto_ban: 0, tag: "main", balance: 12.5 }),
  channel(2, 1, "sk-first-000000000000\nsk-second-11111111111\nsk-first-000000000000", {
    base_url: upstreamUrl,
    models: "other-model",
    channel_info:
      '{"is_multi_key":true,"multi_key_mode":"polling","multi_key_status_list":{"1":3},"multi_key_disabled_reason":{"1":"quota"},"multi_key_disabled_time":{"1":1700000000}}',
  }),
  channel(3, 33, "AKIA000000000000|secretsecretsecret|us-east-1", { models: "claude-sonnet-4" }),
  channel(4, 57, '{"access_token":"x"}'),
  channel(5, 1, "sk-with-broken-setting", { setting: "{broken", models: "third-model" }),
  channel(6, 1, "sk-status-unknown-0000", { status: 0, base_url: "ftp://nowhere" }),
  channel(7, 1, "sk-extra-settings-000", {
    models: "third-model",
    setting: '{"proxy":"http://user:pass@proxy.example:8080","some_later_setting":4}',
    param_override: '{"temperature":0}',
    remark: "second account",
  }),
];

const CODES: OldRows[string] = [
  { id: 1, user_id: 1, key: OLD_CODE, status: 1, name: "welcome", quota: 5_000, created_time: 1_700_000_000 },
  { id: 2, user_id: 1, key: "used0000000000000000000000000000", status: 3, name: "used", quota: 10, used_user_id: 2 },
  { id: 3, user_id: 1, key: OLD_CODE.toUpperCase(), status: 1, name: "twice", quota: 10 },
  { id: 4, user_id: 1, key: "nothing0000000000000000000000000", status: 1, name: "nothing", quota: 0 },
];

const ORDERS: OldRows[string] = [
  {
    id: 1,
    user_id: 2,
    amount: 10,
    money: 73.0,
    trade_no: "T1",
    payment_method: "alipay",
    create_time: 1_700_000_000,
    complete_time: 1_700_000_050,
    status: "success",
  },
  {
    id: 2,
    user_id: 2,
    amount: 10,
    money: 9.99,
    trade_no: "T2",
    payment_method: "stripe",
    create_time: 1_700_000_000,
    complete_time: 1_700_000_050,
    status: "success",
  },
  {
    id: 3,
    user_id: 2,
    amount: 5,
    money: 36.5,
    trade_no: "T3",
    payment_method: "wxpay",
    create_time: 1_700_000_000,
    status: "pending",
  },
  {
    id: 4,
    user_id: 2,
    amount: 1,
    money: 7.3,
    trade_no: "T1",
    payment_method: "wxpay",
    create_time: 1_700_000_000,
    status: "expired",
  },
  {
    id: 5,
    user_id: 99,
    amount: 1,
    money: 7.3,
    trade_no: "T5",
    payment_method: "wxpay",
    create_time: 1_700_000_000,
    status: "success",
  },
];

/** A new-api that has seen much; its first channel goes to `upstreamUrl`. */
export const newApiRows = (upstreamUrl: string): OldRows => ({
  options: OPTIONS,
  users: USERS,
  tokens: TOKENS,
  channels: CHANNELS(upstreamUrl),
  redemptions: CODES,
  top_ups: ORDERS,
  two_fas: [
    { id: 1, user_id: 3, secret: OLD_SECRET, is_enabled: true },
    { id: 2, user_id: 4, secret: OLD_SECRET, is_enabled: false },
    { id: 3, user_id: 99, secret: OLD_SECRET, is_enabled: true },
    { id: 4, user_id: 5, secret: "no base32!", is_enabled: true },
  ],
  two_fa_backup_codes: [{ id: 1, user_id: 3, code_hash: HASH, is_used: false }],
  passkey_credentials: [{ id: 1, user_id: 3, credential_id: "YWJj", public_key: "YWJj", sign_count: 1 }],
  checkins: [{ id: 1, user_id: 2, quota_awarded: 5 }],
  midjourneys: [],
});

/** A one-api: other channel numbers, subnets and model lists of tokens, settings in `config`, deleted people by status. */
export const oneApiRows = (upstreamUrl: string): OldRows => ({
  options: [
    { key: "ModelPrice", value: '{"fixed-model":0.002}' },
    { key: "OidcClientId", value: "old-oidc" },
    { key: "Theme", value: "berry" },
  ],
  users: [
    user(1, "root", { role: 100, quota: 500_000_000_000_000 }),
    user(2, "ada", { used_quota: 900, request_count: 9, lark_id: "lark-1" }),
    user(3, "deleted_0f0f", { status: 3 }),
  ],
  tokens: [
    token(1, 1, OLD_KEYS.plain, { unlimited_quota: true, remain_quota: -1 }),
    token(2, 2, OLD_KEYS.padded, { models: "fixed-model", subnet: "10.0.0.0/8,192.168.0.0/16", used_quota: 800 }),
  ],
  channels: [
    channel(1, 50, "sk-upstream-0123456789abcdef", { base_url: upstreamUrl }),
    channel(2, 33, "dummy", { config: '{"region":"us-east-1","ak":"AKIA000000000000","sk":"secretsecretsecret"}' }),
    channel(3, 36, "sk-deepseek-000000000000", { models: "deepseek-chat", system_prompt: "Be brief." }),
    channel(4, 43, "sk-proxy-00000000000000"),
    channel(5, 29, "gsk-000000000000000000", { models: "llama" }),
  ],
  redemptions: [{ id: 1, user_id: 1, key: OLD_CODE, status: 1, name: "welcome", quota: 5_000 }],
  abilities: [{ group: "default", model: "fixed-model", channel_id: 1, enabled: true, priority: 0 }],
  logs: [{ id: 1, user_id: 2, created_at: 1_700_000_000, type: 2, content: "call", quota: 900 }],
});
