/** The scenarios as data: users, channels, tokens and how much was used. */
import { DEMO_CHANNELS, TASK_CHANNELS } from "./demo-channels.ts";
import { DEMO_TASKS } from "./demo-tasks.ts";
import type { SeedCodes } from "./codes.ts";
import type { SeedOrder } from "./orders.ts";
import type { Scenario, SeedChannel, SeedPerson, SeedToken } from "./scenario.ts";

export type ScenarioName = "empty" | "busy-day" | "many-channels" | "broken-upstream" | "demo" | "busy-month";

const DOLLAR = 500_000;
const CHAT = ["gpt-4o-mini", "gpt-4o", "gpt-4.1", "gpt-4.1-mini", "o4-mini"];
const EMBEDDINGS = ["text-embedding-3-small", "text-embedding-3-large"];

const PEOPLE: readonly SeedPerson[] = [
  {
    username: "ada",
    displayName: "Ada",
    role: 10,
    group: "default",
    quota: 400 * DOLLAR,
    tokens: [
      { name: "notebook" },
      { name: "nightly evaluation", quota: 60 * DOLLAR, models: ["gpt-4o-mini", "gpt-4.1-mini"] },
    ],
  },
  {
    username: "lin",
    displayName: "林晓",
    role: 1,
    group: "default",
    quota: 250 * DOLLAR,
    tokens: [{ name: "编辑器" }, { name: "客服机器人", quota: 80 * DOLLAR, addresses: ["127.0.0.1", "10.0.0.0/8"] }],
  },
  {
    username: "marco",
    displayName: "Marco",
    role: 1,
    group: "default",
    quota: 120 * DOLLAR,
    tokens: [
      { name: "command line", expiresInDays: 30 },
      { name: "old laptop", isDisabled: true },
    ],
  },
  {
    username: "search-service",
    displayName: "Search service",
    role: 1,
    group: "default",
    quota: 90 * DOLLAR,
    tokens: [{ name: "indexer", models: EMBEDDINGS }],
  },
];

/** The same team with every kind of user an administrator may meet: invited, bound to other sites, disabled, gone. */
const DEMO_PEOPLE: readonly SeedPerson[] = [
  ...PEOPLE,
  {
    username: "grace",
    displayName: "Grace",
    role: 1,
    group: "default",
    quota: 30 * DOLLAR,
    tokens: [{ name: "agent" }],
    invitedBy: "lin",
    email: "grace@example.org",
    bound: { github: "583231", telegram: "70221" },
  },
  {
    username: "陈默",
    displayName: "陈默（设计部）",
    role: 1,
    group: "default",
    quota: 15 * DOLLAR,
    tokens: [{ name: "插件" }],
    invitedBy: "lin",
    bound: { wechat: "o6_bmjrPTlm6_2sgVt7hMZOPfL2M", oidc: "chen.mo@id.example.org" },
  },
  {
    username: "leaky-bot",
    displayName: "Leaky bot",
    role: 1,
    group: "default",
    quota: 5 * DOLLAR,
    tokens: [{ name: "published by mistake" }],
    end: "disable",
  },
  {
    username: "former",
    displayName: "Former colleague",
    role: 1,
    group: "default",
    quota: 20 * DOLLAR,
    tokens: [{ name: "thesis" }],
    end: "delete",
  },
];

const ADMIN_TOKENS: readonly SeedToken[] = [
  { name: "main" },
  { name: "trial", quota: 5 * DOLLAR, expiresInDays: 7 },
  { name: "shared screen", quota: 20 * DOLLAR, isDisabled: true },
];

const CHANNELS: readonly SeedChannel[] = [
  { name: "Primary", type: 1, models: [...CHAT, ...EMBEDDINGS], priority: 10, weight: 3, upstream: "fake" },
  { name: "Second account", type: 1, models: CHAT, priority: 10, weight: 1, tag: "accounts", upstream: "fake" },
  { name: "Local models", type: 8, models: ["gpt-4o-mini", "qwen3-8b"], priority: 0, tag: "local", upstream: "fake" },
  { name: "Retired reseller", type: 8, models: ["gpt-4o"], upstream: "dead", isDisabled: true },
];

/** 240 channels of eight regions, in three priorities, every ninth one off. */
const MANY_CHANNELS: readonly SeedChannel[] = Array.from({ length: 240 }, (_, index) => ({
  name: `Region ${String.fromCharCode(65 + (index % 8))} account ${Math.floor(index / 8) + 1}`,
  type: index % 3 === 0 ? 8 : 1,
  models: index % 4 === 0 ? [...CHAT, ...EMBEDDINGS] : CHAT.slice(index % 3),
  priority: (index % 3) * 10,
  weight: 1 + (index % 5),
  tag: `region-${String.fromCharCode(97 + (index % 8))}`,
  upstream: index % 7 === 6 ? "dead" : "fake",
  isDisabled: index % 9 === 8,
}));

const BROKEN_CHANNELS: readonly SeedChannel[] = [
  { name: "Unreachable", type: 8, models: CHAT, priority: 10, upstream: "dead" },
  { name: "Also unreachable", type: 1, models: CHAT, priority: 5, upstream: "dead" },
  { name: "The one that works", type: 1, models: ["gpt-4o-mini"], priority: 0, upstream: "fake" },
];

/** Twelve services with three unlimited tokens each, and balances that last for millions of calls. */
const SERVICES: readonly SeedPerson[] = Array.from({ length: 12 }, (_, index) => ({
  username: `service-${String(index + 1).padStart(2, "0")}`,
  displayName: `Service ${index + 1}`,
  role: 1,
  group: "default",
  quota: 200_000 * DOLLAR,
  tokens: ["web", "batch", "试用"].map((name) => ({ name: `${name} ${index + 1}` })),
}));

/** Codes in every state: handed out and used, switched off, and still to be given away. */
const CODES: readonly SeedCodes[] = [
  { name: "Welcome pack", quota: 5 * DOLLAR, count: 6, daysAgo: 24, usedBy: ["lin", "marco"], disabled: 1 },
  { name: "春季活动", quota: 20 * DOLLAR, count: 8, daysAgo: 11, usedBy: ["lin", "search-service", "ada"] },
  { name: "$50.00", quota: 50 * DOLLAR, count: 3, daysAgo: 2 },
];

/** Orders in every state. */
const ORDERS: readonly SeedOrder[] = [
  { buyer: "lin", method: "zfb", units: 50, money: 36_500, currency: "CNY", hoursAgo: 460, status: "paid" },
  { buyer: "marco", method: "stripe", units: 100, money: 10_000, currency: "USD", hoursAgo: 300, status: "paid" },
  { buyer: "lin", method: "wx", units: 10, money: 7_300, currency: "CNY", hoursAgo: 130, status: "ended" },
  { buyer: "lin", method: "stripe", units: 20, money: 2_000, currency: "USD", hoursAgo: 131, status: "cancelled" },
  { buyer: "lin", method: "wx", units: 20, money: 14_600, currency: "CNY", hoursAgo: 129, status: "paid" },
  {
    buyer: "search-service",
    method: "stripe",
    units: 500,
    money: 50_000,
    currency: "USD",
    hoursAgo: 54,
    status: "paid",
  },
  { buyer: "marco", method: "stripe", units: 5, money: 500, currency: "USD", hoursAgo: 300, status: "uncredited" },
  {
    buyer: "marco",
    method: "stripe",
    units: 40,
    money: 4_000,
    currency: "USD",
    hoursAgo: 250,
    status: "paid",
    reports: [{ kind: "refund", reference: "re_demo_marco_1", status: "done", amountMinor: 4_000, hoursAgo: 226 }],
  },
  {
    buyer: "search-service",
    method: "stripe",
    units: 60,
    money: 6_000,
    currency: "USD",
    hoursAgo: 200,
    status: "paid",
    reports: [
      { kind: "refund", reference: "re_demo_search_1", status: "pending", amountMinor: 2_000, hoursAgo: 190 },
      { kind: "refund", reference: "re_demo_search_1", status: "failed", amountMinor: 2_000, hoursAgo: 166 },
      { kind: "refund", reference: "re_demo_search_2", status: "done", amountMinor: 1_500, hoursAgo: 160 },
    ],
  },
  {
    buyer: "marco",
    method: "stripe",
    units: 25,
    money: 2_500,
    currency: "USD",
    hoursAgo: 90,
    status: "paid",
    reports: [
      { kind: "dispute", reference: "dp_demo_marco_1", status: "inquiry", amountMinor: 2_500, hoursAgo: 70 },
      { kind: "dispute", reference: "dp_demo_marco_1", status: "open", amountMinor: 2_500, hoursAgo: 46 },
    ],
  },
  { buyer: "marco", method: "stripe", units: 10, money: 1_000, currency: "USD", hoursAgo: 31, status: "failed" },
  { buyer: "lin", method: "zfb", units: 100, money: 73_000, currency: "CNY", hoursAgo: 2, status: "pending" },
];

const USED = { days: 30, callsPerDay: 80, failureShare: 0.02 };

export const SCENARIOS: Readonly<Record<ScenarioName, Scenario>> = {
  empty: {
    about: "an administrator and nothing else",
    people: [],
    adminTokens: [],
    channels: [],
    days: 0,
    callsPerDay: 0,
    failureShare: 0,
  },
  "busy-day": {
    about: "one day of 6,000 calls",
    people: PEOPLE,
    adminTokens: ADMIN_TOKENS,
    channels: [...CHANNELS, ...TASK_CHANNELS],
    tasks: DEMO_TASKS,
    codes: CODES,
    orders: ORDERS,
    days: 1,
    callsPerDay: 6_000,
    failureShare: 0.03,
  },
  "many-channels": {
    about: "240 channels with tags and priorities",
    people: PEOPLE,
    adminTokens: ADMIN_TOKENS,
    channels: MANY_CHANNELS,
    ...USED,
  },
  "broken-upstream": {
    about: "two channels that never answer before one that does",
    people: PEOPLE,
    adminTokens: ADMIN_TOKENS,
    channels: BROKEN_CHANNELS,
    days: 3,
    callsPerDay: 80,
    failureShare: 0.5,
  },
  demo: {
    about: "a small team, several vendors and 30 days of usage",
    people: DEMO_PEOPLE,
    adminTokens: ADMIN_TOKENS,
    channels: [...DEMO_CHANNELS, ...TASK_CHANNELS],
    codes: CODES,
    orders: ORDERS,
    ...USED,
    tasks: DEMO_TASKS,
    incidents: [
      { channel: "Anthropic main", reason: "401 invalid x-api-key", hoursAgo: 52, minutes: 38 },
      { channel: "OpenAI team B", reason: "429 You exceeded your current quota", hoursAgo: 9, minutes: 25 },
    ],
  },
  "busy-month": {
    about: "30 days of 5,000,000 calls, or of as many as --rows says; on SQLite and PostgreSQL",
    people: SERVICES,
    adminTokens: [{ name: "main" }],
    channels: CHANNELS,
    // Its usage is loaded in bulk after this (bulk-month.ts).
    days: 0,
    callsPerDay: 0,
    failureShare: 0.03,
  },
};
