/** Requests of programs for this API family, each with the public file that sends it and what the program reads of the answer. */
import { expect } from "vitest";
import {
  anyList,
  anyNumber,
  ASKED,
  type Body,
  itemsOf,
  page,
  type Sequence,
  type Step,
  SUCCESS,
} from "./family-request.ts";

export const PROGRAM_SEQUENCES: readonly Sequence[] = [
  {
    tool: "new-api-sync, with this gateway as the one it reads prices and tokens from",
    source: "unorouter/new-api-sync src/providers/newapi/client.ts",
    steps: [
      { call: "GET /api/user/self", by: "access", reads: { success: true, data: { quota: anyNumber } } },
      // It tries this one first and the next one where it is absent.
      { call: "GET /api/pricing_new", by: "anyone", status: 404 },
      {
        call: "GET /api/pricing",
        by: "anyone",
        reads: {
          success: true,
          data: anyList,
          group_ratio: { default: 1 },
          usable_group: { default: "Default group" },
        },
      },
      { call: "GET /api/token/?p=0&page_size=100", by: "access", reads: page() },
      {
        call: "POST /api/token/",
        by: "access",
        body: {
          name: "default-sync",
          group: "default",
          expired_time: -1,
          unlimited_quota: true,
          model_limits_enabled: false,
        },
        reads: SUCCESS,
      },
      {
        call: "GET /api/token/?p=0&page_size=100",
        by: "access",
        reads: page(),
        keeps: (body) => ({ synced: itemsOf(body).find(({ name }) => name === "default-sync")?.["id"] }),
      },
      { call: "DELETE /api/token/{synced}", by: "access", reads: SUCCESS },
    ],
  },
  {
    tool: "new-api-sync, with this gateway as the one it writes to",
    source: "unorouter/new-api-sync src/core/run.ts, src/core/apply.ts, src/lib/constants.ts",
    steps: [
      { call: "GET /api/channel/?p=0&page_size=100", by: "access", reads: page() },
      { call: "GET /api/vendors/?page=1&page_size=100", by: "access", reads: { data: { items: anyList } } },
      {
        call: "GET /api/option/",
        by: "access",
        reads: { data: expect.arrayContaining([expect.objectContaining({ key: "ModelRatio" })]) as unknown },
      },
      ...Object.entries({
        GroupRatio: '{"default":1,"vip":1,"svip":1}',
        UserUsableGroups: '{"default":"Default group"}',
        AutoGroups: '["default"]',
        DefaultUseAutoGroup: "false",
        ModelRatio: '{"sync-model":1.5}',
        CompletionRatio: '{"sync-model":3}',
        ModelPrice: '{"sync-picture":0.04}',
        ImageRatio: "{}",
      }).map(([key, value]): Step => ({
        call: "PUT /api/option/",
        by: "session",
        body: { key, value },
        reads: SUCCESS,
      })),
      {
        call: "POST /api/channel/",
        by: "access",
        body: {
          mode: "single",
          channel: {
            name: "default-synced",
            type: 1,
            key: "sk-syncedsyncedsynced",
            base_url: "{base_url}",
            models: "sync-model",
            group: "default",
            priority: 10,
            weight: 1,
            status: 1,
            tag: "synced",
            remark: "by sync",
            model_mapping: "",
          },
        },
        reads: SUCCESS,
        keeps: ({ data }) => ({ channel: (data as number[])[0] }),
      },
      {
        call: "PUT /api/channel/",
        by: "access",
        body: {
          id: "{channel}",
          name: "default-synced",
          type: 1,
          key: "sk-syncedsyncedsyncee",
          base_url: "{base_url}",
          models: "sync-model,sync-picture",
          group: "default",
          priority: 11,
          weight: 1,
          status: 1,
          tag: "synced",
        },
        reads: SUCCESS,
      },
      { call: "DELETE /api/channel/{channel}", by: "access", reads: SUCCESS },
    ],
  },
  {
    tool: "LobeHub",
    source: "lobehub/lobe-chat packages/model-runtime/src/providers/newapi/index.ts",
    steps: [
      {
        call: "GET /v1/models",
        by: "key",
        headers: { "x-client": "LobeHub" },
        reads: {
          data: expect.arrayContaining([
            expect.objectContaining({ id: "gpt-4o", object: "model", supported_endpoint_types: ["openai"] }),
          ]) as unknown,
        },
      },
      // With the key of a token, which is no access token: the list is that of a visitor.
      {
        call: "GET /api/pricing",
        by: "key",
        reads: {
          success: true,
          data: expect.arrayContaining([
            expect.objectContaining({ model_name: "gpt-4o", quota_type: 0, model_ratio: 1.25, completion_ratio: 4 }),
          ]) as unknown,
        },
      },
    ],
  },
  {
    tool: "CC Switch",
    source: "farion1231/cc-switch src/components/UsageScriptModal.tsx, src-tauri/src/services/model_fetch.rs",
    steps: [
      {
        call: "GET /api/user/self",
        by: "access",
        headers: { "user-agent": "cc-switch/1.0", "content-type": "application/json" },
        reads: { success: true, data: { group: "default", quota: anyNumber, used_quota: anyNumber } },
      },
      { call: "GET /v1/models", by: "key", headers: { "user-agent": "cc-switch/1.0" }, reads: { data: anyList } },
    ],
  },
  {
    tool: "NextChat",
    source: "ChatGPTNextWeb/NextChat app/client/platforms/openai.ts, app/constant.ts",
    steps: [
      { call: "GET /v1/models", by: "key", reads: { data: anyList } },
      {
        call: "POST /v1/chat/completions",
        by: "key",
        body: ASKED,
        reads: { choices: [{ message: { content: "Hello" } }] },
      },
      {
        call: "GET /dashboard/billing/usage?start_date=2026-11-01&end_date=2026-11-26",
        by: "key",
        reads: { total_usage: anyNumber },
      },
      { call: "GET /dashboard/billing/subscription", by: "key", reads: { hard_limit_usd: anyNumber } },
      { call: "GET /v1/dashboard/billing/subscription", by: "key", reads: { hard_limit_usd: anyNumber } },
    ],
  },
  {
    tool: "newapi-monitor, its watch and its first start",
    source: "li0on3/newapi-monitor newapi_monitor.py, dashboard_setup.py, bootstrap_local.py, dashboard_key_usage.py",
    steps: [
      { call: "GET /api/setup", by: "anyone", reads: { data: { status: true } } },
      { call: "GET /api/user/token", by: "session", reads: SUCCESS, keeps: ({ data }) => ({ access: data }) },
      { call: "GET /api/channel/?page=1&page_size=1", by: "access", reads: page() },
      {
        call: "GET /api/channel/?p=1&page_size=100",
        by: "access",
        reads: page({ items: [{ id: anyNumber, status: 1 }], total: 1 }),
      },
      {
        call: "POST /api/token/",
        by: "access",
        body: {
          name: "monitor-probe",
          expired_time: -1,
          unlimited_quota: true,
          model_limits_enabled: false,
          model_limits: "",
          group: "default",
        },
        reads: SUCCESS,
      },
      {
        call: "GET /api/token/?page=1&page_size=100",
        by: "access",
        reads: page(),
        keeps: (body) => ({ probe: itemsOf(body).find(({ name }) => name === "monitor-probe")?.["id"] }),
      },
      { call: "POST /api/token/{probe}/key", by: "access", reads: { data: { key: expect.any(String) } } },
      {
        call: "GET /api/log/?type=2&start_timestamp={start}&end_timestamp={end}&p=1&page_size=100",
        by: "access",
        reads: page(),
      },
      {
        call: "GET /api/usage/token/",
        by: "key",
        reads: {
          code: true,
          data: {
            total_granted: anyNumber,
            total_used: anyNumber,
            total_available: anyNumber,
            model_limits: {},
            expires_at: 0,
          },
        },
      },
      { call: "GET /api/log/token", by: "key", reads: { success: true, data: anyList } },
    ],
  },
  {
    tool: "newapi-monitor, its console",
    source: "li0on3/newapi-monitor dashboard_newapi_console.py, dashboard_sso.py",
    steps: [
      { call: "GET /api/user/self", by: "session", reads: { data: { id: anyNumber, role: 100 } } },
      { call: "GET /api/user/models", by: "session", reads: { data: anyList } },
      {
        call: "GET /api/token/?p=1&page_size=20&keyword=&token=",
        by: "session",
        reads: page({
          page_size: 20,
          items: expect.arrayContaining([
            expect.objectContaining({ key: expect.any(String) as unknown, cross_group_retry: false }),
          ]) as unknown,
        }),
      },
      {
        call: "GET /api/log/self?type=2&start_timestamp={start}&end_timestamp={end}&p=1&page_size=1",
        by: "session",
        reads: page({ page_size: 1 }),
      },
      {
        call: "GET /api/log/stat?type=2&start_timestamp={start}&end_timestamp={end}&username=",
        by: "session",
        reads: { data: { quota: anyNumber, rpm: anyNumber, tpm: anyNumber } },
      },
      {
        call: "GET /api/data/?type=2&start_timestamp={start}&end_timestamp={end}&username=",
        by: "session",
        reads: { success: true, data: anyList },
      },
      ...["self", ""].map((whose): Step => ({
        call: `GET /api/data/flow${whose === "" ? "" : `/${whose}`}?start_timestamp={start}&end_timestamp={end}`,
        by: "session",
        reads: {
          success: true,
          data: [
            {
              token_id: anyNumber,
              use_group: "default",
              model_name: "gpt-4o",
              count: anyNumber,
              token_used: anyNumber,
            },
          ],
        },
      })),
      {
        call: "POST /api/token/",
        by: "session",
        body: { name: "short-lived", unlimited_quota: true, expired_time: -1 },
        keeps: ({ data }) => ({ shortLived: (data as Body)["id"] }),
      },
      {
        call: "POST /api/token/batch",
        by: "session",
        body: { ids: ["{shortLived}"] },
        reads: { success: true, data: 1 },
      },
    ],
  },
  {
    tool: "newapi-monitor (another of the name), which signs people in and reads an upstream's account",
    source:
      "yl0711-coder/newapi-monitor monitor/auth.go, monitor/channel_upstream.go, monitor/channel_upstream_usage.go",
    steps: [
      {
        call: "POST /api/user/login",
        by: "anyone",
        body: { username: "root", password: "correct horse 1" },
        reads: { success: true, data: { username: "root", display_name: expect.any(String), role: 100 } },
      },
      {
        call: "GET /api/status",
        by: "anyone",
        reads: { data: { system_name: expect.any(String), quota_per_unit: 500_000 } },
      },
      { call: "GET /api/user/self", by: "access", reads: { success: true, data: { quota: anyNumber } } },
      {
        call: "GET /api/log/?p=1&page_size=100&type=2&start_timestamp={start}&end_timestamp={end}",
        by: "access",
        reads: page({
          items: expect.arrayContaining([
            expect.objectContaining({ created_at: anyNumber, quota: 38, prompt_tokens: 10, completion_tokens: 5 }),
          ]) as unknown,
        }),
      },
      { call: "GET /api/pricing", by: "anyone", reads: { usable_group: { default: "Default group" } } },
    ],
  },
];
