/**
 * Claude's names at Bedrock (platform.claude.com/docs/en/build-with-claude/claude-on-amazon-bedrock-legacy) and the areas whose inference
 * profiles have them (docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html and the model cards beside it).
 */
import { ownOf } from "../../dialects/json/fields.ts";

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
  const model = ownOf(TABLE, name);
  if (model === undefined) return name;
  const near = AREAS.find(([pattern]) => pattern.test(region))?.[1] ?? [];
  const area = [...near, "global" as const].find((each) => model.areas.includes(each));
  const isGovernment = region.startsWith("us-gov-") || region.startsWith("cn-");
  return area === undefined || isGovernment ? model.id : `${area}.${model.id}`;
}

/** The name of this program for an id of the vendor's list; ids that it has no name for stay. */
export const nameOf = (id: string): string => models.find((name) => TABLE[name]?.id === id) ?? id;
