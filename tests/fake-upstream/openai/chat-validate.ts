/**
 * The conversation and the tools OpenAI's chat completions take: parts by role, calls answered at once, schemas that hold
 * (platform.openai.com/docs/api-reference/chat/create, docs/guides/function-calling, docs/guides/structured-outputs).
 */
import { type Fields, isObject, refuse as refuseAs } from "../refusals.ts";
import type { VendorError } from "../vendor.ts";

const refuse = (message: string, param: string, code = "invalid_value"): VendorError => refuseAs(message, param, code);

const isText = (value: unknown): value is string => typeof value === "string";
const isName = (value: unknown): boolean => isText(value) && /^[a-zA-Z0-9_-]{1,64}$/.test(value);

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

function isMedia(url: unknown): boolean {
  if (!isText(url)) return false;
  if (/^https?:\/\//.test(url)) return true;
  const comma = url.indexOf(",");
  return /^data:[\w.+-]+\/[\w.+-]+;base64$/.test(url.slice(0, comma)) && BASE64.test(url.slice(comma + 1));
}

const field = (part: Fields, name: string): Fields => (isObject(part[name]) ? part[name] : {});

/** Types of parts, and what each has to hold. */
const PARTS: Readonly<Record<string, (part: Fields) => boolean>> = {
  text: (part) => isText(part["text"]),
  refusal: (part) => isText(part["refusal"]),
  image_url: (part) => isMedia(field(part, "image_url")["url"]),
  input_audio(part) {
    const { data, format } = field(part, "input_audio");
    return isText(data) && BASE64.test(data) && (format === "wav" || format === "mp3");
  },
  file(part) {
    const { file_data: data, file_id: id, filename } = field(part, "file");
    return isText(id) || (isMedia(data) && isText(filename));
  },
};

const PARTS_OF: Readonly<Record<string, readonly string[]>> = {
  system: ["text"],
  developer: ["text"],
  tool: ["text"],
  function: [],
  assistant: ["text", "refusal"],
  user: ["text", "image_url", "input_audio", "file"],
};

/** Models behind vendors that take marks for their caches; OpenAI refuses them (openrouter.ai/docs/features/prompt-caching, help.aliyun.com/zh/model-studio/context-cache). */
const takesMarks = (model: unknown): boolean => /^(?:qwen|openrouter\/)/.test(String(model));

function refuseContent(content: unknown, role: string, place: string, model: unknown): VendorError | undefined {
  if (!Array.isArray(content)) return undefined;
  for (const [index, part] of content.entries()) {
    const at = `${place}.content[${index}]`;
    const type = isObject(part) ? String(part["type"]) : "";
    if (!(PARTS_OF[role] ?? []).includes(type)) return refuse(`Invalid value: '${type}'.`, `${at}.type`);
    if (PARTS[type]?.(part as Fields) !== true) return refuse(`Invalid '${at}.${type}'.`, `${at}.${type}`);
    if ("cache_control" in (part as Fields) && !takesMarks(model))
      return refuse(`Unknown parameter: '${at}.cache_control'.`, `${at}.cache_control`, "unknown_parameter");
  }
  return undefined;
}

function refuseCall(call: unknown, place: string): VendorError | undefined {
  if (!isObject(call) || call["type"] !== "function") return refuse(`Invalid value for '${place}.type'.`, place);
  const { id } = call;
  if (!isText(id) || id === "" || id.length > 40)
    return refuse(`Invalid '${place}.id': string too long.`, `${place}.id`);
  const called = field(call, "function");
  return isName(called["name"]) && isText(called["arguments"])
    ? undefined
    : refuse(`Invalid '${place}.function'.`, `${place}.function`);
}

const callsOf = (message: Fields): readonly unknown[] =>
  Array.isArray(message["tool_calls"]) ? message["tool_calls"] : [];

/** DeepSeek wants the thinking back that came before a call, unless it shall not think (api-docs.deepseek.com/guides/thinking_mode). */
const wantsThinking = ({ model, thinking }: Fields): boolean =>
  String(model).startsWith("deepseek-") && !(isObject(thinking) && thinking["type"] === "disabled");

function refuseAssistant(message: Fields, body: Fields, place: string): VendorError | undefined {
  const calls = callsOf(message);
  for (const [index, call] of calls.entries()) {
    const refusal = refuseCall(call, `${place}.tool_calls[${index}]`);
    if (refusal !== undefined) return refusal;
  }
  const { content, refusal: refused, function_call: legacy } = message;
  if (!isText(content) && !Array.isArray(content) && calls.length === 0 && !isText(refused) && !isObject(legacy))
    return refuse("Invalid value for 'content': expected a string, got null.", `${place}.content`);
  if (wantsThinking(body) && calls.length > 0 && !isText(message["reasoning_content"]))
    return refuse(
      "The `reasoning_content` in the thinking mode must be passed back to the API.",
      `${place}.reasoning_content`,
    );
  return undefined;
}

/** Calls wait in `open` until their results, which come before anything else. */
function refusePair(message: Fields, open: Set<unknown>, place: string): VendorError | undefined {
  if (message["role"] === "tool") {
    if (open.delete(message["tool_call_id"])) return undefined;
    const words = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
    return refuse(`Invalid parameter: ${words}`, `${place}.role`);
  }
  if (open.size > 0) {
    const words =
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";
    return refuse(`${words} Missing: ${[...open].join(", ")}`, `${place}.role`);
  }
  for (const call of callsOf(message)) open.add((call as Fields)["id"]);
  return undefined;
}

/** Refuses messages whose roles are known already. */
export function refuseConversation(messages: readonly Fields[], body: Fields): VendorError | undefined {
  const open = new Set<unknown>();
  for (const [index, message] of messages.entries()) {
    const place = `messages[${index}]`;
    const role = String(message["role"]);
    const refusal =
      refuseContent(message["content"], role, place, body["model"]) ??
      (role === "assistant" ? refuseAssistant(message, body, place) : undefined) ??
      refusePair(message, open, place);
    if (refusal !== undefined) return refusal;
  }
  return refusePair({ role: "end" }, open, "messages");
}

/** A strict schema names every property and allows no other. */
function isStrictSchema(schema: unknown): boolean {
  if (!isObject(schema) || schema["type"] !== "object") return true;
  const properties = Object.keys(field(schema, "properties"));
  const { required } = schema;
  return (
    schema["additionalProperties"] === false &&
    Array.isArray(required) &&
    properties.every((name) => required.includes(name)) &&
    Object.values(field(schema, "properties")).every(isStrictSchema)
  );
}

function refuseTools(body: Fields): VendorError | undefined {
  const { tools } = body;
  if (tools === undefined) {
    const lonely = ["tool_choice", "parallel_tool_calls"].find(
      (name) => body[name] !== undefined && body[name] !== "none",
    );
    return lonely === undefined ? undefined : refuse(`'${lonely}' is only allowed when 'tools' are specified.`, lonely);
  }
  if (!Array.isArray(tools) || tools.length === 0)
    return refuse("Invalid 'tools': empty array.", "tools", "empty_array");
  for (const [index, tool] of tools.entries()) {
    const called = isObject(tool) && tool["type"] === "function" ? field(tool, "function") : {};
    if (isObject(tool) && tool["type"] === "custom") continue;
    const { parameters, strict } = called;
    const isSound = parameters === undefined || (isObject(parameters) && parameters["type"] === "object");
    if (!isName(called["name"]) || !isSound || (strict === true && !isStrictSchema(parameters)))
      return refuse(`Invalid schema for function '${String(called["name"])}'.`, `tools[${index}].function`);
  }
  return undefined;
}

function refuseFormat(format: unknown): VendorError | undefined {
  if (format === undefined || format === null) return undefined;
  const type = isObject(format) ? format["type"] : undefined;
  if (type === "text" || type === "json_object") return undefined;
  const { name, schema, strict } = field(format as Fields, "json_schema");
  if (type !== "json_schema" || !isName(name) || !isObject(schema))
    return refuse("Invalid 'response_format'.", "response_format");
  return strict === true && !isStrictSchema(schema)
    ? refuse(`Invalid schema for response_format '${String(name)}'.`, "response_format", "invalid_json_schema")
    : undefined;
}

/** Models that do not reason, and the efforts the others know. */
const hasNoReasoning = (model: unknown): boolean => /^(?:gpt-3\.5|gpt-4|chatgpt-4o)/.test(String(model));

/** The vendor's models that search (platform.openai.com/docs/guides/tools-web-search); compatible vendors have their own. */
const cannotSearch = (model: string): boolean => /^(?:gpt-|chatgpt-|o\d)/.test(model) && !model.includes("search");
const MOST_USER_LENGTH = 64;

function refuseRest(body: Fields): VendorError | undefined {
  if (body["web_search_options"] !== undefined && cannotSearch(String(body["model"])))
    return refuse(
      "Unrecognized request argument supplied: web_search_options",
      "web_search_options",
      "unsupported_parameter",
    );
  if (isText(body["user"]) && body["user"].length > MOST_USER_LENGTH)
    return refuse(
      "Invalid 'user': string too long. Expected a string with maximum length 64.",
      "user",
      "string_above_max_length",
    );
  if (body["reasoning_effort"] !== undefined && hasNoReasoning(body["model"]))
    return refuse(
      "Unrecognized request argument supplied: reasoning_effort",
      "reasoning_effort",
      "unsupported_parameter",
    );
  if (isObject(body["metadata"]) && body["store"] !== true)
    return refuse("The 'metadata' parameter is only allowed when 'store' is enabled.", "metadata");
  return undefined;
}

/** Refuses what is wrong beside the conversation. */
export const refuseParameters = (body: Fields): VendorError | undefined =>
  refuseTools(body) ?? refuseFormat(body["response_format"]) ?? refuseRest(body);
