/** A call of every kind of billing through the relay of charges.ts, for tests that compare ways to its charge. */
import type { Plan } from "../../fake-upstream/plan.ts";

/** One call, what the upstream answers, and what its receipt has to say. */
interface ChargeCase {
  name: string;
  path: string;
  body: object;
  plan: Plan;
  /** What the receipt says was used. */
  usage: Record<string, number>;
  /** More of the receipt. */
  receipt?: Record<string, unknown>;
}

const MESSAGES = [{ role: "user", content: "hello" }];
const CHAT_USAGE = {
  prompt_tokens: 1000,
  completion_tokens: 500,
  prompt_tokens_details: { cached_tokens: 400, audio_tokens: 50, image_tokens: 30 },
  completion_tokens_details: { reasoning_tokens: 100, audio_tokens: 60 },
};
const CHAT_COUNTS = {
  inputTokens: 1000,
  outputTokens: 500,
  cacheReadTokens: 400,
  audioInputTokens: 50,
  imageInputTokens: 30,
  reasoningTokens: 100,
  audioOutputTokens: 60,
};
const CLAUDE_USAGE = {
  input_tokens: 100,
  output_tokens: 200,
  cache_read_input_tokens: 1000,
  cache_creation_input_tokens: 700,
  cache_creation: { ephemeral_5m_input_tokens: 300, ephemeral_1h_input_tokens: 400 },
  server_tool_use: { web_search_requests: 3 },
};
const CLAUDE_COUNTS = {
  inputTokens: 1800,
  outputTokens: 200,
  cacheReadTokens: 1000,
  cacheWriteTokens: 300,
  cacheWriteLongTokens: 400,
};
const geminiUsage = (prompt: number) => ({
  promptTokenCount: prompt,
  candidatesTokenCount: 1400,
  thoughtsTokenCount: 33,
  totalTokenCount: prompt + 1433,
  cachedContentTokenCount: 500,
  promptTokensDetails: [
    { modality: "TEXT", tokenCount: prompt - 258 - 77 },
    { modality: "IMAGE", tokenCount: 258 },
    { modality: "AUDIO", tokenCount: 77 },
  ],
  candidatesTokensDetails: [
    { modality: "TEXT", tokenCount: 110 },
    { modality: "IMAGE", tokenCount: 1290 },
  ],
});
const geminiCounts = (prompt: number) => ({
  inputTokens: prompt,
  outputTokens: 1433,
  cacheReadTokens: 500,
  reasoningTokens: 33,
  imageInputTokens: 258,
  audioInputTokens: 77,
  imageOutputTokens: 1290,
});
const GEMINI_BODY = { contents: [{ role: "user", parts: [{ text: "hello" }] }] };
const SEARCHED = {
  id: "resp_1",
  object: "response",
  status: "completed",
  error: null,
  output: [
    { type: "file_search_call", id: "fs_1", status: "completed", queries: ["a"], results: null },
    { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "c" } },
    { type: "web_search_call", id: "ws_2", status: "completed", action: { type: "search", query: "d" } },
    {
      type: "message",
      id: "m",
      role: "assistant",
      content: [{ type: "output_text", text: "Found.", annotations: [] }],
    },
  ],
  usage: { input_tokens: 100, output_tokens: 10, input_tokens_details: { cached_tokens: 40 }, total_tokens: 110 },
};

const chat = (more: object = {}) => ({ model: "gpt-4o", messages: MESSAGES, ...more });
const claude = (more: object = {}) => ({ model: "claude-a", messages: MESSAGES, max_tokens: 100, ...more });

/** Every kind of billing, for the models of charges.ts. */
export const CHARGE_CASES: readonly ChargeCase[] = [
  {
    name: "chat by tokens, with cached, heard, seen and spoken parts",
    path: "/v1/chat/completions",
    body: chat(),
    plan: { usage: CHAT_USAGE },
    usage: CHAT_COUNTS,
    receipt: { price_version: 7, price_since: 1_750_000_000, audio: true, group_ratio: 0.333 },
  },
  {
    name: "the same streamed",
    path: "/v1/chat/completions",
    body: chat({ stream: true }),
    plan: { usage: CHAT_USAGE },
    usage: CHAT_COUNTS,
  },
  {
    name: "chat at a fixed price",
    path: "/v1/chat/completions",
    body: chat({ model: "gpt-4o-fixed" }),
    plan: { usage: CHAT_USAGE },
    usage: CHAT_COUNTS,
    receipt: { model_price: 0.0123 },
  },
  {
    name: "chat of a search model, one search a call",
    path: "/v1/chat/completions",
    body: chat({ model: "gpt-4o-search-preview", web_search_options: { search_context_size: "high" } }),
    plan: { usage: { prompt_tokens: 10, completion_tokens: 20 } },
    usage: { inputTokens: 10, outputTokens: 20 },
    receipt: { web_search_call_count: 1, web_search_price: 25 },
  },
  {
    name: "messages with both caches and searches",
    path: "/v1/messages",
    body: claude(),
    plan: { usage: CLAUDE_USAGE },
    usage: CLAUDE_COUNTS,
    receipt: { cache_creation_long_tokens: 400, web_search_call_count: 3, web_search_price: 10 },
  },
  {
    name: "messages answered in the USA alone and fast, with searches, whose price that does not change",
    path: "/v1/messages",
    body: claude({ inference_geo: "us" }),
    plan: { usage: { ...CLAUDE_USAGE, inference_geo: "us", speed: "fast" } },
    usage: CLAUDE_COUNTS,
    receipt: {
      model_ratio: 1.5,
      premiums: [
        { premium: "inference_geo_us", ratio: 1.1 },
        { premium: "speed_fast", ratio: 2 },
      ],
      web_search_price: 10,
    },
  },
  {
    name: "the same streamed to a client of another format",
    path: "/v1/chat/completions",
    body: chat({ model: "claude-a", stream: true }),
    plan: { usage: { ...CLAUDE_USAGE, inference_geo: "us" } },
    usage: CLAUDE_COUNTS,
    receipt: { model_ratio: 1.5, premiums: [{ premium: "inference_geo_us", ratio: 1.1 }] },
  },
  {
    name: "messages through an OpenAI client, streamed",
    path: "/v1/chat/completions",
    body: chat({ model: "claude-a", stream: true, stream_options: { include_usage: true } }),
    plan: { usage: CLAUDE_USAGE },
    usage: CLAUDE_COUNTS,
  },
  {
    name: "Gemini with pictures and sound, below the tier",
    path: "/v1beta/models/gemini-a:generateContent",
    body: GEMINI_BODY,
    plan: { usage: geminiUsage(200_000) },
    usage: geminiCounts(200_000),
    receipt: { image_output_ratio: 96, model_ratio: 0.625 },
  },
  {
    name: "Gemini above the tier",
    path: "/v1beta/models/gemini-a:generateContent",
    body: GEMINI_BODY,
    plan: { usage: geminiUsage(200_001) },
    usage: geminiCounts(200_001),
    receipt: { tier_above: 200_000, model_ratio: 1.25 },
  },
  {
    name: "Gemini's searches",
    path: "/v1beta/models/gemini-a:generateContent",
    body: GEMINI_BODY,
    plan: {
      rawBody: JSON.stringify({
        candidates: [
          {
            content: { role: "model", parts: [{ text: "x" }] },
            finishReason: "STOP",
            index: 0,
            groundingMetadata: { webSearchQueries: ["a", "b"] },
          },
        ],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 7, totalTokenCount: 16 },
      }),
    },
    usage: { inputTokens: 9, outputTokens: 7 },
    receipt: { web_search_call_count: 2, web_search_price: 14 },
  },
  {
    name: "responses with two tools",
    path: "/v1/responses",
    body: { model: "gpt-4o", input: "search", tools: [{ type: "web_search", search_context_size: "low" }] },
    plan: { rawBody: JSON.stringify(SEARCHED) },
    usage: { inputTokens: 100, outputTokens: 10, cacheReadTokens: 40 },
    receipt: { web_search_call_count: 2, web_search_price: 10, file_search_call_count: 1, file_search_price: 2.5 },
  },
  {
    name: "embeddings",
    path: "/v1/embeddings",
    body: { model: "text-embedding-3-small", input: "hello" },
    plan: { usage: { prompt_tokens: 12_345, total_tokens: 12_345 } },
    usage: { inputTokens: 12_345 },
  },
  {
    name: "moderations, which the upstream does not count",
    path: "/v1/moderations",
    body: { model: "text-moderation-stable", input: "is this bad? ".repeat(50) },
    plan: {},
    usage: { inputTokens: 209 },
    receipt: { estimated: true },
  },
  {
    name: "rerank by tokens",
    path: "/v1/rerank",
    body: { model: "rerank-1", query: "what", documents: ["one", "two"] },
    plan: { usage: { usage: { total_tokens: 321 } } },
    usage: { inputTokens: 321 },
  },
  {
    name: "rerank by search units",
    path: "/v1/rerank",
    body: { model: "rerank-fixed", query: "what", documents: ["one", "two"] },
    plan: { usage: { meta: { billed_units: { search_units: 3 }, tokens: { input_tokens: 77 } } } },
    usage: { inputTokens: 77 },
    receipt: { model_price: 0.002, call_factor: "3" },
  },
  {
    name: "pictures at a fixed price by size, quality and number",
    path: "/v1/images/generations",
    body: { model: "dall-e-3", prompt: "a lighthouse", size: "1792x1024", quality: "hd", n: 2 },
    plan: {},
    usage: { inputTokens: 2 },
    receipt: { model_price: 0.04, call_factor: "6" },
  },
  {
    name: "pictures by tokens, those that came out at a ratio of their own",
    path: "/v1/images/generations",
    body: { model: "gpt-image-1", prompt: "a lighthouse" },
    plan: {
      usage: {
        input_tokens: 50,
        output_tokens: 1100,
        input_tokens_details: { text_tokens: 10, image_tokens: 40, cached_tokens: 5 },
        output_tokens_details: { text_tokens: 44, image_tokens: 1056 },
      },
    },
    usage: {
      inputTokens: 50,
      outputTokens: 1100,
      cacheReadTokens: 5,
      imageInputTokens: 40,
      imageOutputTokens: 1056,
    },
    receipt: { image_output_ratio: 8, image_ratio: 2 },
  },
  {
    name: "pictures by tokens that nobody counted",
    path: "/v1/images/generations",
    body: { model: "imagen-a", prompt: "a lighthouse", n: 2 },
    plan: {},
    usage: { inputTokens: 516 },
    receipt: { estimated: true },
  },
  {
    name: "speech by characters",
    path: "/v1/audio/speech",
    body: { model: "tts-1", input: "héllo 🙂 世界", voice: "alloy" },
    plan: {},
    usage: { inputTokens: 10 },
  },
  {
    name: "speech by tokens",
    path: "/v1/audio/speech",
    body: { model: "gpt-4o-mini-tts", input: "hello", voice: "alloy", stream_format: "sse" },
    plan: {},
    usage: { inputTokens: 9, outputTokens: 120, audioOutputTokens: 120 },
    receipt: { audio_completion_ratio: 20 },
  },
];
