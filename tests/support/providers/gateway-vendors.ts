/** Other gateways among the compatible vendors, and what they share with sites that serve every format: rows of vendors.ts. */
import type { CompatibleVendor, Counted } from "./compatible-vendor.ts";

/** Counts of which so many tokens were cached. */
export const cached = (
  details: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {},
): Counted => ({
  raw: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120, prompt_tokens_details: details, ...more },
  usage: { inputTokens: 100, outputTokens: 20, cacheReadTokens: 64 },
});

/** What sites that serve every format at the paths of its maker have alike. */
export const GATEWAY = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  anthropicMessages: "/v1/messages",
  completions: "/v1/completions",
  models: "/v1/models",
  efforts: ["none", "minimal", "low", "medium", "high", "xhigh"],
  streamUsage: "chunk_if_asked",
  takesTools: true,
  takesPictures: true,
} as const;

const { completions: _completions, ...WITHOUT_COMPLETIONS } = GATEWAY;

export const GATEWAY_VENDORS: readonly CompatibleVendor[] = [
  {
    name: "Sub2API",
    type: 59,
    ...WITHOUT_COMPLETIONS,
    model: "any-model",
    gemini: /^\/v1(?:beta)?\/models\//,
    embeddings: { path: "/v1/embeddings", model: "any-embedding" },
    images: { path: "/v1/images/generations", model: "any-picture" },
    besides: ["image_edits"],
    thinking: "reasoning_content",
    counted: cached({ cached_tokens: 64 }),
  },
  {
    name: "New API",
    type: 60,
    ...GATEWAY,
    model: "any-model",
    gemini: /^\/v1(?:beta)?\/models\//,
    embeddings: { path: "/v1/embeddings", model: "any-embedding" },
    images: { path: "/v1/images/generations", model: "any-picture" },
    rerank: { path: "/v1/rerank", model: "any-ranker" },
    audio: true,
    besides: ["image_edits", "image_variations", "moderations", "realtime", "videos"],
    thinking: "reasoning_content",
    counted: cached({ cached_tokens: 64 }),
  },
];
