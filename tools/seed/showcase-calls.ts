/** Calls that show everything a receipt can hold, as data: the request to the gateway and the upstream's answer to each attempt. */
import type { Plan } from "../../tests/fake-upstream/plan.ts";

export interface ShowcaseCall {
  /** Stands in the prompt, so that the upstream knows which call it answers. */
  marker: string;
  path: string;
  model: string;
  /** Fields of the body beside model and prompt. */
  fields?: Readonly<Record<string, unknown>>;
  /** One for each attempt, in order; the last stands for all that follow. */
  plans: readonly Plan[];
  /** The client goes away after so many ms. */
  leavesAfterMs?: number;
}

const STREAMED = { text: "A demonstration answer, word by word. ".repeat(12), chunks: 40, chunkDelayMs: 40 };
const BUSY: Plan = { status: 429, error: { message: "Number of requests has exceeded your rate limit" } };

/** Those that put a channel into cooldown come first: receipts of later ones say that it was skipped. */
export const FIRST_CALLS: readonly ShowcaseCall[] = [
  {
    marker: "retried",
    path: "/v1/messages",
    model: "claude-sonnet-4-5",
    fields: { stream: true, max_tokens: 4096 },
    plans: [
      { ...BUSY, headerDelayMs: 320 },
      {
        ...STREAMED,
        headerDelayMs: 700,
        usage: { input_tokens: 2184, cache_read_input_tokens: 18_432, output_tokens: 1236, service_tier: "standard" },
      },
    ],
  },
  {
    marker: "refused everywhere",
    path: "/v1/chat/completions",
    model: "deepseek-reasoner",
    plans: [{ ...BUSY, headerDelayMs: 240 }],
  },
];

export const CALLS: readonly ShowcaseCall[] = [
  {
    marker: "cache for an hour and searches",
    path: "/v1/messages",
    model: "claude-haiku-4-5",
    fields: { max_tokens: 4096, stream: true },
    plans: [
      {
        ...STREAMED,
        headerDelayMs: 420,
        usage: {
          input_tokens: 512,
          cache_read_input_tokens: 9216,
          cache_creation_input_tokens: 14_200,
          cache_creation: { ephemeral_5m_input_tokens: 6200, ephemeral_1h_input_tokens: 8000 },
          output_tokens: 640,
          server_tool_use: { web_search_requests: 3 },
        },
      },
    ],
  },
  {
    marker: "a long context",
    path: "/v1/messages",
    model: "claude-sonnet-4-5",
    fields: { max_tokens: 4096 },
    plans: [{ headerDelayMs: 1400, usage: { input_tokens: 214_300, output_tokens: 2048 } }],
  },
  {
    marker: "speech in and out",
    path: "/v1/chat/completions",
    model: "gpt-4o-audio-preview",
    plans: [
      {
        headerDelayMs: 900,
        usage: {
          prompt_tokens: 620,
          completion_tokens: 840,
          total_tokens: 1460,
          prompt_tokens_details: { audio_tokens: 480, cached_tokens: 0 },
          completion_tokens_details: { audio_tokens: 760 },
        },
      },
    ],
  },
  {
    marker: "a picture by its tokens",
    path: "/v1beta/models/gemini-2.5-flash-image:generateContent",
    model: "gemini-2.5-flash-image",
    plans: [
      {
        headerDelayMs: 1200,
        usage: {
          promptTokenCount: 318,
          candidatesTokenCount: 1302,
          totalTokenCount: 1620,
          promptTokensDetails: [
            { modality: "TEXT", tokenCount: 60 },
            { modality: "IMAGE", tokenCount: 258 },
          ],
          candidatesTokensDetails: [
            { modality: "TEXT", tokenCount: 12 },
            { modality: "IMAGE", tokenCount: 1290 },
          ],
        },
      },
    ],
  },
  {
    marker: "a wide picture at a fixed price",
    path: "/v1/images/generations",
    model: "dall-e-3",
    fields: { size: "1792x1024", quality: "hd", n: 1 },
    plans: [{ headerDelayMs: 1500 }],
  },
  {
    marker: "one search",
    path: "/v1/chat/completions",
    model: "gpt-4o-search-preview",
    plans: [{ headerDelayMs: 700, usage: { prompt_tokens: 48, completion_tokens: 412, total_tokens: 460 } }],
  },
  {
    marker: "the client leaves",
    path: "/v1/chat/completions",
    model: "gpt-5",
    fields: { stream: true },
    plans: [{ ...STREAMED, headerDelayMs: 300 }],
    leavesAfterMs: 1100,
  },
  {
    marker: "no usage is sent",
    path: "/v1/chat/completions",
    model: "gpt-4.1",
    fields: { stream: true },
    plans: [{ ...STREAMED, chunks: 20, headerDelayMs: 350, usage: null }],
  },
];
