/** Model vendors as this API family lists them beside prices: number, name and the icon that its consoles draw. */
import { z } from "zod";

export const vendorRow = z.object({
  id: z.number(),
  name: z.string(),
  description: z.string(),
  /** A name of the icon set of lobehub/lobe-icons, which consoles of the family draw. */
  icon: z.string(),
  /** 1: listed. */
  status: z.number(),
});
export type VendorRow = z.output<typeof vendorRow>;

/** Vendor, icon and the names of its models. The number of a vendor is its place: new ones are added at the end. */
const VENDORS: readonly (readonly [name: string, icon: string, models: RegExp])[] = [
  ["OpenAI", "OpenAI", /^(?:gpt|chatgpt|o\d|dall-e|whisper|tts-|text-embedding-(?:3|ada)|sora|codex|omni-moderation)/],
  ["Anthropic", "Claude.Color", /^claude/],
  ["Google", "Gemini.Color", /^(?:gemini|gemma|imagen|veo|palm|text-embedding-00)/],
  ["DeepSeek", "DeepSeek.Color", /^deepseek/],
  ["Mistral", "Mistral.Color", /^(?:mistral|mixtral|codestral|pixtral|ministral|magistral|devstral)/],
  ["xAI", "XAI", /^grok/],
  ["Moonshot", "Moonshot", /^(?:moonshot|kimi)/],
  ["Zhipu", "Zhipu.Color", /^(?:glm|chatglm|cogview|cogvideo)/],
  ["MiniMax", "Minimax.Color", /^(?:minimax|abab|hailuo)/],
  ["Cohere", "Cohere.Color", /^(?:command|embed-|rerank-|c4ai)/],
  ["Voyage AI", "Voyage.Color", /^voyage/],
  ["Perplexity", "Perplexity.Color", /^(?:sonar|pplx)/],
  ["Arcee AI", "Arcee.Color", /^arcee/],
  ["Alibaba", "Qwen.Color", /^(?:qwen|qwq|qvq|wan\d|wanx)/],
  ["Baidu", "Wenxin.Color", /^(?:ernie|bge-large)/],
  ["Tencent", "Hunyuan.Color", /^hunyuan/],
  ["ByteDance", "Doubao.Color", /^(?:doubao|seed|jimeng)/],
  ["Meta", "Ollama", /^(?:llama|meta-llama)/],
  ["iFlytek", "Spark.Color", /^spark/],
  ["Midjourney", "Midjourney", /^mj_/],
  ["Kuaishou", "Kling.Color", /^kling/],
  ["Vidu", "Vidu", /^vidu/],
  ["Suno", "Suno", /^suno/],
  ["Jina", "Jina", /^jina/],
  ["BAAI", "BAAI", /^bge-/],
];

const listed = ([name, icon]: (typeof VENDORS)[number], place: number): VendorRow => ({
  id: place + 1,
  name,
  icon,
  description: "",
  status: 1,
});

export const VENDOR_ROWS: readonly VendorRow[] = VENDORS.map(listed);

/**
 * Who makes a model: as the price list says, else by its name, where `vendor/` before it counts for nothing.
 * @param listedVendor the vendor that the price list has for the model
 * @returns undefined where neither is known
 */
export function vendorOf(model: string, listedVendor: string | undefined): VendorRow | undefined {
  const byList = VENDOR_ROWS.find(({ name }) => name === listedVendor);
  if (byList !== undefined) return byList;
  const bare = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  return VENDOR_ROWS[VENDORS.findIndex(([, , models]) => models.test(bare))];
}
