/** Usage in Anthropic's format, both ways: its `input_tokens` exclude cached tokens (platform.claude.com/docs/en/api/messages). */
import { NO_USAGE, type ToolCalls, type Usage } from "../../../../contract/src/pricing/usage.ts";
import { readTopLevel, JsonFault, fieldOf } from "../json/bytes.ts";
import { isObject, listOf, objectOf, parseObject } from "../json/fields.ts";
import type { JsonObject } from "../neutral/neutral.ts";
import { type NormalisedUsage, countOf } from "../neutral/usage-counts.ts";

/** Writes to the cache by how long they live; without the breakdown all live five minutes. */
function cacheWrites(source: JsonObject, faults: string[]): { short: number; long: number } {
  const total = countOf(source, "cache_creation_input_tokens", faults);
  const parts = objectOf(source["cache_creation"]);
  const long = countOf(parts, "ephemeral_1h_input_tokens", faults);
  const short = countOf(parts, "ephemeral_5m_input_tokens", faults);
  return { short: Math.max(short, total - long), long };
}

/** True for the block with the finds of one search; one that failed costs nothing (agents-and-tools/tool-use/web-search-tool, usage). */
export const isSearchResult = (block: JsonObject): boolean =>
  block["type"] === "web_search_tool_result" && Array.isArray(block["content"]);

/**
 * Calls of the vendor's own search, and the container that its code ran in, one for an answer however often it ran
 * (agents-and-tools/tool-use/code-execution-tool, usage); prices are put in by who knows them.
 */
function toolCallsOf(source: JsonObject, faults: string[]): readonly ToolCalls[] {
  const used = objectOf(source["server_tool_use"]);
  const counts = [
    ["web_search", countOf(used, "web_search_requests", faults)] as const,
    ["code_interpreter", Math.min(1, countOf(used, "code_execution_requests", faults))] as const,
  ];
  return counts.flatMap(([tool, calls]) => (calls === 0 ? [] : [{ tool, calls, usdPerThousand: "" }]));
}

/**
 * Samplings beside the answer, whose tokens the totals exclude although they are billed: the summary of a compaction
 * (build-with-claude/compaction-threshold, usage), and an adviser's answer, which is another model's
 * (agents-and-tools/tool-use/advisor-tool, usage) and count as this one's here.
 */
const APART: ReadonlySet<unknown> = new Set(["compaction", "advisor_message"]);
/** More than an answer has; what an upstream says is bounded. */
const MAX_APART = 1000;

const samplingsApart = ({ iterations }: JsonObject): JsonObject[] =>
  listOf(iterations)
    .filter((entry): entry is JsonObject => isObject(entry) && APART.has(entry["type"]))
    .slice(0, MAX_APART);

type TokenCounts = Pick<
  Usage,
  "inputTokens" | "outputTokens" | "cacheReadTokens" | "cacheWriteTokens" | "cacheWriteLongTokens"
>;

function countsOf(source: JsonObject, faults: string[]): TokenCounts {
  const { short, long } = cacheWrites(source, faults);
  const cacheReadTokens = countOf(source, "cache_read_input_tokens", faults);
  return {
    inputTokens: countOf(source, "input_tokens", faults) + cacheReadTokens + short + long,
    outputTokens: countOf(source, "output_tokens", faults),
    cacheReadTokens,
    cacheWriteTokens: short,
    cacheWriteLongTokens: long,
  };
}

const sum = (one: TokenCounts, other: TokenCounts): TokenCounts => ({
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
  cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
  cacheWriteLongTokens: one.cacheWriteLongTokens + other.cacheWriteLongTokens,
});

/** Reads `usage` of a message, or of a stream's events put together. Undefined where nothing was counted. */
export function normaliseUsage(raw: unknown): NormalisedUsage | undefined {
  const source = objectOf(raw);
  const faults: string[] = [];
  const counts = samplingsApart(source).reduce<TokenCounts>(
    (total, each) => sum(total, countsOf(each, faults)),
    countsOf(source, faults),
  );
  if (counts.inputTokens === 0 && counts.outputTokens === 0) return undefined;
  const thinking = countOf(objectOf(source["output_tokens_details"]), "thinking_tokens", faults);
  const usage: Usage = {
    ...NO_USAGE,
    ...counts,
    reasoningTokens: Math.min(thinking, counts.outputTokens),
    toolCalls: toolCallsOf(source, faults),
  };
  return { usage, faults };
}

/**
 * Usage where a message starts, without its count of what comes out, which is only the first token's: a gateway that never counts the rest
 * would have it stand for the whole answer.
 */
export const startUsage = (usage: unknown): unknown => (isObject(usage) ? { ...usage, output_tokens: 0 } : usage);

const isSaid = (value: unknown): boolean => value !== null && value !== undefined && value !== 0;

const isCount = ([name, value]: [string, unknown]): boolean => typeof value === "number" || name === "cache_creation";

/**
 * Puts a later usage object of a stream over an earlier one: counts are cumulative, so the later win where they are there. A zero over
 * something is a gateway that does not know, and so is null; but one with `iterations` is the vendor's own and whole: what a compaction
 * read from the cache or wrote to it is in its iteration then, and no count of the start holds any longer.
 */
export function mergeUsage(earlier: unknown, later: unknown): unknown {
  if (!isObject(later)) return earlier;
  if (!isObject(earlier)) return later;
  if (Array.isArray(later["iterations"]) && typeof later["input_tokens"] === "number")
    return { ...Object.fromEntries(Object.entries(earlier).filter((entry) => !isCount(entry))), ...later };
  const isTaken = ([name, value]: [string, unknown]): boolean => isSaid(value) || !isSaid(earlier[name]);
  return { ...earlier, ...Object.fromEntries(Object.entries(later).filter(isTaken)) };
}

/** Usage as Anthropic writes it. */
export function encodeUsage(usage: Usage): JsonObject {
  const { cacheReadTokens, cacheWriteTokens, cacheWriteLongTokens, reasoningTokens } = usage;
  const written = cacheWriteTokens + cacheWriteLongTokens;
  const searches = usage.toolCalls
    .filter(({ tool }) => tool === "web_search")
    .reduce((sum, { calls }) => sum + calls, 0);
  return {
    input_tokens: Math.max(0, usage.inputTokens - cacheReadTokens - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cacheReadTokens,
    cache_creation: { ephemeral_5m_input_tokens: cacheWriteTokens, ephemeral_1h_input_tokens: cacheWriteLongTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: reasoningTokens === 0 ? null : { thinking_tokens: reasoningTokens },
    server_tool_use: searches === 0 ? null : { web_search_requests: searches, web_fetch_requests: 0 },
    service_tier: "standard",
    inference_geo: null,
    speed: null,
  };
}

const DEPTH_OF_ANSWERS = 512;

/**
 * The usage object of a buffered answer. Read at the top level only: a tool's input is JSON too, and may hold a `usage` of its own.
 */
export function findUsage(text: string): unknown {
  try {
    const field = fieldOf(readTopLevel(text, DEPTH_OF_ANSWERS), "usage");
    return field === undefined ? undefined : parseObject(text.slice(field.valueStart, field.valueEnd));
  } catch (fault) {
    if (fault instanceof JsonFault) return undefined;
    throw fault;
  }
}
