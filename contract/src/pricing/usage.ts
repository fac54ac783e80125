/** What one call used, in one shape for every dialect: providers' own words are normalised to this before anything is priced. */

/** Tools of a provider that have a price for each call, apart from the tokens of the call that uses them. */
export const CHARGED_TOOLS = [
  "web_search",
  "file_search",
  "image_generation",
  "code_interpreter",
  "google_maps",
] as const;
export type ChargedTool = (typeof CHARGED_TOOLS)[number];

/** Calls of one tool within one call, with the price that was in force when they were counted. */
export interface ToolCalls {
  tool: ChargedTool;
  /** What its price depends on, where calls differ: of a picture its size and quality. Gone once the price is filled in. */
  variant?: string;
  /** A whole number ≥ 0. */
  calls: number;
  /** USD for 1,000 calls, decimal text. */
  usdPerThousand: string;
}

/**
 * Ways of a vendor to answer at another price than its plain one, which multiply the price of every token: in the USA alone, faster,
 * and the tiers of service, of which one is cheaper.
 */
export const SURCHARGES = [
  "inference_geo_us",
  "speed_fast",
  "service_tier_priority",
  "service_tier_ultrafast",
  "service_tier_flex",
] as const;
export type Surcharge = (typeof SURCHARGES)[number];

/** A surcharge that an answer had, with the ratio that was in force when the call was let in. */
export interface UsedSurcharge {
  surcharge: Surcharge;
  /** What each token's price is multiplied by, decimal text. */
  ratio: string;
}

/**
 * Token counts are whole numbers ≥ 0. `inputTokens` includes everything that went in (cached, image and audio parts too) and
 * `outputTokens` everything that came out (reasoning included), so a part never exceeds its whole. Absent parts are 0.
 */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  /** Written to a cache that lives five minutes, or as long as the provider's only cache does. */
  cacheWriteTokens: number;
  /** Written to a cache that lives an hour; apart from `cacheWriteTokens`, both are parts of `inputTokens`. */
  cacheWriteLongTokens: number;
  reasoningTokens: number;
  imageInputTokens: number;
  audioInputTokens: number;
  audioOutputTokens: number;
  /** Tokens of pictures that came out, a part of `outputTokens`; some models price them apart from words. */
  imageOutputTokens: number;
  /** What a fixed price is multiplied by (images: size × quality × n), decimal text; "1" for a plain call. */
  callFactor: string;
  /** Charged beside the tokens or the fixed price. */
  toolCalls: readonly ToolCalls[];
  /** Multiply the price of every token, one after the other; nothing of a fixed price or of tools. */
  surcharges: readonly UsedSurcharge[];
  /** True where the upstream sent none and the counts are ours. */
  isEstimated: boolean;
}

export const NO_USAGE: Usage = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteLongTokens: 0,
  reasoningTokens: 0,
  imageInputTokens: 0,
  audioInputTokens: 0,
  audioOutputTokens: 0,
  imageOutputTokens: 0,
  callFactor: "1",
  toolCalls: Object.freeze([]),
  surcharges: Object.freeze([]),
  isEstimated: false,
});
