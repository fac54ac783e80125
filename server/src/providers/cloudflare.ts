/** Cloudflare Workers AI as the console and the relay list it: channel type 39 (developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 39,
  slug: "cloudflare",
  name: "Cloudflare Workers AI",
  defaultBaseUrl: "https://api.cloudflare.com",
  keyHint: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  fields: [
    { name: "base_url", label: "baseUrl", isRequired: false, placeholder: "https://api.cloudflare.com" },
    {
      name: "other",
      label: "accountId",
      isRequired: true,
      placeholder: "0123456789abcdef0123456789abcdef",
      pattern: "^[0-9a-fA-F]{32}$",
    },
  ],
  models: [
    "@cf/openai/gpt-oss-120b",
    "@cf/openai/gpt-oss-20b",
    "@cf/moonshotai/kimi-k2.6",
    "@cf/zai-org/glm-4.7-flash",
    "@cf/meta/llama-3.3-70b-instruct-fp8-fast",
    "@cf/meta/llama-4-scout-17b-16e-instruct",
    "@cf/qwen/qwen2.5-coder-32b-instruct",
    "@cf/baai/bge-m3",
    "@cf/baai/bge-large-en-v1.5",
    "@cf/black-forest-labs/flux-1-schnell",
    "@cf/stabilityai/stable-diffusion-xl-base-1.0",
    "@cf/deepgram/aura-1",
    "@cf/myshell-ai/melotts",
    "@cf/openai/whisper-large-v3-turbo",
    "@cf/openai/whisper",
  ],
  operations: ["chat", "completions", "embeddings", "images", "speech", "transcriptions", "models"],
  mark: { glyph: "W", colour: "#f6821f" },
};
