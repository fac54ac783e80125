/** Usage of the Responses API, both ways (platform.openai.com/docs/api-reference/responses/object). */
import {
  CHARGED_TOOLS,
  type ChargedTool,
  NO_USAGE,
  type Surcharge,
  type ToolCalls,
  type Usage,
} from "../../../../contract/src/pricing/usage.ts";
import { isObject, listOf, objectOf, ownOf, parseObject, textOf } from "../json/fields.ts";
import type { JsonObject } from "../neutral/neutral.ts";
import { type NormalisedUsage, countOf, findObject, findText } from "../neutral/usage-counts.ts";

/** Items of an output that are calls of a tool with a price of its own, by their types. */
const CALL_TYPES: Readonly<Record<string, ChargedTool>> = {
  web_search_call: "web_search",
  file_search_call: "file_search",
  image_generation_call: "image_generation",
  code_interpreter_call: "code_interpreter",
  shell_call: "code_interpreter",
};

/** A call of a priced tool. Calls that share a container cost one of it. */
export interface PricedCall {
  tool: ChargedTool;
  /** Of a picture its size and quality. */
  variant?: string;
  container?: string;
}

function pictureOf(item: JsonObject): PricedCall | undefined {
  if (item["status"] === "failed" || item["result"] === null) return undefined;
  return {
    tool: "image_generation",
    variant: `${textOf(item["size"]) || "auto"} ${textOf(item["quality"]) || "auto"}`,
  };
}

/** Code runs in a container, whose id stands at the call or in its environment; a shell without one is the client's own. */
function containerOf(item: JsonObject): PricedCall | undefined {
  const container = textOf(item["container_id"]) || textOf(objectOf(item["environment"])["container_id"]);
  return container === "" ? undefined : { tool: "code_interpreter", container };
}

/**
 * The call of a priced tool that an item is. Of web searches only the search itself has a price; opening a page and searching in it
 * are steps of one (platform.openai.com/docs/guides/tools-web-search, pricing#built-in-tools).
 */
function readCall(item: JsonObject): PricedCall | undefined {
  const tool = ownOf(CALL_TYPES, textOf(item["type"]));
  if (tool === undefined) return undefined;
  if (tool === "image_generation") return pictureOf(item);
  if (tool === "code_interpreter") return containerOf(item);
  const isStep = tool === "web_search" && (objectOf(item["action"])["type"] ?? "search") !== "search";
  return isStep ? undefined : { tool };
}

/** The calls of priced tools in one answer. */
export class CalledTools {
  readonly #counts = new Map<string, number>();
  readonly #containers = new Set<string>();

  /** Counts an item where it is a call that costs; undefined where it is none. */
  count(item: JsonObject): PricedCall | undefined {
    const call = readCall(item);
    if (call === undefined) return undefined;
    if (call.container !== undefined) {
      if (this.#containers.has(call.container)) return undefined;
      this.#containers.add(call.container);
    }
    const name = call.variant === undefined ? call.tool : `${call.tool} ${call.variant}`;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    return call;
  }

  /** Counts by tool, or by tool and variant. */
  entries(): [name: string, count: number][] {
    return [...this.#counts];
  }
}

/**
 * The usage object with the number of calls of each priced tool where the vendor itself writes that of its searches, which it does not
 * in every answer.
 */
export function withToolCalls(usage: unknown, calls: CalledTools, response: JsonObject = {}): unknown {
  if (!isObject(usage)) return undefined;
  const ownCount = objectOf(objectOf(response["tool_usage"])["web_search"])["num_requests"];
  const counted = new Map(calls.entries());
  if (typeof ownCount === "number") counted.set("web_search", ownCount);
  const entries = [...counted].filter(([, count]) => count !== 0);
  if (entries.length === 0) return usage;
  return { ...usage, tool_usage: Object.fromEntries(entries.map(([tool, count]) => [tool, { num_requests: count }])) };
}

/** Usage of a response object and the calls of priced tools in its output. */
export function rawUsageOf(response: JsonObject): unknown {
  const calls = new CalledTools();
  for (const item of listOf(response["output"])) if (isObject(item)) calls.count(item);
  return withToolCalls(response["usage"], calls, response);
}

const CALL_MARKS = Object.keys(CALL_TYPES).map((type) => `"${type}"`);

/** True where a text may speak of a call of a priced tool. */
export const mayBeCall = (text: string): boolean => CALL_MARKS.some((mark) => text.includes(mark));

/** In a buffered answer, and in an event around one. The answer repeats the client's tools, whose schemas may have a `usage` too. */
const [IN_ANSWER, IN_EVENT] = [[1], [2]];

function findIn(text: string, depths: readonly number[]): unknown {
  const usage = findObject(text, '"usage"', depths);
  if (!mayBeCall(text)) return usage;
  const parsed = parseObject(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  if (parsed === undefined) return usage;
  return rawUsageOf(depths === IN_EVENT ? objectOf(parsed["response"]) : parsed);
}

/**
 * Usage of a buffered answer's text (Latin-1). Where the text speaks of calls of priced tools the answer is parsed to count them; else only
 * the usage object is.
 */
export const findUsage = (text: string): unknown => findIn(text, IN_ANSWER);

/** The same for the text of the event that closes a stream. */
export const findEventUsage = (text: string): unknown => findIn(text, IN_EVENT);

/** The tier that served an answer, which may be another than the first events of its stream repeat from the request. */
export const findTier = (text: string, isEvent: boolean): string | undefined =>
  findText(text, '"service_tier"', isEvent ? IN_EVENT : IN_ANSWER);

function toolCallsOf(source: JsonObject, faults: string[]): ToolCalls[] {
  const entries = Object.entries(objectOf(source["tool_usage"]));
  return CHARGED_TOOLS.flatMap((tool) =>
    entries.flatMap(([name, counted]): ToolCalls[] => {
      if (name !== tool && !name.startsWith(`${tool} `)) return [];
      const calls = countOf(objectOf(counted), "num_requests", faults);
      const variant = name === tool ? {} : { variant: name.slice(tool.length + 1) };
      return calls === 0 ? [] : [{ tool, ...variant, calls, usdPerThousand: "" }];
    }),
  );
}

/** Undefined where neither input nor output tokens are above 0. Prices of searches are put in by who knows them. */
export function normaliseUsage(raw: unknown): NormalisedUsage | undefined {
  const source = objectOf(raw);
  const [input, output] = [objectOf(source["input_tokens_details"]), objectOf(source["output_tokens_details"])];
  const faults: string[] = [];
  const inputTokens = countOf(source, "input_tokens", faults);
  const outputTokens = countOf(source, "output_tokens", faults);
  if (inputTokens === 0 && outputTokens === 0) return undefined;
  const cacheReadTokens = Math.min(countOf(input, "cached_tokens", faults), inputTokens);
  const written = Math.min(countOf(input, "cache_write_tokens", faults), inputTokens - cacheReadTokens);
  const long = Math.min(countOf(objectOf(input["cache_write_tokens_details"]), "ttl_12h_tokens", faults), written);
  const usage: Usage = {
    ...NO_USAGE,
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens: written - long,
    cacheWriteLongTokens: long,
    reasoningTokens: Math.min(countOf(output, "reasoning_tokens", faults), outputTokens),
    toolCalls: toolCallsOf(source, faults),
  };
  return { usage, faults };
}

const TIERS: Readonly<Partial<Record<Surcharge, string>>> = {
  service_tier_priority: "priority",
  service_tier_ultrafast: "ultrafast",
  service_tier_flex: "flex",
};

/** `service_tier` of an answer: the tier it was charged as, which may differ from the one requested. */
export const chargedTier = ({ surcharges }: Usage): string =>
  surcharges.flatMap(({ surcharge }) => TIERS[surcharge] ?? [])[0] ?? "default";

/** The usage object of an answer; input and output include their parts. */
export const encodeUsage = (usage: Usage): JsonObject => ({
  input_tokens: usage.inputTokens,
  input_tokens_details: {
    cached_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens + usage.cacheWriteLongTokens,
  },
  output_tokens: usage.outputTokens,
  output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  total_tokens: usage.inputTokens + usage.outputTokens,
});
