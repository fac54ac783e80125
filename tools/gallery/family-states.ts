/** Features that consoles of this API family share: overrides and headers of channels, watched models, other gateways, check-in, codes to scan, cards, prices of other sites, own groups of tokens. */
import type { GatewayInfo } from "../../contract/src/channels/gateway.ts";
import type { ModelWatch } from "../../contract/src/channels/model-watch.ts";
import type { ChannelRow } from "../../contract/src/features/channels.ts";
import type { CheckinStatus } from "../../contract/src/features/wallet.ts";
import type { SitesComparison } from "../../contract/src/pricing/site-prices.ts";
import type { GalleryPage, Step, StubbedAnswer } from "./gallery-page.ts";
import { site } from "./people-states.ts";

const CHANNEL: ChannelRow = {
  id: 1,
  type: 1,
  name: "main",
  status: 1,
  key_first: "sk-abc",
  key_last: "9QAA",
  key_choice: "one",
  key_count: 1,
  enabled_key_count: 1,
  key_set_time: 100,
  base_url: "",
  other: "",
  models: "gpt-4o,gpt-4o-mini",
  group: "default",
  model_mapping: "",
  status_code_mapping: "",
  param_override: "",
  settings: "",
  header_override: "",
  remark: "",
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
  balance_currency: "USD",
  balance_failure: null,
  balance_updated_time: 0,
  new_models: 0,
  vanished_models: 0,
  used_quota: 0,
  cooling_until_ms: 0,
  other_info: "",
  created_time: 1,
  revision: 1,
};

const OVERRIDE = {
  seed: 7,
  operations: [
    {
      mode: "set",
      path: "temperature",
      value: 0.2,
      conditions: [
        { path: "model", mode: "prefix", value: "gpt-4" },
        { path: "stream", mode: "full", value: true, invert: true },
      ],
      logic: "AND",
    },
    { mode: "regex_replace", path: "messages.-1.content", from: "(?i)internal-(\\w+)", to: "$1" },
    { mode: "pass_headers", value: ["x-trace-id", "x-session-of-a-rather-long-name"] },
    { mode: "return_error", value: { message: "Not served here.", status_code: 403, code: "blocked" } },
  ],
};

const channel = (change: Partial<ChannelRow>): StubbedAnswer => ({
  url: "**/api/channel/1",
  answer: { data: { ...CHANNEL, ...change } },
});

const OVERRIDDEN = channel({
  param_override: JSON.stringify(OVERRIDE),
  header_override: '{"X-Team":"***","User-Agent":"***","X-Trace":"{client_header:X-Trace}"}',
  setting: '{"system_prompt":"Answer in English.","http_protocol":"http2","first_byte_timeout_stream_seconds":600}',
  settings: '{"allow_speed":true,"disable_store":true}',
  remark: "The contract ends in March; ask Lin before raising the limit.",
});

const WATCH: ModelWatch = {
  check_enabled: true,
  auto_sync_enabled: false,
  ignored_models: ["regex:^text-"],
  add_models: [
    "gpt-5.2",
    "gpt-5.2-mini",
    "gpt-realtime-2",
    "a-model-with-a-name-as-long-as-vendors-give-them-2026-11-01",
  ],
  remove_models: ["gpt-4o-mini"],
  last_check_time: 1_795_000_000,
  failure: "",
};

const GATEWAY: GatewayInfo = {
  system_name: "Another gateway",
  groups: [
    { name: "default", description: "Everybody", ratio: 1, models: 212 },
    { name: "vip", description: "Customers with a contract", ratio: 0.8, models: 240 },
    { name: "hidden", description: "", ratio: null, models: 3 },
  ],
  models: [
    { model_name: "gpt-4.1", quota_type: 0, model_ratio: 1, completion_ratio: 4, model_price: 0 },
    { model_name: "flux-1.1-pro", quota_type: 1, model_ratio: 0, completion_ratio: 0, model_price: 0.04 },
  ],
  model_count: 240,
};

const FORM: readonly Step[] = [{ wait: '[role="dialog"] [data-field="models"]' }];
const inForm = (selector: string): Step => ({ scrollTo: `[role="dialog"] ${selector}` });

const CHANNELS: readonly GalleryPage[] = [
  {
    name: "channel-override",
    path: "/channel/edit/1",
    as: "root",
    answers: [OVERRIDDEN],
    steps: [...FORM, inForm("fieldset:has(textarea) li")],
  },
  {
    name: "channel-override-preview",
    path: "/channel/edit/1",
    as: "root",
    answers: [
      OVERRIDDEN,
      {
        url: "**/api/channel/override/preview",
        answer: {
          data: {
            body: '{\n  "model": "gpt-4o",\n  "temperature": 0.2,\n  "seed": 7\n}',
            headers: { "x-trace-id": "t-1" },
            applied: ["set temperature", "pass_headers x-trace-id"],
            refusal: null,
            fault: null,
          },
        },
      },
    ],
    steps: [
      ...FORM,
      { click: '[role="dialog"] button:has(:text-matches("^(Preview|预览)$"))' },
      { wait: '[role="dialog"] section pre' },
      inForm("section pre"),
    ],
  },
  {
    name: "channel-requests",
    path: "/channel/edit/1",
    as: "root",
    answers: [OVERRIDDEN],
    steps: [...FORM, inForm('label:text-matches("HTTP")')],
  },
  {
    name: "channel-watch",
    path: "/channel/edit/1",
    as: "root",
    answers: [
      channel({
        new_models: 4,
        vanished_models: 1,
        settings: '{"upstream_model_update_check_enabled":true}',
      }),
      { url: "**/api/channel/1/upstream_models", answer: { data: WATCH } },
    ],
    steps: [...FORM, inForm('[role="group"]:has(input[type="checkbox"])')],
  },
  {
    name: "channel-gateway",
    path: "/channel/edit/1",
    as: "root",
    answers: [
      channel({ type: 60, base_url: "https://gateway.example" }),
      { url: "**/api/channel/gateway", answer: { data: GATEWAY } },
    ],
    steps: [
      ...FORM,
      { click: '[role="dialog"] button:text-matches("groups and prices|分组.*价格", "i")' },
      { click: '[role="dialog"] details summary' },
    ],
  },
  {
    name: "channel-stored",
    path: "/channel/edit/1",
    as: "root",
    answers: [
      channel({ type: 4, base_url: "http://ollama:11434", models: "qwen3:8b" }),
      {
        url: "**/api/channel/fetch_models/1",
        answer: { data: ["embeddinggemma:latest", "qwen3:8b", "registry.example/team/a-rather-long-name:70b-q4_K_M"] },
      },
      { url: "**/api/channel/1/stored_models/pull", answer: "never" },
    ],
    steps: [
      ...FORM,
      { focus: '[role="dialog"] input[placeholder="qwen3:8b"]' },
      { type: "llama3.3:70b" },
      { click: '[role="dialog"] fieldset:not(:has(fieldset)):has(input[placeholder="qwen3:8b"]) button' },
    ],
  },
  {
    name: "channel-lists",
    path: "/channel/edit/1",
    as: "root",
    answers: [
      channel({}),
      {
        url: "**/api/prefill_group*",
        answer: {
          data: [
            { id: 1, name: "Chat", type: "model", items: ["gpt-4o", "o3"], description: "" },
            {
              id: 2,
              name: "Pictures and films of every vendor that we have",
              type: "model",
              items: ["veo-3"],
              description: "",
            },
          ],
        },
      },
    ],
    steps: [...FORM, { click: '[role="dialog"] button:text-matches("^(Saved lists|常用列表)$")' }],
  },
];

const DAY = (day: string, quota_awarded: number) => ({ checkin_date: day, quota_awarded });
const CHECKIN: CheckinStatus = {
  enabled: true,
  min_quota: 5_000,
  max_quota: 25_000,
  stats: {
    total_quota: 310_000,
    total_checkins: 21,
    checkin_count: 3,
    checked_in_today: false,
    records: [DAY("2026-11-27", 12_000), DAY("2026-11-26", 5_000), DAY("2026-11-24", 25_000)],
  },
  today: "2026-11-28",
  time_zone: "Asia/Shanghai",
};

const CARDS: Parameters<typeof site>[0] = {
  announcements_enabled: true,
  announcements: [
    { content: "**Claude** is slow today.", publishDate: "2026-11-28T08:00:00Z", type: "warning", extra: "" },
    {
      content: "New models of OpenAI are here.",
      publishDate: "2026-11-20T08:00:00Z",
      type: "success",
      extra: "See the price list.",
    },
  ],
  faq_enabled: true,
  faq: [
    { question: "How do I get an invoice?", answer: "Write to billing@example.com." },
    { question: "Which address do I use in mainland China?", answer: "The second one above." },
  ],
  api_info_enabled: true,
  api_info: [
    { url: "https://api.example.com/v1", route: "Main", description: "All models", color: "green" },
    { url: "https://a-second-address-of-this-gateway.example.net/v1", route: "Asia", description: "", color: "blue" },
  ],
};

const COMPARISON: SitesComparison = {
  sites: [
    { name: "gateway.example", address: "https://gateway.example/api/pricing", failure: "", models: 212, refused: 3 },
    {
      name: "away.example",
      address: "https://away.example/api/pricing",
      failure: "not_answered",
      models: 0,
      refused: 0,
    },
  ],
  lines: [],
  line_count: 0,
};

const SITES: readonly GalleryPage[] = [
  {
    name: "wallet-checkin",
    path: "/topup",
    as: "user",
    answers: [site({ checkin_enabled: true }), { url: "**/api/user/checkin*", answer: { data: CHECKIN } }],
    steps: [{ scrollTo: "main button:has(.tabler-icon-calendar-check)" }],
  },
  {
    name: "dashboard-cards",
    path: "/detail",
    as: "user",
    answers: [site(CARDS)],
    steps: [{ scrollTo: "#dashboard-announcements" }],
  },
  {
    name: "prices-sites",
    path: "/prices?tab=sites",
    as: "root",
    answers: [{ url: "**/api/prices/sites/compare", answer: { data: COMPARISON } }],
    steps: [
      { click: "main textarea" },
      { type: "https://gateway.example" },
      { click: 'main form button[type="submit"]' },
      { wait: "main form ~ * li, main li" },
    ],
  },
  {
    name: "token-groups",
    path: "/token?open=create",
    as: "root",
    answers: [
      site({ default_use_auto_group: true }),
      {
        url: "**/api/user/self/groups*",
        answer: {
          data: {
            default: { ratio: 1, desc: "Everybody" },
            vip: { ratio: 0.8, desc: "Customers with a contract" },
            auto: { ratio: 1, desc: "The first group that serves the model" },
          },
        },
      },
    ],
    steps: [{ wait: '[role="dialog"] input' }],
  },
  {
    name: "setting-affinity",
    path: "/setting?option=channel_affinity_setting.rules",
    as: "root",
    steps: [{ wait: '[data-option="channel_affinity_setting.rules"] .cm-content' }, { pauseMs: 500 }],
  },
  {
    name: "setting-lark",
    path: "/setting?tab=system&section=lark",
    as: "root",
    steps: [{ wait: '[data-option="LarkClientId"] input' }],
  },
  { name: "setting-announcements", path: "/setting?tab=other&section=announcements", as: "root" },
];

export const FAMILY_STATES: readonly GalleryPage[] = [...CHANNELS, ...SITES];
