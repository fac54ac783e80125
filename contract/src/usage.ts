/** What one call used, in one shape for every dialect: providers' own words are normalised to this before anything is priced. */

/**
 * Token counts are whole numbers ≥ 0. `inputTokens` includes everything that went in (cached, image and audio parts too) and
 * `outputTokens` everything that came out (reasoning included), so a part never exceeds its whole. Absent parts are 0.
 */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  imageInputTokens: number;
  audioInputTokens: number;
  audioOutputTokens: number;
  /** True where the upstream sent none and the counts are ours. */
  isEstimated: boolean;
}

export const NO_USAGE: Usage = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  imageInputTokens: 0,
  audioInputTokens: 0,
  audioOutputTokens: 0,
  isEstimated: false,
});
