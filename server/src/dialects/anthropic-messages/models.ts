/**
 * Capabilities of Claude models by generation, read from their names (platform.claude.com/docs/en/build-with-claude/thinking, /effort,
 * /structured-outputs).
 */

/** Models a new channel starts with: those the vendor's SDK lists, and what is still served of older ones. */
export const ANTHROPIC_MODELS: readonly string[] = [
  "claude-fable-5-2",
  "claude-mythos-5-2",
  "claude-opus-5-5",
  "claude-sonnet-5-5",
  "claude-haiku-5-5",
  "claude-fable-5-1",
  "claude-fable-5",
  "claude-opus-5",
  "claude-sonnet-5",
  "claude-opus-4-8",
  "claude-opus-4-7",
  "claude-opus-4-6",
  "claude-sonnet-4-6",
  "claude-opus-4-5",
  "claude-opus-4-5-20251101",
  "claude-sonnet-4-5",
  "claude-sonnet-4-5-20250929",
  "claude-haiku-4-5",
  "claude-haiku-4-5-20251001",
  "claude-opus-4-1-20250805",
  "claude-opus-4-20250514",
  "claude-opus-4-20250514-thinking",
  "claude-sonnet-4-20250514",
  "claude-sonnet-4-20250514-thinking",
  "claude-3-7-sonnet-20250219",
  "claude-3-7-sonnet-20250219-thinking",
  "claude-3-5-haiku-20241022",
  "claude-3-haiku-20240307",
];

export interface ModelTraits {
  hasThinking: boolean;
  /** `thinking: {type: "adaptive"}` and `output_config.effort`. */
  hasAdaptiveThinking: boolean;
  /** `thinking: {type: "enabled", budget_tokens}`. */
  hasThinkingBudget: boolean;
  /** Always thinks; refuses requests that disable thinking. */
  alwaysThinks: boolean;
  hasEffort: boolean;
  /** `xhigh` among the efforts. */
  hasHighestEfforts: boolean;
  /** Takes temperature, top_p and top_k other than their defaults. */
  hasSampling: boolean;
  /** Takes temperature or top_p, not both. */
  hasOneSampling: boolean;
  /** `output_config.format`, and `strict` tools. */
  hasStructuredOutputs: boolean;
}

/** Numbers may stand before or behind the family: claude-3-7-sonnet-20250219, claude-opus-4-6. Long ones are dates. */
const VERSION = /claude-(?:[a-z]{1,16}-)?(\d{1,2})(?:[-.](\d{1,2}))?(?![\d])/;

/** Generation as one number, 4.6 as 406; undefined if the name has none. */
function generationOf(model: string): number | undefined {
  const [, major, minor] = VERSION.exec(model) ?? [];
  return major === undefined ? undefined : Number(major) * 100 + Number(minor ?? 0);
}

/** A name without a generation is taken for a current one where it is Anthropic's, and for a plain compatible model else. */
export function traitsOf(model: string): ModelTraits {
  const name = model.toLowerCase();
  const generation = generationOf(name) ?? (name.includes("claude") ? 500 : 405);
  return {
    hasThinking: generation >= 307,
    hasAdaptiveThinking: generation >= 406,
    hasThinkingBudget: generation < 407,
    alwaysThinks: /fable|mythos/.test(name),
    hasEffort: generation >= 406 || name.includes("opus-4-5"),
    hasHighestEfforts: generation >= 407,
    hasSampling: generation < 407,
    hasOneSampling: generation >= 401,
    hasStructuredOutputs: generation >= 405 || name.includes("opus-4-1"),
  };
}
