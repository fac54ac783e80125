/** Extreme responses for the gallery: the longest names, the greatest numbers and right-to-left text. */
import type { SiteOverview } from "../../contract/src/features/dashboard.ts";
import type { AdminLog } from "../../contract/src/features/logs.ts";
import { LOG_TYPE } from "../../contract/src/constants.ts";

const DAY_SECONDS = 86_400;
const DAYS = 30;
const LONG_MODEL = "accounts/fireworks/models/llama-v3p1-405b-instruct-long-context-preview-2026-11-21-experimental";
const LONG_USER = "a-very-long-username-somebody-registered@example-company.intern";
/** Arabic, then a direction mark that reverses what follows it. */
const TURNED = "مستخدم\u202Eevil";
const MODELS = [LONG_MODEL, "gpt-5", "نموذج-عربي", ...Array.from({ length: 6 }, (_, index) => `model-${index + 4}`)];

const sums = (quota: number) => ({
  quota,
  requests: Math.floor(quota / 100_000),
  prompt_tokens: Math.floor(quota / 100),
  completion_tokens: Math.floor(quota / 2000),
});

const costs = (quota: number) => ({ quota, costed_quota: Math.floor(quota * 0.97), cost: Math.floor(quota * 0.71) });

/** 30 days up to `nowS`, in Unix seconds, that cost hundreds of millions of dollars. */
export function hugeOverview(nowS: number): SiteOverview {
  const start = nowS - (nowS % DAY_SECONDS) - (DAYS - 1) * DAY_SECONDS;
  const buckets = Array.from({ length: DAYS }, (_, day) => start + day * DAY_SECONDS);
  const models = MODELS.map((model, place) => {
    const quota = buckets.map((_, day) => Math.floor((4.5e12 / (place * place + 1)) * (1 + Math.sin(day))));
    const total = sums(quota.reduce((all, value) => all + value, 0));
    const requests = quota.map((value) => Math.floor(value / 100_000));
    return {
      model,
      model_count: 1,
      ...total,
      series: { quota, requests, tokens: quota.map((value) => Math.floor(value / 95)) },
    };
  });
  const totals = sums(models.reduce((all, { quota }) => all + quota, 0));
  const payer = (id: number, name: string, quota: number) => ({ id, name, payer_count: 1, ...sums(quota) });
  const shared = { start, end: nowS, granularity: "day", time_zone: "Europe/Berlin", minutes_past_hour: 0 } as const;
  return {
    ...shared,
    buckets,
    models,
    totals,
    previous: sums(2e14),
    previous_is_full: true,
    previous_series: {
      quota: buckets.map(() => 6e12),
      requests: buckets.map(() => 60_000_000),
      tokens: buckets.map(() => 6e10),
    },
    today_quota: 9e12,
    rpm: 123_456,
    tpm: 2_221_358_011,
    balance: 4e12,
    used_quota: 4.5e14,
    request_count: totals.requests,
    balance_series: buckets.map((_, day) => 4e12 - day * 1e11),
    users: [payer(1, LONG_USER, totals.quota), payer(2, TURNED, 3563), payer(3, "ada", 12)],
    channels: [payer(1, "A channel with a name as long as channels may have", totals.quota)],
    margin: {
      totals: costs(totals.quota),
      previous: costs(2e14),
      series: buckets.map((_, day) => (day % 5 === 0 ? -4e11 : 3e12)),
      models: models.map(({ model, quota }) => ({ id: 0, name: model, count: 1, ...costs(quota) })),
      channels: [
        { id: 1, name: "A channel with a name as long as channels may have", count: 1, ...costs(totals.quota) },
        { id: 2, name: TURNED, count: 1, quota: 3563, costed_quota: 3563, cost: 9_000_000_000 },
        { id: 3, name: "", count: 1, quota: 12, costed_quota: 0, cost: 0 },
      ],
    },
  };
}

const PLAIN: AdminLog = {
  id: 1,
  request_id: "20261121185514601qI4NY4LbB-Y4_T",
  user_id: 1,
  created_at: 0,
  type: LOG_TYPE.consumption,
  content: "",
  username: "ada",
  token_id: 1,
  token_name: "main",
  model_name: "gpt-5",
  group: "default",
  quota: 3563,
  prompt_tokens: 4869,
  completion_tokens: 104,
  use_time: 2,
  use_time_ms: 1546,
  first_token_ms: 0,
  is_stream: false,
  ip: "2001:0db8:85a3:0000:0000:8a2e:0370:7334",
  other: "{}",
  channel: 12,
  channel_name: "A channel with a name as long as channels may have",
  upstream_cost: null,
  upstream_request_id: "",
};

const tried = Array.from({ length: 9 }, (_, index) => ({
  id: index + 4,
  name: `Channel number ${index + 4}`,
  start_ms: index * 2200,
  ms: 2100,
  status: 503,
  reason: "overloaded: The server is overloaded, try again later",
}));

/** A page of the log at `nowS`, in Unix seconds. */
export function extremeLogs(nowS: number): AdminLog[] {
  const rows: Partial<AdminLog>[] = [
    {
      username: LONG_USER,
      token_name: "a token with a name as long as tokens may have one",
      model_name: LONG_MODEL,
      prompt_tokens: 1_234_567_890,
      completion_tokens: 987_654_321,
      quota: 4.5e12,
      use_time_ms: 3_723_400,
      first_token_ms: 312_345,
      is_stream: true,
    },
    { username: TURNED, token_name: TURNED, model_name: "نموذج-عربي" },
    {
      type: LOG_TYPE.error,
      content: "Averylongerrorwithoutanyspace".repeat(20),
      use_time_ms: 19_700,
      other: JSON.stringify({ status_code: 503, error_type: "upstream_error", admin_info: { tried } }),
    },
    { type: LOG_TYPE.topUp, token_name: "", model_name: "", content: "Redeemed a code", quota: 9e11 },
    { type: LOG_TYPE.system, token_name: "", model_name: "", username: "", content: "", other: "no JSON at all" },
  ];
  return rows.map((row, index) => ({ ...PLAIN, ...row, id: index + 1, created_at: nowS - index }));
}
