/** Default prices that the price list lacks: fixed prices of tasks and images, and ratios of models that vendors no longer list. */
import { createHash } from "node:crypto";
import { DEFAULT_RATIOS } from "../../../contract/src/pricing/pricing.ts";

const MIDJOURNEY_TENTH = [
  "imagine",
  "variation",
  "reroll",
  "blend",
  "modal",
  "zoom",
  "shorten",
  "high_variation",
  "low_variation",
  "pan",
];

/** USD for each call, as decimal text: of the vendor's page where one is named, else of no public one (docs/billing.md). */
export const DEFAULT_CALL_PRICES: ReadonlyMap<string, string> = new Map([
  ["suno_music", "0.1"],
  ["suno_lyrics", "0.01"],
  // A square of 1024, of standard quality: developers.openai.com/api/docs/models/dall-e-2 and dall-e-3
  ["dall-e-2", "0.02"],
  ["dall-e-3", "0.04"],
  // ai.google.dev/gemini-api/docs/pricing; Imagen 3 as it stood there last
  ["imagen-3.0-generate-002", "0.03"],
  ["imagen-4.0-fast-generate-001", "0.02"],
  ["imagen-4.0-generate-001", "0.04"],
  ["imagen-4.0-ultra-generate-001", "0.06"],
  // A search unit each: a query with up to 100 documents, cohere.com/pricing
  ["rerank-english-v3.0", "0.002"],
  ["rerank-multilingual-v3.0", "0.002"],
  ["rerank-v3.5", "0.002"],
  ["gpt-4-gizmo-*", "0.1"],
  // A second of video, in the size that docs/tasks.md names: developers.openai.com/api/docs/pricing
  ["sora-2", "0.1"],
  ["sora-2-pro", "0.5"],
  // ai.google.dev/gemini-api/docs/pricing
  ["veo-2.0-generate-001", "0.35"],
  ["veo-3.0-generate-001", "0.4"],
  ["veo-3.0-fast-generate-001", "0.15"],
  ["veo-3.1-generate-preview", "0.4"],
  ["veo-3.1-fast-generate-preview", "0.1"],
  ["veo-3.1-lite-generate-preview", "0.05"],
  // cloud.google.com/vertex-ai/generative-ai/pricing, with sound
  ["veo-3.1-generate-001", "0.4"],
  ["veo-3.1-fast-generate-001", "0.1"],
  ["veo-3.1-lite-generate-001", "0.05"],
  // CNY for a million tokens, volcengine.com/docs/82379/1544106, at 7 to a dollar: 21,780 of them make a second of 720 lines
  ["doubao-seedance-2-5-260628", "0.218"],
  ["doubao-seedance-2-0-260128", "0.144"],
  ["doubao-seedance-2-0-fast-260128", "0.116"],
  ["doubao-seedance-2-0-mini-260615", "0.072"],
  ["doubao-seedance-1-5-pro-251215", "0.05"],
  ["doubao-seedance-1-0-pro-250528", "0.045"],
  ["doubao-seedance-1-0-pro-fast-251015", "0.0125"],
  ["doubao-seedance-1-0-lite-t2v-250428", "0.03"],
  ["doubao-seedance-1-0-lite-i2v-250428", "0.03"],
  // platform.minimax.io/docs/guides/pricing-paygo: a sixth of a film of 6 s with 768 lines, and a second of H3
  ["MiniMax-H3", "0.08"],
  ["MiniMax-Hailuo-2.3", "0.0467"],
  ["MiniMax-Hailuo-2.3-Fast", "0.0317"],
  ["MiniMax-Hailuo-02", "0.0467"],
  // alibabacloud.com/help/en/model-studio/model-pricing
  ["wan2.7-t2v", "0.1"],
  ["wan2.7-i2v", "0.1"],
  ["wan2.6-t2v", "0.1"],
  ["wan2.6-i2v", "0.1"],
  ["wan2.6-i2v-flash", "0.05"],
  ["wan2.5-t2v-preview", "0.1"],
  ["wan2.5-i2v-preview", "0.1"],
  ["wan2.2-t2v-plus", "0.1"],
  ["wan2.2-i2v-plus", "0.1"],
  ["wan2.2-i2v-flash", "0.036"],
  ["wan2.2-kf2v-flash", "0.036"],
  // In mode std, units of USD 0.14: klingai.com/global/dev/pricing
  ["kling-v1", "0.028"],
  ["kling-v1-5", "0.056"],
  ["kling-v1-6", "0.056"],
  ["kling-v2-master", "0.28"],
  ["kling-v2-1", "0.056"],
  ["kling-v2-1-master", "0.28"],
  ["kling-v2-5-turbo", "0.042"],
  ["kling-v2-6", "0.042"],
  ["kling-v3", "0.084"],
  // Credits of USD 0.005: platform.vidu.com/docs/pricing
  ["viduq3-pro", "0.15"],
  ["viduq3-turbo", "0.06"],
  ["viduq2-pro", "0.1"],
  ["viduq2-turbo", "0.05"],
  ["viduq1", "0.08"],
  ["vidu2.0", "0.05"],
  ...MIDJOURNEY_TENTH.map((action) => [`mj_${action}`, "0.1"] as const),
  ["mj_inpaint", "0"],
  ["mj_custom_zoom", "0"],
  ["mj_describe", "0.05"],
  ["mj_upscale", "0.05"],
  ["mj_upload", "0.05"],
  ["swap_face", "0.05"],
  ["mj_edits", "0.1"],
  ["mj_video", "0.8"],
]);

interface RatioRow {
  ratio: string;
  completionRatio?: string;
  cacheRatio?: string;
  models: readonly string[];
}

/**
 * Prompt, completion and cache ratios of models that the data set does not list; 1 where none stands. Those without a
 * page have left their vendors' pages (docs/billing.md).
 */
const RATIO_ROWS: readonly RatioRow[] = [
  { ratio: "15", completionRatio: "2", models: ["gpt-4-all", "gpt-4o-all"] },
  { ratio: "2.5", completionRatio: "3", models: ["gpt-4o-gizmo-*"] },
  // A minute counts 1,000 tokens, so ratio 1 is USD 0.002 a minute. USD 0.006 and 0.017 a minute:
  // developers.openai.com/api/docs/models/whisper-1 and gpt-realtime-whisper. Older lists have 15, which is 0.03, five times that.
  { ratio: "3", models: ["whisper-1"] },
  { ratio: "8.5", models: ["gpt-realtime-whisper"] },
  // groq.com/pricing: USD 0.111 and 0.04 an hour
  { ratio: "0.925", models: ["whisper-large-v3"] },
  { ratio: "0.333333333333", models: ["whisper-large-v3-turbo"] },
  // A character counts one token: USD 15 and 30 for 1M characters, developers.openai.com/api/docs/models/tts-1 and tts-1-hd
  { ratio: "7.5", models: ["tts-1", "tts-1-1106"] },
  { ratio: "15", models: ["tts-1-hd", "tts-1-hd-1106"] },
  { ratio: "0.1", models: ["text-moderation-stable", "text-moderation-latest"] },
  // Free at its maker: platform.openai.com/docs/guides/moderation
  { ratio: "0", models: ["omni-moderation-latest", "omni-moderation-2024-09-26"] },
  // docs.voyageai.com/docs/pricing: USD 0.05 and 0.02 for 1M tokens of query and documents
  { ratio: "0.025", models: ["rerank-2", "rerank-2.5"] },
  { ratio: "0.01", models: ["rerank-2-lite", "rerank-2.5-lite"] },
  { ratio: "0.135", cacheRatio: "0.25", models: ["deepseek-coder"] },
  { ratio: "0.5", completionRatio: "4", models: ["command-nightly"] },
  { ratio: "1", models: ["PaLM-2"] },
  { ratio: "0.25", models: ["text-babbage-001"] },
  { ratio: "10", models: ["text-davinci-edit-001", "code-davinci-edit-001"] },
  { ratio: "0.001", models: ["text-embedding-004"] },
  { ratio: "0.4", completionRatio: "3", models: ["claude-instant-1"] },
  {
    ratio: "0.8572",
    models: ["360GPT_S2_V9", "360gpt-pro", "360gpt2-pro", "360gpt-turbo-responsibility-8k"],
  },
  { ratio: "0.05", models: ["text-embedding-v1"] },
  {
    ratio: "1.2858",
    models: ["SparkDesk-v1.1", "SparkDesk-v2.1", "SparkDesk-v3.1", "SparkDesk-v3.5", "SparkDesk-v4.0"],
  },
  { ratio: "0.0858", models: ["360gpt-turbo"] },
  { ratio: "0.0715", models: ["embedding-bert-512-v1", "embedding_s1_v1", "semantic_similarity_s1_v1"] },
  { ratio: "7.143", models: ["hunyuan", "glm-4"] },
  { ratio: "8.2192", models: ["ERNIE-4.0-8K"] },
  {
    ratio: "0.8219",
    models: ["ERNIE-3.5-8K", "ERNIE-3.5-8K-1222", "ERNIE-3.5-4K-0205", "yi-large-turbo", "yi-medium-200k"],
  },
  { ratio: "1.6438", models: ["ERNIE-3.5-8K-0205", "ERNIE-Bot-8K"] },
  { ratio: "0.274", completionRatio: "2", models: ["ERNIE-Speed-8K", "ERNIE-Speed-128K"] },
  { ratio: "0.274", models: ["BLOOMZ-7B"] },
  { ratio: "0.5479", completionRatio: "2", models: ["ERNIE-Lite-8K-0922"] },
  { ratio: "0.2055", completionRatio: "2", models: ["ERNIE-Lite-8K-0308"] },
  { ratio: "0.0685", models: ["ERNIE-Tiny-8K", "yi-spark"] },
  { ratio: "0.137", models: ["Embedding-V1", "bge-large-zh", "bge-large-en", "tao-8k"] },
  { ratio: "1.3699", models: ["yi-large-preview"] },
  { ratio: "1.7123", models: ["yi-large-rag", "yi-large-rag-preview"] },
  { ratio: "0.1712", models: ["yi-medium"] },
  { ratio: "0.411", models: ["yi-vision"] },
  { ratio: "0.18", models: ["yi-34b-chat-0205"] },
  { ratio: "0.864", models: ["yi-34b-chat-200k"] },
  { ratio: "0.432", models: ["yi-vl-plus"] },
  { ratio: "3.4247", models: ["glm-4v"] },
  { ratio: "6.8493", models: ["glm-4-alltools", "glm-4-0520"] },
  { ratio: "0.6849", models: ["glm-4v-plus"] },
  { ratio: "0", models: ["glm-4-flash"] },
  { ratio: "0.3572", models: ["glm-3-turbo", "chatglm_turbo", "chatglm_std"] },
  { ratio: "0.7143", models: ["chatglm_pro"] },
  { ratio: "0.1429", models: ["chatglm_lite"] },
];

export const DEFAULT_RATIO_ROWS: ReadonlyMap<string, RatioRow> = new Map(
  RATIO_ROWS.flatMap((row) => row.models.map((model) => [model, row] as const)),
);

/** Names that the data set lacks, most of snapshots, and the one whose price they have (developers.openai.com/api/docs/models, "Snapshots"). */
export const LISTED_AS: ReadonlyMap<string, string> = new Map([
  ["gpt-4o-mini-tts-2025-03-20", "gpt-4o-mini-tts"],
  ["gpt-4o-mini-tts-2025-12-15", "gpt-4o-mini-tts"],
  ["gpt-4o-mini-transcribe-2025-03-20", "gpt-4o-mini-transcribe"],
  ["gpt-4o-mini-transcribe-2025-12-15", "gpt-4o-mini-transcribe"],
  // Listed under the name of a reseller, at its maker's USD 0.4 and 1.2 (alibabacloud.com/help/en/model-studio/models).
  ["qwen-plus", "qwen/qwen-plus"],
]);

/** Audio ratios where the data set prices text alone, by what the name contains; the first that fits. */
export const AUDIO_RATIOS_BY_NAME = [
  { parts: ["-realtime", "mini"], ratio: "16.667" },
  { parts: ["gpt-4o-realtime-preview"], ratio: "8" },
  { parts: ["-realtime"], ratio: "20" },
  { parts: ["-audio", "mini"], ratio: "66.667" },
  { parts: ["gpt-4o-audio-preview"], ratio: "16" },
  { parts: ["-audio"], ratio: "40" },
] as const;

/** Of the rules by which data-set.ts makes ratios of listed prices and prices.ts finds them; raised with them, as no table shows it. */
const RULES_EDITION = 3;
const MARK_DIGITS = 12;

export const DEFAULTS_MARK: string = createHash("sha256")
  .update(
    JSON.stringify([
      RULES_EDITION,
      DEFAULT_RATIOS,
      [...DEFAULT_CALL_PRICES],
      [...DEFAULT_RATIO_ROWS],
      [...LISTED_AS],
      AUDIO_RATIOS_BY_NAME,
    ]),
  )
  .digest("hex")
  .slice(0, MARK_DIGITS);
