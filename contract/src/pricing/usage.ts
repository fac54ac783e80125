/** The usage of one call in one form for every dialect; each provider's own fields are normalised to it before anything is priced. */

/** Provider tools with a price per call, in addition to the tokens of the call that uses them. */
export const CHARGED_TOOLS = [
  "web_search",
  "file_search",
  "image_generation",
  "code_interpreter",
  "google_maps",
] as const;
export type ChargedTool = (typeof CHARGED_TOOLS)[number];

/** Calls of one tool that are priced alike whatever the prices are: what the price goes by (tool-prices.ts). */
export interface CallsAlike {
  calls: number;
  model: string;
  name?: string | undefined;
  size?: string | undefined;
}

/** Calls of one tool within one API call, with the price in force when they were counted. */
export interface ToolCalls {
  tool: ChargedTool;
  /** What the price depends on where calls differ, such as the size and quality of an image. Removed once the price is filled in. */
  variant?: string;
  /** A whole number ≥ 0. */
  calls: number;
  /** USD per 1,000 calls as decimal text. */
  usdPerThousand: string;
  /** The calls by what their price went by; filled in with the price, so that they can be priced again by another table. */
  alike?: readonly CallsAlike[];
}

/**
 * Options of a vendor that multiply the price of every token: processing in the USA only, faster answers, and the service tiers, one
 * of which is cheaper.
 */
export const SURCHARGES = [
  "inference_geo_us",
  "speed_fast",
  "service_tier_priority",
  "service_tier_ultrafast",
  "service_tier_flex",
] as const;
export type Surcharge = (typeof SURCHARGES)[number];

/** A surcharge of an answer, with the ratio in force when the call was admitted. */
export interface UsedSurcharge {
  surcharge: Surcharge;
  /** Factor of the price of every token, as decimal text. */
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
  /** Tokens written to the 5-minute cache, or to the provider's only cache. */
  cacheWriteTokens: number;
  /** Tokens written to the 1-hour cache. Not included in `cacheWriteTokens`; both are parts of `inputTokens`. */
  cacheWriteLongTokens: number;
  reasoningTokens: number;
  imageInputTokens: number;
  audioInputTokens: number;
  audioOutputTokens: number;
  /** Tokens of generated images, a part of `outputTokens`; some models price them separately. */
  imageOutputTokens: number;
  /** Factor of a fixed price as decimal text (images: size × quality × n); "1" for other calls. */
  callFactor: string;
  /** Charged in addition to the tokens or the fixed price. */
  toolCalls: readonly ToolCalls[];
  /** Multiply the price of every token, but neither a fixed price nor tools. */
  surcharges: readonly UsedSurcharge[];
  /** True where the upstream sent no usage and the gateway counted. */
  isEstimated: boolean;
  /** What a price by tokens would count, where a fixed price counts something else (pictures). Nothing is charged by it. */
  byTokens?: Usage;
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
