/** The kind of a model by its name, with names of today's vendors. */
import { expect, test } from "vitest";
import { type ModelKind, modelKind } from "./model-kind.ts";

const NAMES: Readonly<Record<ModelKind, string>> = {
  chat: "gpt-5 claude-sonnet-4-5 gemini-2.5-pro deepseek-chat o3-mini qwen3-8b gpt-4o-audio-preview grok-4 codestral-latest GPT-4o",
  embeddings:
    "text-embedding-3-small voyage-3 bge-m3 m3e-base gemini-embedding-001 embed-english-v3.0 jina-embeddings-v3 tao-8k",
  rerank: "rerank-v3.5 bge-reranker-v2-m3 jina-reranker-v2-base-multilingual qwen3-rerank",
  image:
    "dall-e-3 gpt-image-1 imagen-4.0-generate-001 gemini-2.5-flash-image black-forest-labs/FLUX.1-dev mj_imagine cogview-4 image-01 stable-diffusion-3",
  video:
    "sora-2 veo-3.0-generate-001 kling-v1 jimeng_v30_pro viduq3-pro cogvideox-2 wan2.2-t2v-plus wan2.2-kf2v-flash MiniMax-H3 doubao-seedance-2-0-260128",
  audio:
    "whisper-1 tts-1-hd gpt-4o-mini-tts gpt-4o-transcribe gpt-realtime suno_music voxtral-mini-latest gemini-2.5-flash-preview-tts @cf/deepgram/aura-1 @cf/myshell-ai/melotts",
  moderation: "omni-moderation-latest text-moderation-stable llama-guard-4-12b",
};

test.each(Object.entries(NAMES))("%s", (kind, names) => {
  expect(names.split(" ").filter((name) => modelKind(name) !== kind)).toEqual([]);
});
