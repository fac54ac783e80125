/**
 * Models at Bedrock: names of Claude (platform.claude.com/docs/en/build-with-claude/claude-on-amazon-bedrock-legacy), the vendor's ids of others,
 * the areas whose inference profiles have them (docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html and the model cards
 * beside it), and how the models other than Claude differ.
 */
import { defined, ownOf } from "../../dialects/json/fields.ts";
import type { Effort, JsonObject } from "../../dialects/neutral/neutral.ts";

interface BedrockModel {
  id: string;
  /** Prefixes of its inference profiles; none where it is called in the region itself. */
  areas: readonly Area[];
}

type Area = "us" | "eu" | "apac" | "jp" | "au" | "global";

const OLD: readonly Area[] = ["us", "eu", "apac"];
const NEW: readonly Area[] = ["us", "eu", "jp", "au", "global"];

const dated = (name: string, areas: readonly Area[] = OLD, version = "v1:0"): readonly [string, BedrockModel] => [
  name,
  { id: `anthropic.${name}-${version}`, areas },
];
const undated = (name: string, areas: readonly Area[], id = name): readonly [string, BedrockModel] => [
  name,
  { id: `anthropic.${id}`, areas },
];

/** Newest first. */
const TABLE: Readonly<Record<string, BedrockModel>> = Object.fromEntries([
  undated("claude-fable-5-1", ["us", "global"]),
  undated("claude-fable-5", ["us", "global"]),
  undated("claude-opus-5", ["us", "eu", "au", "global"]),
  undated("claude-sonnet-5", ["us", "eu", "au", "global"]),
  undated("claude-opus-4-8", NEW),
  undated("claude-opus-4-7", NEW),
  undated("claude-opus-4-6", ["us", "eu", "au", "global"], "claude-opus-4-6-v1"),
  undated("claude-sonnet-4-6", NEW),
  dated("claude-opus-4-5-20251101", ["us", "eu", "global"]),
  undated("claude-opus-4-5", ["us", "eu", "global"], "claude-opus-4-5-20251101-v1:0"),
  dated("claude-haiku-4-5-20251001", NEW),
  undated("claude-haiku-4-5", NEW, "claude-haiku-4-5-20251001-v1:0"),
  dated("claude-sonnet-4-5-20250929", NEW),
  undated("claude-sonnet-4-5", NEW, "claude-sonnet-4-5-20250929-v1:0"),
  dated("claude-opus-4-1-20250805", ["us"]),
  dated("claude-opus-4-20250514", ["us"]),
  dated("claude-sonnet-4-20250514", [...OLD, "global"]),
  dated("claude-3-7-sonnet-20250219"),
  dated("claude-3-5-haiku-20241022", ["us"]),
  dated("claude-3-5-sonnet-20241022", ["us", "apac"], "v2:0"),
  dated("claude-3-5-sonnet-20240620"),
  dated("claude-3-opus-20240229", ["us"]),
  dated("claude-3-sonnet-20240229"),
  dated("claude-3-haiku-20240307"),
  undated("claude-2.1", [], "claude-v2:1"),
  undated("claude-2.0", [], "claude-v2"),
  undated("claude-instant-1.2", [], "claude-instant-v1"),
]);

export const models: readonly string[] = Object.keys(TABLE);

/** Other makers' models that are called by a profile, or by one in most regions. */
const PROFILED: Readonly<Record<string, BedrockModel>> = Object.fromEntries(
  (
    [
      ["amazon.nova-2-lite-v1:0", ["us", "eu", "jp", "global"]],
      ["amazon.nova-premier-v1:0", ["us"]],
      ["amazon.nova-pro-v1:0", OLD],
      ["amazon.nova-lite-v1:0", OLD],
      ["amazon.nova-micro-v1:0", OLD],
      ["deepseek.r1-v1:0", ["us"]],
      ["meta.llama4-maverick-17b-instruct-v1:0", ["us"]],
      ["meta.llama4-scout-17b-instruct-v1:0", ["us"]],
      ["meta.llama3-3-70b-instruct-v1:0", ["us"]],
      ["mistral.pixtral-large-2502-v1:0", ["us", "eu"]],
      ["writer.palmyra-x5-v1:0", ["us"]],
    ] as const
  ).map(([id, areas]) => [id, { id, areas }]),
);

/** The id behind an area, and the maker that each id begins with. */
const MAKER = /^(?:arn:.*\/)?(?:[a-z]{2,6}(?:-gov)?\.)?([a-z0-9]+)\.[a-z0-9]/;

/** ARNs that do not say who made the model, such as those of an account's own profiles. */
export const isNameless = (name: string): boolean => name.startsWith("arn:") && !MAKER.test(name);

/**
 * True for models that are asked in Anthropic's format: Claude, by its own names and by its ids, and what does not say who made it, such
 * as the profiles of an account.
 */
export function isClaude(name: string): boolean {
  if (name.startsWith("claude")) return true;
  return MAKER.exec(name)?.[1] === "anthropic" || isNameless(name);
}

/** The areas of regions, the nearest first. */
const AREAS: readonly (readonly [region: RegExp, areas: readonly Area[]])[] = [
  [/^(?:us|ca)-(?!gov-)/, ["us"]],
  [/^eu-/, ["eu"]],
  [/^ap-northeast-[13]$/, ["jp", "apac"]],
  [/^ap-southeast-[246]$/, ["au", "apac"]],
  [/^ap-/, ["apac"]],
];

/** The id of the model itself, without an area; a name that is not in the table goes as it is. */
export const foundationId = (name: string): string => ownOf(TABLE, name)?.id ?? name;

/** The id to call in a region: that of the nearest area's inference profile where the model has one. */
export function modelId(name: string, region: string): string {
  const model = ownOf(TABLE, name) ?? ownOf(PROFILED, name);
  if (model === undefined) return name;
  const near = AREAS.find(([pattern]) => pattern.test(region))?.[1] ?? [];
  const area = [...near, "global" as const].find((each) => model.areas.includes(each));
  const isGovernment = region.startsWith("us-gov-") || region.startsWith("cn-");
  return area === undefined || isGovernment ? model.id : `${area}.${model.id}`;
}

/** The name of this program for an id of the vendor's list; ids that it has no name for stay. */
export const nameOf = (id: string): string => models.find((name) => TABLE[name]?.id === id) ?? id;

/** Efforts that every row below knows; `none` is separate, since few can stop thinking. */
export type KnownEffort = "none" | "low" | "medium" | "high";

/** `additionalModelRequestFields` for an effort; undefined if the model does not support it. */
type EffortFields = (effort: KnownEffort) => JsonObject | undefined;

const flatEffort: EffortFields = (effort) => (effort === "none" ? undefined : { reasoning_effort: effort });

/**
 * Nova: docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html. gpt-oss and Kimi take the field of chat completions,
 * OpenAI's other models that of Responses (github.com/anomalyco/opencode/pull/48195, github.com/langchain-ai/docs/pull/5239).
 */
const EFFORTS: readonly (readonly [id: RegExp, fields: EffortFields])[] = [
  [
    /\bamazon\.nova-2-/,
    (effort) => ({
      reasoningConfig: effort === "none" ? { type: "disabled" } : { type: "enabled", maxReasoningEffort: effort },
    }),
  ],
  [/\b(?:openai\.gpt-oss|moonshot(?:ai)?\.kimi)/, flatEffort],
  [/\bopenai\./, (effort) => ({ reasoning: { effort } })],
];

export interface ConverseTraits {
  /** Cache breakpoints of the client are supported. */
  hasCache: boolean;
  /** `additionalModelRequestFields` for top_k; absent where it is not taken. */
  topK?: (value: number) => JsonObject;
  effort?: EffortFields;
  /** The highest effort goes with no bound of the answer and no sampling (github.com/UKGovernmentBEIS/inspect_ai/issues/3767). */
  hasBareHighEffort: boolean;
  /** Counts of a stream have what the cache held in the input too, those of an answer in one piece do not (github.com/maximhq/bifrost/pull/6942). */
  streamsWholeInput: boolean;
  /**
   * The schema of a tool has type, properties and required around its parameters, and nothing else
   * (github.com/zed-industries/zed/issues/31815).
   */
  hasPlainSchemas: boolean;
  /** Text and tool results cannot share a turn (github.com/strands-agents/harness-sdk/issues/1223). */
  keepsApart: boolean;
  /** A tool result can hold pictures, and be flagged as an error (.../APIReference/API_runtime_ToolResultBlock.html). */
  hasRichResults: boolean;
}

/** docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html and .../nova/latest/userguide/using-converse-api.html. */
export function traitsOf(model: string): ConverseTraits {
  const isNova = /\bamazon\.nova-/.test(model);
  return {
    hasCache: isNova,
    hasRichResults: isNova,
    hasBareHighEffort: isNova,
    hasPlainSchemas: isNova,
    streamsWholeInput: /\bopenai\./.test(model),
    keepsApart: /\bmeta\./.test(model),
    ...(isNova ? { topK: (value) => ({ inferenceConfig: { topK: value } }) } : {}),
    ...defined({ effort: EFFORTS.find(([id]) => id.test(model))?.[1] }),
  };
}

/** The nearest effort that all of them know. */
export const NEAREST: Readonly<Record<Effort, KnownEffort>> = {
  none: "none",
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};
