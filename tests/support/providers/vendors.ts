/** The compatible vendors as their documentation has them: where they are, what they refuse, how they answer and count. Pages: each provider's fixtures/source.txt. */
import type { Operation } from "../../../server/src/providers/provider.ts";

/** What a vendor's chat takes of a request; anything else is answered as its pages say. */
interface Taken {
  roles?: readonly string[];
  /** Top-level fields that it refuses, or that would be passed over although they mean something. */
  refuses?: readonly string[];
  /** Values of reasoning_effort; it refuses the field where there are none. */
  efforts?: readonly string[];
  /** What messages of a role may hold; anything where absent. */
  messages?: Readonly<Record<string, readonly string[]>>;
  /** How ids of calls look. */
  callId?: RegExp;
  /** Earlier calls need the thinking before them, unless the request switches it off where that is possible. */
  wantsThinking?: "always" | "unless_off";
}

interface Counted {
  raw: Readonly<Record<string, unknown>>;
  /** As the receipt has it. */
  usage: Readonly<Record<string, number>>;
}

export interface CompatibleVendor extends Taken {
  name: string;
  type: number;
  model: string;
  chat: string;
  /** Where it serves the format of Responses itself. */
  responses?: string;
  /** Where it serves the format of Messages itself. */
  anthropicMessages?: string;
  /** Operations that it has in words of its own, which tests of theirs hold. */
  besides?: readonly Operation[];
  /** Paths of other operations, with a model that has them. */
  embeddings?: { path: string; model: string; refuses?: readonly string[]; refusesBase64?: true };
  images?: { path: string; model: string; refuses?: readonly string[] };
  rerank?: { path: string; model: string };
  /** Field of the thinking; `parts` is a list of parts in the content. */
  thinking?: "reasoning_content" | "reasoning" | "parts";
  /** Where a stream has its usage, and whether it has to be asked for it. */
  streamUsage: "chunk_if_asked" | "in_last" | "in_choice";
  counted: Counted;
  takesTools: boolean;
  takesPictures: boolean;
  models?: string;
  completions?: string;
  /** Speech and both ways of listening, at OpenAI's paths. */
  audio?: true;
}

const ROLES = ["system", "user", "assistant", "tool"];

const cached = (details: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>> = {}): Counted => ({
  raw: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120, prompt_tokens_details: details, ...more },
  usage: { inputTokens: 100, outputTokens: 20, cacheReadTokens: 64 },
});
const plain: Counted = {
  raw: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  usage: { inputTokens: 100, outputTokens: 20 },
};

export const COMPATIBLE_VENDORS: readonly CompatibleVendor[] = [
  {
    name: "Alibaba",
    type: 17,
    model: "qwen3.8-max",
    chat: "/compatible-mode/v1/chat/completions",
    completions: "/compatible-mode/v1/completions",
    models: "/compatible-mode/v1/models",
    embeddings: { path: "/compatible-mode/v1/embeddings", model: "text-embedding-v4", refusesBase64: true },
    roles: ROLES,
    refuses: ["max_completion_tokens"],
    efforts: ["low", "medium", "high", "xhigh"],
    thinking: "reasoning_content",
    streamUsage: "chunk_if_asked",
    counted: cached({ cached_tokens: 64 }),
    takesTools: true,
    takesPictures: true,
  },
  {
    name: "OpenRouter",
    type: 20,
    model: "openrouter/auto",
    chat: "/v1/chat/completions",
    completions: "/v1/completions",
    models: "/v1/models",
    embeddings: { path: "/v1/embeddings", model: "qwen/qwen3-embedding-8b" },
    efforts: ["none", "minimal", "low", "medium", "high", "xhigh"],
    thinking: "reasoning",
    streamUsage: "chunk_if_asked",
    counted: cached({ cached_tokens: 64, cache_write_tokens: 0 }, { cost: 0.001 }),
    takesTools: true,
    takesPictures: true,
  },
  {
    name: "Moonshot",
    type: 25,
    model: "kimi-k3",
    chat: "/v1/chat/completions",
    models: "/v1/models",
    roles: ROLES,
    refuses: ["temperature", "top_p", "presence_penalty", "frequency_penalty"],
    efforts: ["low", "high", "max"],
    wantsThinking: "always",
    thinking: "reasoning_content",
    streamUsage: "in_choice",
    counted: {
      raw: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120, cached_tokens: 64 },
      usage: { inputTokens: 100, outputTokens: 20, cacheReadTokens: 64 },
    },
    takesTools: true,
    takesPictures: true,
  },
  {
    name: "Zhipu",
    type: 26,
    model: "glm-4.7",
    chat: "/api/paas/v4/chat/completions",
    models: "/api/paas/v4/models",
    embeddings: { path: "/api/paas/v4/embeddings", model: "embedding-3" },
    roles: ROLES,
    refuses: ["max_completion_tokens", "reasoning_effort"],
    thinking: "reasoning_content",
    streamUsage: "in_last",
    counted: cached({ cached_tokens: 64 }),
    takesTools: true,
    takesPictures: false,
  },
  {
    name: "Perplexity",
    type: 27,
    model: "sonar",
    chat: "/chat/completions",
    roles: ROLES,
    refuses: ["max_completion_tokens"],
    efforts: ["minimal", "low", "medium", "high"],
    streamUsage: "in_last",
    counted: { ...plain, raw: { ...plain.raw, search_context_size: "low", cost: { total_cost: 0.005 } } },
    takesTools: false,
    takesPictures: true,
  },
  {
    name: "SiliconFlow",
    type: 40,
    model: "zai-org/GLM-5.2",
    chat: "/v1/chat/completions",
    models: "/v1/models",
    embeddings: { path: "/v1/embeddings", model: "BAAI/bge-m3" },
    rerank: { path: "/v1/rerank", model: "BAAI/bge-reranker-v2-m3" },
    roles: ROLES,
    refuses: ["max_completion_tokens"],
    efforts: ["none", "low", "medium", "high", "max"],
    thinking: "reasoning_content",
    streamUsage: "in_last",
    counted: cached({ cached_tokens: 64 }),
    takesTools: true,
    takesPictures: false,
  },
  {
    name: "Mistral",
    type: 42,
    model: "mistral-medium-latest",
    chat: "/v1/chat/completions",
    models: "/v1/models",
    embeddings: { path: "/v1/embeddings", model: "mistral-embed", refuses: ["dimensions", "user"] },
    roles: ROLES,
    refuses: [
      "max_completion_tokens",
      "seed",
      "user",
      "stream_options",
      "store",
      "logprobs",
      "service_tier",
      "verbosity",
    ],
    efforts: ["none", "high"],
    messages: {
      system: ["role", "content"],
      user: ["role", "content"],
      assistant: ["role", "content", "tool_calls", "prefix"],
      tool: ["role", "content", "tool_call_id", "name"],
    },
    callId: /^[A-Za-z0-9]{9}$/,
    thinking: "parts",
    streamUsage: "in_last",
    counted: plain,
    takesTools: true,
    takesPictures: true,
  },
  {
    name: "DeepSeek",
    type: 43,
    model: "deepseek-flash",
    chat: "/v1/chat/completions",
    completions: "/beta/completions",
    models: "/v1/models",
    roles: ROLES,
    refuses: ["max_completion_tokens"],
    efforts: ["minimal", "low", "medium", "high", "xhigh", "max"],
    wantsThinking: "unless_off",
    thinking: "reasoning_content",
    streamUsage: "chunk_if_asked",
    counted: {
      raw: { ...plain.raw, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
      usage: { inputTokens: 100, outputTokens: 20, cacheReadTokens: 64 },
    },
    takesTools: true,
    takesPictures: true,
  },
  {
    name: "Volcano Ark",
    type: 45,
    model: "doubao-seed-2-1-pro-260628",
    chat: "/api/v3/chat/completions",
    models: "/api/v3/models",
    embeddings: { path: "/api/v3/embeddings", model: "doubao-embedding-large-text" },
    roles: ROLES,
    efforts: ["minimal", "low", "medium", "high"],
    thinking: "reasoning_content",
    streamUsage: "chunk_if_asked",
    counted: cached({ cached_tokens: 64 }, { completion_tokens_details: { reasoning_tokens: 0 } }),
    takesTools: true,
    takesPictures: true,
  },
  {
    name: "Qianfan",
    type: 46,
    model: "ernie-5.1",
    chat: "/v2/chat/completions",
    models: "/v2/models",
    embeddings: { path: "/v2/embeddings", model: "bge-large-zh", refusesBase64: true },
    roles: ROLES,
    efforts: ["low", "medium", "high"],
    thinking: "reasoning_content",
    streamUsage: "chunk_if_asked",
    counted: cached({ cached_tokens: 64 }),
    takesTools: true,
    takesPictures: true,
  },
  {
    name: "Xinference",
    type: 47,
    model: "qwen3",
    chat: "/v1/chat/completions",
    completions: "/v1/completions",
    audio: true,
    models: "/v1/models",
    embeddings: { path: "/v1/embeddings", model: "bge-m3" },
    images: { path: "/v1/images/generations", model: "sd3-medium" },
    rerank: { path: "/v1/rerank", model: "bge-reranker-v2-m3" },
    refuses: ["max_completion_tokens"],
    efforts: ["none", "low", "medium", "high"],
    thinking: "reasoning_content",
    streamUsage: "chunk_if_asked",
    counted: plain,
    takesTools: true,
    takesPictures: true,
  },
  {
    name: "xAI",
    type: 48,
    model: "grok-4.7",
    chat: "/v1/chat/completions",
    responses: "/v1/responses",
    models: "/v1/models",
    images: { path: "/v1/images/generations", model: "grok-imagine-image-2.0", refuses: ["size", "quality", "style"] },
    refuses: ["presence_penalty", "frequency_penalty"],
    efforts: ["low", "medium", "high", "xhigh"],
    thinking: "reasoning_content",
    streamUsage: "chunk_if_asked",
    counted: {
      raw: {
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 150,
        prompt_tokens_details: { cached_tokens: 64 },
        completion_tokens_details: { reasoning_tokens: 30 },
      },
      usage: { inputTokens: 100, outputTokens: 50, cacheReadTokens: 64, reasoningTokens: 30 },
    },
    takesTools: true,
    takesPictures: true,
  },
  {
    name: "Hunyuan with an API key",
    type: 23,
    model: "hunyuan-turbos-latest",
    chat: "/v1/chat/completions",
    embeddings: { path: "/v1/embeddings", model: "hunyuan-embedding" },
    roles: ROLES,
    refuses: ["max_completion_tokens"],
    thinking: "reasoning_content",
    streamUsage: "chunk_if_asked",
    counted: plain,
    takesTools: true,
    takesPictures: true,
  },
  {
    name: "Spark with a password",
    type: 18,
    model: "4.0Ultra",
    chat: "/v1/chat/completions",
    roles: ROLES,
    refuses: ["max_completion_tokens"],
    thinking: "reasoning_content",
    streamUsage: "in_last",
    counted: plain,
    takesTools: true,
    takesPictures: false,
  },
  {
    name: "Zhipu under its old type",
    type: 16,
    model: "glm-4.7",
    chat: "/api/paas/v4/chat/completions",
    models: "/api/paas/v4/models",
    embeddings: { path: "/api/paas/v4/embeddings", model: "embedding-3" },
    roles: ROLES,
    refuses: ["max_completion_tokens", "reasoning_effort"],
    thinking: "reasoning_content",
    streamUsage: "in_last",
    counted: cached({ cached_tokens: 64 }),
    takesTools: true,
    takesPictures: false,
  },
  {
    name: "MiniMax",
    type: 35,
    model: "MiniMax-M3",
    chat: "/v1/chat/completions",
    responses: "/v1/responses",
    anthropicMessages: "/anthropic/v1/messages",
    models: "/v1/models",
    besides: ["speech"],
    roles: ROLES,
    thinking: "reasoning_content",
    streamUsage: "chunk_if_asked",
    counted: plain,
    takesTools: true,
    takesPictures: true,
  },
  {
    name: "01.AI",
    type: 31,
    model: "yi-vision-v2",
    chat: "/v1/chat/completions",
    models: "/v1/models",
    roles: ROLES,
    refuses: ["max_completion_tokens"],
    streamUsage: "chunk_if_asked",
    counted: plain,
    takesTools: true,
    takesPictures: true,
  },
  {
    name: "360",
    type: 19,
    model: "360gpt2-pro",
    chat: "/v1/chat/completions",
    models: "/v1/models",
    embeddings: { path: "/v1/embeddings", model: "embedding_s1_v1" },
    roles: ROLES,
    refuses: ["max_completion_tokens"],
    streamUsage: "chunk_if_asked",
    counted: plain,
    takesTools: true,
    takesPictures: false,
  },
];
