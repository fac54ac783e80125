/** The kind of a model (chat, embeddings, images ...) by its name: decides its price list and its channel test. */

export const MODEL_KINDS = ["chat", "embeddings", "rerank", "image", "video", "audio", "moderation"] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];

/** In this order: a reranker is often named after the embeddings beside it. Everything else is for chat. */
const KINDS_BY_NAME: readonly (readonly [RegExp, ModelKind])[] = [
  [/rerank/, "rerank"],
  [/moderation|llama-?guard|shieldgemma/, "moderation"],
  [/embed|^m3e|^bge-|\/bge-|^voyage-|^gte-|\/gte-|^tao-8k|\be5-|semantic_similarity/, "embeddings"],
  [/^mj_|^swap_face|midjourney|^niji/, "image"],
  [
    /^suno|whisper|transcri|^tts|-tts|\btts-|realtime|speech|^lyria|voxtral|-asr\b|native-audio|cosyvoice|melotts|\/aura-\d/,
    "audio",
  ],
  [
    /\bveo\b|^veo|sora|kling|^jimeng_|^vidu|cogvideo|hailuo|^minimax-h3|seedance|runway|\bvideo\b|-(?:[it]|kf)2v/,
    "video",
  ],
  [
    /dall-e|gpt-image|chatgpt-image|-image|^image-|imagen|flux|stable-diffusion|^sd3|sdxl|cogview|wanx|seedream|ideogram|recraft|-t2i|nano-banana/,
    "image",
  ],
];

/** What calls of this model are: a conversation unless its name says otherwise. Upper case does not matter. */
export function modelKind(model: string): ModelKind {
  const name = model.toLowerCase();
  return KINDS_BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? "chat";
}
