/** Prices that the data set does not carry: fixed prices of tasks and images, and ratios of models that left its pages. */

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

/** USD for each call, as decimal text (reference 7.1). */
export const DEFAULT_CALL_PRICES: ReadonlyMap<string, string> = new Map([
  ["suno_music", "0.1"],
  ["suno_lyrics", "0.01"],
  ["dall-e-3", "0.04"],
  ["imagen-3.0-generate-002", "0.03"],
  ["gpt-4-gizmo-*", "0.1"],
  ...MIDJOURNEY_TENTH.map((action) => [`mj_${action}`, "0.1"] as const),
  ["mj_inpaint", "0"],
  ["mj_custom_zoom", "0"],
  ["mj_describe", "0.05"],
  ["mj_upscale", "0.05"],
  ["mj_upload", "0.05"],
  ["swap_face", "0.05"],
]);

interface RatioRow {
  ratio: string;
  completionRatio?: string;
  models: readonly string[];
}

/** Prompt and completion ratios (reference 7.1); a completion ratio of 1 where none stands. */
const RATIO_ROWS: readonly RatioRow[] = [
  { ratio: "15", completionRatio: "2", models: ["gpt-4-all", "gpt-4o-all"] },
  { ratio: "2.5", completionRatio: "3", models: ["gpt-4o-gizmo-*"] },
  { ratio: "15", models: ["whisper-1", "tts-1-hd", "tts-1-hd-1106"] },
  { ratio: "7.5", models: ["tts-1", "tts-1-1106"] },
  { ratio: "0.1", models: ["text-moderation-stable", "text-moderation-latest"] },
  { ratio: "0.2", models: ["babbage-002", "text-ada-001"] },
  { ratio: "1", models: ["davinci-002", "text-curie-001", "PaLM-2"] },
  { ratio: "0.25", models: ["text-babbage-001"] },
  { ratio: "10", models: ["davinci", "curie", "babbage", "ada", "text-davinci-edit-001", "code-davinci-edit-001"] },
  { ratio: "0.001", models: ["text-embedding-004"] },
  { ratio: "0.4", completionRatio: "3", models: ["claude-instant-1"] },
  { ratio: "4", completionRatio: "3", models: ["claude-2.0", "claude-2.1"] },
  {
    ratio: "0.8572",
    models: ["qwen-turbo", "360GPT_S2_V9", "360gpt-pro", "360gpt2-pro", "360gpt-turbo-responsibility-8k"],
  },
  { ratio: "10", models: ["qwen-plus"] },
  { ratio: "0.05", models: ["text-embedding-v1"] },
  {
    ratio: "1.2858",
    models: ["SparkDesk-v1.1", "SparkDesk-v2.1", "SparkDesk-v3.1", "SparkDesk-v3.5", "SparkDesk-v4.0"],
  },
  { ratio: "0.0858", models: ["360gpt-turbo"] },
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
  { ratio: "0.0685", models: ["ERNIE-Tiny-8K", "yi-spark", "glm-4-air", "glm-4-long"] },
  { ratio: "0.137", models: ["Embedding-V1", "bge-large-zh", "bge-large-en", "tao-8k"] },
  { ratio: "1.3699", models: ["yi-large", "yi-large-preview"] },
  { ratio: "1.7123", models: ["yi-large-rag", "yi-large-rag-preview"] },
  { ratio: "0.1712", models: ["yi-medium"] },
  { ratio: "0.411", models: ["yi-vision"] },
  { ratio: "0.18", models: ["yi-34b-chat-0205"] },
  { ratio: "0.864", models: ["yi-34b-chat-200k"] },
  { ratio: "0.432", models: ["yi-vl-plus"] },
  { ratio: "3.4247", models: ["glm-4v", "glm-4-plus"] },
  { ratio: "6.8493", models: ["glm-4-alltools", "glm-4-0520"] },
  { ratio: "0.6849", models: ["glm-4-airx", "glm-4v-plus"] },
  { ratio: "0", models: ["glm-4-flash"] },
  { ratio: "0.3572", models: ["glm-3-turbo", "chatglm_turbo", "chatglm_std"] },
  { ratio: "0.7143", models: ["chatglm_pro"] },
  { ratio: "0.1429", models: ["chatglm_lite"] },
];

export const DEFAULT_RATIO_ROWS: ReadonlyMap<string, RatioRow> = new Map(
  RATIO_ROWS.flatMap((row) => row.models.map((model) => [model, row] as const)),
);

/** Audio ratios where the data set prices text alone, by what the name contains; the first that fits. */
export const AUDIO_RATIOS_BY_NAME = [
  { parts: ["-realtime", "mini"], ratio: "16.667" },
  { parts: ["gpt-4o-realtime-preview"], ratio: "8" },
  { parts: ["-realtime"], ratio: "20" },
  { parts: ["-audio", "mini"], ratio: "66.667" },
  { parts: ["gpt-4o-audio-preview"], ratio: "16" },
  { parts: ["-audio"], ratio: "40" },
] as const;
