/** The channels of the demo: several vendors, spare accounts, a local server and a disabled one; the fake upstream answers for all. */
import { IMAGE_MODELS, SONG_MODELS } from "../../contract/src/tasks.ts";
import type { SeedChannel } from "./scenario.ts";

const OPENAI = ["gpt-5", "gpt-5-mini", "gpt-4.1", "gpt-4o-mini"];
const EMBEDDINGS = ["text-embedding-3-small", "text-embedding-3-large"];
const CLAUDE = ["claude-sonnet-4-5", "claude-haiku-4-5"];

export const DEMO_CHANNELS: readonly SeedChannel[] = [
  {
    name: "OpenAI team A",
    type: 1,
    models: [...OPENAI, ...EMBEDDINGS],
    groups: ["default", "vip"],
    priority: 10,
    weight: 3,
    costs: '{ "factor": 0.82 }',
    balance: { amount: 218.18, currency: "USD", hoursAgo: 1 },
    upstream: "fake",
  },
  {
    name: "OpenAI team B",
    type: 1,
    models: OPENAI,
    groups: ["default", "vip", "batch"],
    priority: 10,
    weight: 1,
    tag: "accounts",
    // A bad contract: one model costs more than it brings.
    costs: '{ "factor": 0.95, "models": { "gpt-4o-mini": { "input": 0.18, "output": 0.72, "cache_read": 0.09 } } }',
    balance: { amount: 6.4, currency: "USD", hoursAgo: 1 },
    upstream: "fake",
  },
  {
    name: "Anthropic main",
    type: 14,
    models: [...CLAUDE, "claude-opus-4-1"],
    groups: ["default", "vip"],
    priority: 10,
    costs: '{ "factor": 0.75 }',
    upstream: "fake",
  },
  {
    name: "Anthropic spare",
    type: 14,
    models: CLAUDE,
    groups: ["default", "vip", "batch"],
    priority: 5,
    tag: "accounts",
    upstream: "fake",
  },
  {
    name: "Gemini pool",
    type: 24,
    models: ["gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-image"],
    groups: ["default", "vip", "free"],
    keys: {
      count: 10,
      refused: {
        2: "status 403: Your API key was reported as leaked. Please use another API key.",
        5: "status 400: API key not valid. Please pass a valid API key.",
        8: "status 400: API key expired. Please renew the API key.",
      },
    },
    upstream: "fake",
  },
  {
    name: "DeepSeek",
    type: 43,
    models: ["deepseek-chat", "deepseek-reasoner"],
    groups: ["default", "vip", "free"],
    costs: '{ "models": { "deepseek-chat": { "input": 0.2, "output": 0.3, "cache_read": 0.02 } } }',
    balance: { amount: 418.27, currency: "CNY", hoursAgo: 1 },
    upstream: "fake",
  },
  {
    name: "Media",
    type: 1,
    models: ["dall-e-3", "gpt-4o-audio-preview", "gpt-4o-search-preview", "sora-2", "tts-1"],
    groups: ["default", "vip"],
    balance: {
      amount: -2.15,
      currency: "USD",
      hoursAgo: 30,
      failure: { status: 403, message: "This account has been closed." },
    },
    upstream: "fake",
  },
  {
    name: "Local models",
    type: 8,
    models: ["gpt-4o-mini", "qwen3-8b"],
    priority: 0,
    tag: "local",
    // Power and machines, shared out.
    costs:
      '{ "models": { "gpt-4o-mini": { "input": 0.02, "output": 0.06 }, "qwen3-8b": { "input": 0.01, "output": 0.03 } } }',
    upstream: "fake",
  },
  { name: "Retired reseller", type: 8, models: ["gpt-4.1"], upstream: "dead", isDisabled: true },
];

/** Where image tasks, songs and videos are made. */
export const TASK_CHANNELS: readonly SeedChannel[] = [
  {
    name: "Midjourney proxy",
    type: 2,
    models: Object.values(IMAGE_MODELS),
    groups: ["default", "vip"],
    upstream: "fake",
  },
  { name: "Suno", type: 36, models: Object.values(SONG_MODELS), groups: ["default", "vip"], upstream: "fake" },
];
