/** Tools and tool_choice of the Responses API, both ways (platform.openai.com/docs/guides/tools). */
import { isObject, listOf, textOf, unknownNames } from "../json/fields.ts";
import { needObject, needText, readBoolean, readList, readNumber, readObject, readText } from "./fields.ts";
import {
  type FunctionTool,
  type JsonObject,
  type NeutralRequest,
  type NeutralTool,
  type ToolChoice,
  TranslationFault,
  type WebSearchTool,
} from "../neutral/neutral.ts";
import { type ClientTool, clientToolOf } from "./client-tools.ts";
import { flatName, toolsInInput } from "./tool-names.ts";

const NO_PARAMETERS: JsonObject = { type: "object", properties: {} };
const WEB_SEARCH_TYPES: ReadonlySet<string> = new Set([
  "web_search",
  "web_search_2025_08_26",
  "web_search_preview",
  "web_search_preview_2025_03_11",
]);
const CONTEXT_SIZES: ReadonlySet<unknown> = new Set(["low", "medium", "high"]);

/** Fields read of translated tools. */
const READ_FUNCTION: ReadonlySet<string> = new Set(["type", "name", "description", "parameters", "strict"]);
const READ_SEARCH: ReadonlySet<string> = new Set(["type", "filters", "search_context_size", "user_location"]);

/** Names of fields that have no place elsewhere, in tools of groups too. */
function unreadFields(tool: unknown): string[] {
  if (!isObject(tool)) return [];
  const type = textOf(tool["type"]);
  if (type === "namespace") return listOf(tool["tools"]).flatMap(unreadFields);
  if (type !== "function" && !WEB_SEARCH_TYPES.has(type)) return [];
  return unknownNames(tool, type === "function" ? READ_FUNCTION : READ_SEARCH).map((name) => `tools[].${name}`);
}

function functionOf(tool: JsonObject, at: string): FunctionTool {
  const description = readText(tool, "description", at);
  const isStrict = readBoolean(tool, "strict", at);
  return {
    kind: "function",
    name: needText(tool, "name", at),
    parameters: readObject(tool, "parameters", at) ?? NO_PARAMETERS,
    ...(description === undefined ? {} : { description }),
    ...(isStrict === undefined ? {} : { isStrict }),
  };
}

/** A freeform tool as a function with one text; its grammar goes into the description, since other vendors do not enforce one. */
function customOf(tool: JsonObject, at: string): FunctionTool {
  const format = readObject(tool, "format", at);
  const grammar = textOf(format?.["definition"]);
  const rules = grammar === "" ? "" : `The input must follow this ${textOf(format?.["syntax"])} grammar:\n${grammar}`;
  const description = [readText(tool, "description", at) ?? "", rules].filter((text) => text !== "").join("\n\n");
  return {
    kind: "function",
    name: needText(tool, "name", at),
    parameters: {
      type: "object",
      properties: { input: { type: "string", description: "The whole input of the tool, as plain text." } },
      required: ["input"],
      additionalProperties: false,
    },
    ...(description === "" ? {} : { description }),
  };
}

/** A tool of the client's whose shape the vendor knows, as the function it is elsewhere. */
function clientFunction({ type, description, parameters }: ClientTool, tool: JsonObject, at: string): FunctionTool {
  return {
    kind: "function",
    name: type,
    description: readText(tool, "description", at) ?? description,
    parameters: readObject(tool, "parameters", at) ?? parameters,
  };
}

/**
 * The vendor's own tools that agents always offer, and can work without. Everything else that is
 * done at the vendor is what the answer is made of.
 */
const DISPENSABLE: ReadonlySet<string> = new Set(["image_generation", "tool_search", "programmatic_tool_calling"]);

/** The location as cities and zones, without its `type`. */
function locationOf(tool: JsonObject, at: string): { location: JsonObject } | undefined {
  const { type: _type, ...location } = readObject(tool, "user_location", at) ?? {};
  const named = Object.entries(location).filter(([, value]) => value !== null && value !== undefined);
  return named.length === 0 ? undefined : { location: Object.fromEntries(named) };
}

function searchOf(tool: JsonObject, at: string, maxUses: number | undefined): WebSearchTool {
  const size = readText(tool, "search_context_size", at) as WebSearchTool["contextSize"];
  if (size !== undefined && !CONTEXT_SIZES.has(size))
    throw new TranslationFault(`${at}.search_context_size`, `${at}.search_context_size must be low, medium or high`);
  const domains = listOf(readObject(tool, "filters", at)?.["allowed_domains"]).filter(
    (name) => typeof name === "string",
  );
  return {
    kind: "web_search",
    ...(size === undefined ? {} : { contextSize: size }),
    ...(maxUses === undefined ? {} : { maxUses }),
    ...(domains.length === 0 ? {} : { allowedDomains: domains }),
    ...locationOf(tool, at),
  };
}

/** The tools of a group under their flat names. */
function groupOf(group: JsonObject, at: string): NeutralTool[] {
  const namespace = needText(group, "name", at);
  return (readList(group, "tools", at) ?? []).flatMap((tool, index) =>
    toolsOf(tool, `${at}.tools[${index}]`, undefined).map((one) =>
      one.kind === "function" ? { ...one, name: flatName(namespace, one.name) } : one,
    ),
  );
}

function toolsOf(value: unknown, at: string, maxUses: number | undefined): NeutralTool[] {
  const tool = needObject(value, at);
  const type = needText(tool, "type", at);
  if (type === "function") return [functionOf(tool, at)];
  if (type === "custom") return [customOf(tool, at)];
  if (type === "namespace") return groupOf(tool, at);
  if (WEB_SEARCH_TYPES.has(type)) return [searchOf(tool, at, maxUses)];
  const clientTool = clientToolOf(tool);
  if (clientTool !== undefined) return [clientFunction(clientTool, tool, at)];
  throw new TranslationFault(`${at}.type`, `${at}.type "${type}" works only on channels that speak the Responses API`);
}

const nameOf = (tool: NeutralTool): string => (tool.kind === "function" ? tool.name : "");

const namesIn = (tools: readonly NeutralTool[]): ReadonlySet<string> => new Set(tools.map(nameOf));

/** The function a choice names; it must be among the tools. */
function namedIn(choice: JsonObject, at: string, names: ReadonlySet<string>): string {
  const name = needText(choice, "name", at);
  if (!names.has(name)) throw new TranslationFault(`${at}.name`, `${at}.name "${name}" is none of the tools`);
  return name;
}

interface Tools {
  tools: readonly NeutralTool[];
  toolChoice?: ToolChoice;
}

/** The first of each name: what was found by a search may stand among the tools already. */
function withoutDoubles(tools: readonly NeutralTool[]): NeutralTool[] {
  const names = new Set<string>();
  return tools.filter((tool) => {
    const name = nameOf(tool) || tool.kind;
    return !names.has(name) && names.add(name).has(name);
  });
}

/** Only some of the tools may be used: the others are left out, which means the same to every vendor. */
function allowedTools(choice: JsonObject, tools: readonly NeutralTool[]): Tools {
  const names = namesIn(tools);
  const allowed = new Set(
    (readList(choice, "tools", "tool_choice") ?? []).map((value, index) => {
      const at = `tool_choice.tools[${index}]`;
      const entry = needObject(value, at);
      return WEB_SEARCH_TYPES.has(textOf(entry["type"])) ? "" : namedIn(entry, at, names);
    }),
  );
  const kind = readText(choice, "mode", "tool_choice") === "required" ? "required" : "auto";
  return { tools: tools.filter((tool) => allowed.has(nameOf(tool))), toolChoice: { kind } };
}

function withChoice(choice: unknown, tools: readonly NeutralTool[]): Tools {
  if (choice === undefined || choice === null) return { tools };
  if (choice === "auto" || choice === "none" || choice === "required") return { tools, toolChoice: { kind: choice } };
  const type = isObject(choice) ? textOf(choice["type"]) : "";
  if (isObject(choice) && (type === "function" || type === "custom"))
    return { tools, toolChoice: { kind: "tool", name: namedIn(choice, "tool_choice", namesIn(tools)) } };
  if (isObject(choice) && type === "allowed_tools") return allowedTools(choice, tools);
  if (WEB_SEARCH_TYPES.has(type) && tools.length === 1 && tools[0]?.kind === "web_search")
    return { tools, toolChoice: { kind: "required" } };
  throw new TranslationFault(
    "tool_choice",
    "tool_choice must be auto, none, required, allowed_tools, or name a function",
  );
}

/** True where the answer need not use one of the tools. */
const isFree = (choice: unknown): boolean => [undefined, null, "auto", "none"].includes(choice as string | undefined);

/**
 * Reads tools, tool_choice and max_tool_calls; `left` are the places of tools and fields that can be done without. Throws TranslationFault naming
 * the tool that has no neutral form.
 */
export function decodeTools(fields: JsonObject): Tools & { dropped: readonly string[] } {
  const maxUses = readNumber(fields, "max_tool_calls");
  const list = [...(readList(fields, "tools") ?? []), ...toolsInInput(fields["input"])];
  const isLeft = (tool: unknown): boolean =>
    isObject(tool) && DISPENSABLE.has(textOf(tool["type"])) && clientToolOf(tool) === undefined;
  const mayLeave = isFree(fields["tool_choice"]) && !list.every(isLeft);
  const dropped: string[] = [];
  const tools = list.flatMap((tool, index) => {
    const at = `tools[${index}]`;
    if (!mayLeave || !isLeft(tool)) {
      for (const name of unreadFields(tool)) dropped.push(name);
      return toolsOf(tool, at, maxUses);
    }
    dropped.push(at);
    return [];
  });
  return { ...withChoice(fields["tool_choice"], withoutDoubles(tools)), dropped };
}

function encodeFunction({ name, description, parameters, isStrict }: FunctionTool): JsonObject {
  // Left out, the vendor takes a schema as strict, which few written for other vendors are.
  return {
    type: "function",
    name,
    ...(description === undefined ? {} : { description }),
    parameters,
    strict: isStrict ?? false,
  };
}

function encodeSearch(tool: WebSearchTool): JsonObject {
  if ((tool.blockedDomains ?? []).length > 0)
    throw new TranslationFault(
      "tools",
      "web search with blocked domains cannot be translated: OpenAI has allowed domains only",
    );
  const { contextSize, allowedDomains, location } = tool;
  return {
    type: "web_search",
    ...(contextSize === undefined ? {} : { search_context_size: contextSize }),
    ...(allowedDomains === undefined ? {} : { filters: { allowed_domains: allowedDomains } }),
    ...(location === undefined ? {} : { user_location: { type: "approximate", ...location } }),
  };
}

/** Fields `tools`, `tool_choice`, `parallel_tool_calls` and `max_tool_calls`. Throws TranslationFault for searches the vendor has not. */
export function encodeTools({ tools, toolChoice, hasParallelToolCalls }: NeutralRequest): JsonObject {
  const maxUses = tools.find((tool) => tool.kind === "web_search")?.maxUses;
  const isNamed = toolChoice?.kind === "tool";
  return {
    ...(tools.length === 0
      ? {}
      : { tools: tools.map((tool) => (tool.kind === "function" ? encodeFunction(tool) : encodeSearch(tool))) }),
    ...(toolChoice === undefined
      ? {}
      : { tool_choice: isNamed ? { type: "function", name: toolChoice.name } : toolChoice.kind }),
    ...(hasParallelToolCalls === undefined ? {} : { parallel_tool_calls: hasParallelToolCalls }),
    ...(maxUses === undefined ? {} : { max_tool_calls: maxUses }),
  };
}
