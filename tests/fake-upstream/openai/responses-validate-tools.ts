/** Tools and the choice among them, as OpenAI's Responses API takes them (platform.openai.com/docs/guides/tools); a part of its checks. */
import { type Fields, type Found, each, invalid, isObject, isText, missing, refuse } from "../refusals.ts";

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/** A strict schema closes every object and requires all it names (platform.openai.com/docs/guides/structured-outputs). */
export function isStrictSchema(schema: unknown): boolean {
  if (!isObject(schema)) return true;
  const properties = schema["properties"];
  if (!isObject(properties)) return Object.values(schema).every(isStrictSchema);
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  if (schema["additionalProperties"] !== false) return false;
  return Object.entries(properties).every(([name, value]) => required.includes(name) && isStrictSchema(value));
}

function refuseFunction(tool: Fields, at: string): Found {
  if (!NAME.test(String(tool["name"]))) return missing(`${at}.name`);
  if (!isObject(tool["parameters"])) return invalid(`${at}.parameters`);
  if (tool["strict"] !== false && !isStrictSchema(tool["parameters"]))
    return refuse(
      `Invalid schema for function '${String(tool["name"])}'.`,
      `${at}.parameters`,
      "invalid_function_parameters",
    );
  return undefined;
}

/** Tools that need no more than their type. */
const PLAIN: ReadonlySet<unknown> = new Set([
  "web_search",
  "web_search_preview",
  "image_generation",
  "local_shell",
  "shell",
  "apply_patch",
  "tool_search",
]);

/** The grammar of a freeform tool. */
function refuseCustom({ name, format }: Fields, at: string): Found {
  if (!NAME.test(String(name))) return missing(`${at}.name`);
  if (format === undefined || (isObject(format) && format["type"] === "text")) return undefined;
  const isGrammar = isObject(format) && (format["syntax"] === "lark" || format["syntax"] === "regex");
  return isGrammar && isText(format["definition"]) ? undefined : invalid(`${at}.format`);
}

function refuseTool(tool: unknown, at: string): Found {
  if (!isObject(tool)) return invalid(at);
  if (tool["type"] === "function") return refuseFunction(tool, at);
  if (tool["type"] === "custom") return refuseCustom(tool, at);
  if (tool["type"] !== "namespace") return PLAIN.has(tool["type"]) ? undefined : invalid(`${at}.type`);
  if (!isText(tool["name"]) || !isText(tool["description"])) return missing(`${at}.name`);
  const { tools } = tool;
  return Array.isArray(tools)
    ? each(tools, (one, index) => refuseTool(one, `${at}.tools[${index}]`))
    : missing(`${at}.tools`);
}

/** Tools that come with the input (`additional_tools`, `tool_search_output`) beside those of the request. */
const brought = (input: unknown): readonly unknown[] =>
  (Array.isArray(input) ? input : []).filter(isObject).flatMap(({ tools }) => (Array.isArray(tools) ? tools : []));

/** The refusal of `tools`, of those in `input`, and of `tool_choice`. */
export function refuseTools(body: Fields): Found {
  const tools = body["tools"] ?? [];
  if (!Array.isArray(tools)) return invalid("tools");
  const found = each([...tools, ...brought(body["input"])], (tool, index) => refuseTool(tool, `tools[${index}]`));
  if (found !== undefined) return found;
  const choice = body["tool_choice"] ?? "auto";
  if (choice === "auto" || choice === "none" || choice === "required") return undefined;
  const names = tools.filter(isObject).map((tool) => tool["name"]);
  if (!isObject(choice)) return invalid("tool_choice");
  return isText(choice["name"]) && !names.includes(choice["name"])
    ? refuse(`Tool choice '${choice["name"]}' not found in 'tools' parameter.`, "tool_choice")
    : undefined;
}
