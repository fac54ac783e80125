/** Tools and the choice among them, both ways (platform.claude.com/docs/en/agents-and-tools/tool-use/overview). */
import {
  cacheControl,
  cacheOf,
  isAbsent,
  needList,
  needName,
  needObject,
  optionalBoolean,
  optionalNumber,
  optionalObject,
  optionalText,
  optionalTexts,
} from "./fields.ts";
import type { Drop } from "./parts-decode.ts";
import type { ModelTraits } from "./models.ts";
import { defined, isObject, ownOf, unknownNames } from "../json/fields.ts";
import type {
  FunctionTool,
  JsonObject,
  NeutralRequest,
  NeutralTool,
  ToolChoice,
  Warn,
  WebSearchTool,
} from "../neutral/neutral.ts";
import { TranslationFault } from "../neutral/neutral.ts";

const FUNCTION_FIELDS: ReadonlySet<string> = new Set([
  "type",
  "name",
  "description",
  "input_schema",
  "strict",
  "cache_control",
]);
const SEARCH_TYPE = /^web_search_\d{8}$/;
const SEARCH_VERSION = "web_search_20250305";

function readFunction(tool: JsonObject, param: string, drop: Drop): FunctionTool {
  for (const name of unknownNames(tool, FUNCTION_FIELDS)) drop(`tools[].${name}`);
  const description = optionalText(tool["description"], `${param}.description`);
  const isStrict = optionalBoolean(tool["strict"], `${param}.strict`);
  return {
    kind: "function",
    name: needName(tool["name"], `${param}.name`),
    ...defined({ description, isStrict }),
    parameters: needObject(tool["input_schema"], `${param}.input_schema`),
    ...cacheOf(tool, param),
  };
}

const SEARCH_FIELDS: ReadonlySet<string> = new Set([
  "type",
  "name",
  "max_uses",
  "allowed_domains",
  "blocked_domains",
  "user_location",
  "cache_control",
]);

function readSearch(tool: JsonObject, param: string, drop: Drop): WebSearchTool {
  for (const name of unknownNames(tool, SEARCH_FIELDS)) drop(`tools[].${name}`);
  const location = optionalObject(tool["user_location"], `${param}.user_location`);
  return {
    kind: "web_search",
    ...defined({
      maxUses: optionalNumber(tool["max_uses"], `${param}.max_uses`),
      allowedDomains: optionalTexts(tool["allowed_domains"], `${param}.allowed_domains`),
      blockedDomains: optionalTexts(tool["blocked_domains"], `${param}.blocked_domains`),
      location: location === undefined ? undefined : placeOf(location),
    }),
  };
}

/** An approximate location without its `type`. */
function placeOf({ type: _type, ...place }: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(place).filter(([, value]) => !isAbsent(value)));
}

/**
 * The vendor's own tools that agents always offer, and can work without. The tools a search would
 * have found are all there, since they are in the request.
 */
const DISPENSABLE_TYPE = /^(?:tool_search_tool|advisor|web_fetch|code_execution)_/;

const typeOf = (tool: unknown): string =>
  isObject(tool) && typeof tool["type"] === "string" ? tool["type"] : "custom";

/** Throws TranslationFault for tools that only this vendor runs and that cannot be done without. */
function readTools(tools: unknown, isFree: boolean, drop: Drop): NeutralTool[] {
  if (isAbsent(tools)) return [];
  const list = needList(tools, "tools");
  const isLeft = (tool: unknown): boolean => DISPENSABLE_TYPE.test(typeOf(tool));
  const mayLeave = isFree && !list.every(isLeft);
  return list.flatMap((entry, index): NeutralTool[] => {
    const param = `tools[${index}]`;
    const tool = needObject(entry, param);
    const type = optionalText(tool["type"], `${param}.type`) ?? "custom";
    if (type === "custom") return [readFunction(tool, param, drop)];
    if (SEARCH_TYPE.test(type)) return [readSearch(tool, param, drop)];
    if (!mayLeave || !isLeft(tool))
      throw new TranslationFault(
        `${param}.type`,
        `${param}.type "${type.slice(0, 64)}" is not supported by this model`,
      );
    drop(param);
    return [];
  });
}

const CHOICES: Readonly<Record<string, ToolChoice>> = {
  auto: { kind: "auto" },
  any: { kind: "required" },
  none: { kind: "none" },
};

/** The name a choice has for the vendor's search: the search is the only tool that can be meant. */
function searchName(fields: JsonObject): string {
  const tools = Array.isArray(fields["tools"]) ? fields["tools"] : [];
  const search = tools.filter(isObject).find((tool) => SEARCH_TYPE.test(typeOf(tool)));
  return typeof search?.["name"] === "string" ? search["name"] : "";
}

/** `tools` and `tool_choice`. Throws TranslationFault for tools that only this vendor runs and that cannot be done without. */
export function readToolsAndChoice(
  fields: JsonObject,
  drop: Drop,
): Pick<NeutralRequest, "tools" | "toolChoice" | "hasParallelToolCalls"> {
  const { toolChoice, ...rest } = readToolChoice(fields["tool_choice"]);
  const isFree = toolChoice === undefined || toolChoice.kind === "auto" || toolChoice.kind === "none";
  const tools = readTools(fields["tools"], isFree, drop);
  if (toolChoice === undefined) return { tools, ...rest };
  // With a forced search the other tools have no part in the answer (Claude Code's WebSearch).
  const isSearch = toolChoice.kind === "tool" && toolChoice.name === searchName(fields);
  if (!isSearch) return { tools, toolChoice, ...rest };
  return { tools: tools.filter(({ kind }) => kind === "web_search"), toolChoice: { kind: "required" }, ...rest };
}

/** `tool_choice`, which also says whether calls may come side by side. */
function readToolChoice(value: unknown): Pick<NeutralRequest, "toolChoice" | "hasParallelToolCalls"> {
  const choice = optionalObject(value, "tool_choice");
  if (choice === undefined) return {};
  const disables = optionalBoolean(choice["disable_parallel_tool_use"], "tool_choice.disable_parallel_tool_use");
  const parallel = disables === undefined ? {} : { hasParallelToolCalls: !disables };
  const type = needName(choice["type"], "tool_choice.type");
  if (type === "tool")
    return { toolChoice: { kind: "tool", name: needName(choice["name"], "tool_choice.name") }, ...parallel };
  const toolChoice = ownOf(CHOICES, type);
  if (toolChoice === undefined)
    throw new TranslationFault("tool_choice.type", 'tool_choice.type must be "auto", "any", "tool" or "none"');
  return { toolChoice, ...parallel };
}

function writeSearch(tool: WebSearchTool, warn: Warn): JsonObject {
  if (tool.contextSize !== undefined) warn("search_context_size", "Anthropic's search has no size of context");
  return defined({
    type: SEARCH_VERSION,
    name: "web_search",
    max_uses: tool.maxUses,
    allowed_domains: tool.allowedDomains,
    blocked_domains: tool.blockedDomains,
    user_location: tool.location === undefined ? undefined : { type: "approximate", ...tool.location },
  });
}

/** The vendor asks for an object schema, also where a tool takes nothing. */
const schemaOf = (parameters: JsonObject): JsonObject =>
  parameters["type"] === undefined ? { type: "object", ...parameters } : parameters;

function writeFunction(tool: FunctionTool, { hasStructuredOutputs }: ModelTraits, warn: Warn): JsonObject {
  const isStrict = tool.isStrict === true && hasStructuredOutputs;
  if (tool.isStrict === true && !isStrict)
    warn("tools[].strict", "this model does not hold tools strictly to their schema");
  return {
    name: tool.name,
    ...defined({ description: tool.description }),
    input_schema: schemaOf(tool.parameters),
    ...(isStrict ? { strict: true } : {}),
    ...cacheControl(tool.cache),
  };
}

function choiceFields(choice: ToolChoice): JsonObject {
  if (choice.kind === "tool") return { type: "tool", name: choice.name };
  return { type: choice.kind === "required" ? "any" : choice.kind };
}

/** `tools` and `tool_choice` as fields to spread; the choice is nothing without tools. */
export function toolFields(request: NeutralRequest, traits: ModelTraits, warn: Warn): JsonObject {
  const { tools, toolChoice, hasParallelToolCalls } = request;
  if (tools.length === 0) return {};
  const written = tools.map((tool) =>
    tool.kind === "function" ? writeFunction(tool, traits, warn) : writeSearch(tool, warn),
  );
  const isSingle = hasParallelToolCalls === false && toolChoice?.kind !== "none";
  if (toolChoice === undefined && !isSingle) return { tools: written };
  const choice = choiceFields(toolChoice ?? { kind: "auto" });
  return { tools: written, tool_choice: isSingle ? { ...choice, disable_parallel_tool_use: true } : choice };
}
