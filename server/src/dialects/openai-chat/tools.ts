/** Tools and tool_choice of a chat request -> neutral ones, with the retired functions. */
import type { FunctionTool, JsonObject, NeutralTool, ToolChoice, WebSearchTool } from "../neutral/neutral.ts";
import { ownOf } from "../json/fields.ts";
import { cacheOf } from "./parts-decode.ts";
import {
  booleanAt,
  isAbsent,
  listAt,
  needName,
  needObject,
  needText,
  objectAt,
  refuse,
  textAt,
  wordAt,
} from "./fields.ts";

/** Tools the model may use, and what was said about which. */
export interface ToolFields {
  tools: NeutralTool[];
  toolChoice?: ToolChoice;
}

const NO_ARGUMENTS: JsonObject = { type: "object", properties: {} };

function functionTool(fields: JsonObject, path: string): FunctionTool {
  const description = textAt(fields, "description", `${path}.description`);
  const isStrict = booleanAt(fields, "strict", `${path}.strict`);
  return {
    kind: "function",
    name: needName(fields["name"], `${path}.name`),
    ...(description === undefined ? {} : { description }),
    parameters: objectAt(fields, "parameters", `${path}.parameters`) ?? NO_ARGUMENTS,
    ...(isStrict === undefined ? {} : { isStrict }),
  };
}

/** `web_search_options`, or the fields of a tool of that kind. */
function webSearch(fields: JsonObject, path: string): WebSearchTool {
  const contextSize = wordAt(fields, "search_context_size", ["low", "medium", "high"], `${path}.search_context_size`);
  const location = objectAt(fields, "user_location", `${path}.user_location`);
  const approximate = location === undefined ? undefined : (objectAt(location, "approximate") ?? withoutType(location));
  return {
    kind: "web_search",
    ...(contextSize === undefined ? {} : { contextSize }),
    ...(approximate === undefined ? {} : { location: approximate }),
  };
}

const withoutType = ({ type: _type, ...place }: JsonObject): JsonObject => place;

const WEB_SEARCH_TYPES: ReadonlySet<string> = new Set(["web_search", "web_search_preview"]);

function readTool(value: unknown, path: string): NeutralTool {
  const tool = needObject(value, path);
  const type = needText(tool["type"], `${path}.type`);
  if (WEB_SEARCH_TYPES.has(type)) return webSearch(tool, path);
  if (type !== "function")
    refuse(`${path}.type`, `has the value '${type}': this model takes tools of type 'function' only`);
  const called = needObject(tool["function"], `${path}.function`);
  return { ...functionTool(called, `${path}.function`), ...cacheOf(called), ...cacheOf(tool) };
}

function readTools(fields: JsonObject): NeutralTool[] {
  const tools = listAt(fields, "tools").map((tool, index) => readTool(tool, `tools[${index}]`));
  const functions = listAt(fields, "functions").map((each, index) =>
    functionTool(needObject(each, `functions[${index}]`), `functions[${index}]`),
  );
  const search = objectAt(fields, "web_search_options");
  const hasSearch = search !== undefined && !tools.some(({ kind }) => kind === "web_search");
  return [...tools, ...functions, ...(hasSearch ? [webSearch(search, "web_search_options")] : [])];
}

/** `any` is what Mistral's clients say for required. */
const PLAIN_CHOICES: Readonly<Record<string, ToolChoice>> = {
  none: { kind: "none" },
  auto: { kind: "auto" },
  required: { kind: "required" },
  any: { kind: "required" },
};

function plainChoice(word: string, path: string): ToolChoice {
  return ownOf(PLAIN_CHOICES, word) ?? refuse(path, "must be one of none, auto, required");
}

const isFunction = (tool: NeutralTool): tool is FunctionTool => tool.kind === "function";

function namedChoice(fields: JsonObject, tools: readonly NeutralTool[], path: string): ToolChoice {
  const name = needName(fields["name"], `${path}.name`);
  if (!tools.filter(isFunction).some((tool) => tool.name === name))
    refuse(`${path}.name`, "must be the name of one of the tools");
  return { kind: "tool", name };
}

/** Only some of the tools may be used: the others are left out, which says the same to every vendor. */
function allowedTools(choice: JsonObject, tools: NeutralTool[]): ToolFields {
  const path = "tool_choice.allowed_tools";
  const allowed = needObject(choice["allowed_tools"], path);
  const names = new Set(
    listAt(allowed, "tools", `${path}.tools`).map((each, index) => {
      const place = `${path}.tools[${index}]`;
      const called = needObject(needObject(each, place)["function"], `${place}.function`);
      return needName(called["name"], `${place}.function.name`);
    }),
  );
  return {
    tools: tools.filter((tool) => isFunction(tool) && names.has(tool.name)),
    toolChoice: plainChoice(needText(allowed["mode"], `${path}.mode`), `${path}.mode`),
  };
}

function chosenFrom(tools: NeutralTool[], choice: unknown, path: string): ToolFields {
  if (isAbsent(choice)) return { tools };
  if (typeof choice === "string") return { tools, toolChoice: plainChoice(choice, path) };
  const fields = needObject(choice, path);
  if (path === "function_call") return { tools, toolChoice: namedChoice(fields, tools, path) };
  if (fields["type"] === "allowed_tools") return allowedTools(fields, tools);
  if (fields["type"] !== "function") refuse(`${path}.type`, "must be 'function' or 'allowed_tools'");
  return {
    tools,
    toolChoice: namedChoice(needObject(fields["function"], `${path}.function`), tools, `${path}.function`),
  };
}

/** Reads tools, functions, web_search_options, tool_choice and function_call. Throws TranslationFault for what no target has. */
export function readToolFields(fields: JsonObject): ToolFields {
  const tools = readTools(fields);
  const path = isAbsent(fields["tool_choice"]) ? "function_call" : "tool_choice";
  const chosen = chosenFrom(tools, fields[path], path);
  if (chosen.tools.length > 0 || chosen.toolChoice === undefined) return chosen;
  if (chosen.toolChoice.kind === "required") refuse(path, "asks for a tool call, and there are no tools");
  return { tools: chosen.tools };
}
