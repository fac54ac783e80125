/** What the fake upstream refuses on /v1/responses, as strictly as the vendor documents it (platform.openai.com/docs/api-reference/responses/create). */
import { isProofOf } from "./responses-proof.ts";
import { isStrictSchema, refuseTools } from "./responses-validate-tools.ts";
import { type Fields, type Found, each, invalid, isObject, isText, missing, refuse } from "../refusals.ts";
import type { VendorError } from "../vendor.ts";

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

const unsupported = (param: string): VendorError =>
  refuse(`Unsupported parameter: '${param}' is not supported with this model.`, param, "unsupported_parameter");

/** Every parameter of the reference, and what its own agent Codex sends besides; the vendor refuses others. */
const PARAMETERS: ReadonlySet<string> = new Set(
  (
    "background client_metadata context_management conversation include input instructions max_output_tokens max_tool_calls metadata model " +
    "parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_retention reasoning safety_identifier " +
    "service_tier moderation image prompt_cache_options access_programs store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user"
  ).split(" "),
);

/** Models that think; the others refuse to be asked for it (platform.openai.com/docs/guides/reasoning). */
const isReasoningModel = (model: string): boolean => /^(?:o\d|gpt-5)/.test(model) && !model.includes("-chat");

const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0;

/** An https address, or a data URI whose base64 can be decoded. */
function isMedia(value: unknown, types: RegExp): boolean {
  if (!isText(value)) return false;
  if (!value.startsWith("data:")) return /^https?:\/\/[^\s]+$/.test(value);
  const comma = value.indexOf(",");
  return types.test(value.slice(0, comma)) && isBase64(value.slice(comma + 1));
}

const IMAGES = /^data:image\/(?:png|jpeg|gif|webp);base64$/;
const FILES = /^data:[a-z]+\/[a-z0-9.+-]+;base64$/;
const DETAILS: ReadonlySet<unknown> = new Set([undefined, null, "low", "high", "auto", "original"]);

const PARTS: Readonly<Record<string, (part: Fields, at: string) => Found>> = {
  input_text: (part, at) => (typeof part["text"] === "string" ? undefined : missing(`${at}.text`)),
  output_text: (part, at) => (typeof part["text"] === "string" ? undefined : missing(`${at}.text`)),
  refusal: (part, at) => (typeof part["refusal"] === "string" ? undefined : missing(`${at}.refusal`)),
  input_image(part, at) {
    if (!DETAILS.has(part["detail"])) return invalid(`${at}.detail`);
    return isText(part["file_id"]) || isMedia(part["image_url"], IMAGES) ? undefined : invalid(`${at}.image_url`);
  },
  input_file(part, at) {
    if (isText(part["file_id"])) return undefined;
    if (isText(part["file_url"])) return isMedia(part["file_url"], FILES) ? undefined : invalid(`${at}.file_url`);
    if (!isText(part["filename"])) return missing(`${at}.filename`);
    return isMedia(part["file_data"], FILES) ? undefined : invalid(`${at}.file_data`);
  },
};

const USER_PARTS = ["input_text", "input_image", "input_file"];
const ROLE_PARTS: Readonly<Record<string, readonly string[]>> = {
  user: USER_PARTS,
  system: ["input_text"],
  developer: ["input_text"],
  assistant: ["output_text", "refusal"],
};

function refuseContent(content: unknown, at: string, allowed: readonly string[]): Found {
  if (typeof content === "string") return undefined;
  if (!Array.isArray(content)) return invalid(at);
  return each(content, (part, index) => {
    const place = `${at}[${index}]`;
    const type = isObject(part) ? String(part["type"]) : "";
    const check = allowed.includes(type) ? PARTS[type] : undefined;
    return isObject(part) && check !== undefined ? check(part, place) : invalid(`${place}.type`);
  });
}

function refuseMessage(item: Fields, at: string): Found {
  const allowed = ROLE_PARTS[String(item["role"])];
  if (allowed === undefined) return invalid(`${at}.role`);
  return refuseContent(item["content"], `${at}.content`, allowed);
}

/** Reasoning comes back unchanged: its proof belongs to its id and its summary. */
function refuseReasoning(item: Fields, at: string): Found {
  if (!Array.isArray(item["summary"])) return missing(`${at}.summary`);
  const proof = item["encrypted_content"];
  if (!isGiven(proof))
    return { ...refuse(`Item with id '${String(item["id"])}' not found.`, "input", null), status: 404 };
  if (isProofOf(String(proof), item["id"], item["summary"])) return undefined;
  return refuse(
    `The encrypted content for item ${String(item["id"])} could not be verified.`,
    null,
    "invalid_encrypted_content",
  );
}

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const MAX_CALL_ID = 64;

function refuseCallId(item: Fields, at: string): Found {
  const id = item["call_id"];
  if (!isText(id)) return missing(`${at}.call_id`);
  return id.length > MAX_CALL_ID
    ? refuse(`Invalid '${at}.call_id': string too long.`, `${at}.call_id`, "string_above_max_length")
    : undefined;
}

function refuseCall(item: Fields, at: string, field: string): Found {
  if (!NAME.test(String(item["name"]))) return invalid(`${at}.name`);
  return refuseCallId(item, at) ?? (typeof item[field] === "string" ? undefined : missing(`${at}.${field}`));
}

const refuseOutput = (item: Fields, at: string): Found =>
  refuseCallId(item, at) ?? refuseContent(item["output"], `${at}.output`, USER_PARTS);

function refuseAction(item: Fields, at: string, field: string): Found {
  const { action } = item;
  return isObject(action) && Array.isArray(action[field]) ? undefined : missing(`${at}.action.${field}`);
}

const ITEMS: Readonly<Record<string, (item: Fields, at: string) => Found>> = {
  message: refuseMessage,
  reasoning: refuseReasoning,
  function_call: (item, at) => refuseCall(item, at, "arguments"),
  custom_tool_call: (item, at) => refuseCall(item, at, "input"),
  function_call_output: refuseOutput,
  custom_tool_call_output: refuseOutput,
  web_search_call: (item, at) => (isText(item["id"]) ? undefined : missing(`${at}.id`)),
  image_generation_call: (item, at) => (isText(item["result"]) ? undefined : missing(`${at}.result`)),
  additional_tools: (item, at) =>
    item["role"] === "developer" && Array.isArray(item["tools"]) ? undefined : missing(`${at}.tools`),
  tool_search_call: refuseCallId,
  tool_search_output: (item, at) =>
    refuseCallId(item, at) ?? (Array.isArray(item["tools"]) ? undefined : missing(`${at}.tools`)),
  local_shell_call: (item, at) => refuseCallId(item, at) ?? refuseAction(item, at, "command"),
  local_shell_call_output: (item, at) => (isText(item["id"]) ? undefined : missing(`${at}.id`)),
  shell_call: (item, at) => refuseCallId(item, at) ?? refuseAction(item, at, "commands"),
  shell_call_output: (item, at) =>
    refuseCallId(item, at) ?? (Array.isArray(item["output"]) ? undefined : missing(`${at}.output`)),
  apply_patch_call: (item, at) =>
    refuseCallId(item, at) ?? (isObject(item["operation"]) ? undefined : missing(`${at}.operation`)),
  apply_patch_call_output: refuseCallId,
};

function refuseItem(item: unknown, at: string): Found {
  if (!isObject(item)) return invalid(at);
  const type = String(item["type"] ?? (isGiven(item["role"]) ? "message" : ""));
  const check = ITEMS[type];
  return check === undefined ? invalid(`${at}.type`) : check(item, at);
}

const idsOf = (input: readonly unknown[], ...types: string[]): unknown[] =>
  input
    .filter(isObject)
    .filter((item) => types.includes(String(item["type"])))
    .map((item) => item["call_id"]);

const PAIRED = ["function_call", "custom_tool_call", "shell_call", "apply_patch_call", "tool_search_call"];
const outputOf = (call: string): string => (call === "tool_search_call" ? "tool_search_output" : `${call}_output`);

/** Every output answers a call before it, and every call has its output. */
function refusePairs(input: readonly unknown[]): Found {
  const outputs = new Set(idsOf(input, ...PAIRED.map(outputOf)));
  const open = idsOf(input, ...PAIRED).find((id) => !outputs.has(id));
  if (open !== undefined) return refuse(`No tool output found for function call ${String(open)}.`, "input");
  return each(input, (item, index) => {
    if (!isObject(item) || !PAIRED.some((call) => outputOf(call) === item["type"])) return undefined;
    // A local shell may be answered as a function.
    const before = idsOf(input.slice(0, index), ...PAIRED, "local_shell_call");
    if (before.includes(item["call_id"])) return undefined;
    return refuse(`No tool call found for function call output with call_id ${String(item["call_id"])}.`, "input");
  });
}

function refuseInput(body: Fields): Found {
  const input = body["input"];
  if (!isGiven(input)) return missing("input");
  if (typeof input === "string") return undefined;
  if (!Array.isArray(input)) return refuse("Invalid type for 'input'.", "input", "invalid_type");
  const found = each(input, (item, index) => refuseItem(item, `input[${index}]`));
  return found ?? (isGiven(body["previous_response_id"]) ? undefined : refusePairs(input));
}

const inRange = (value: unknown, least: number, most: number): boolean =>
  !isGiven(value) || (typeof value === "number" && value >= least && value <= most);

function refuseNumbers(body: Fields): Found {
  const bound = body["max_output_tokens"];
  if (isGiven(bound) && !(Number.isInteger(bound) && Number(bound) >= 16))
    return refuse(
      "Invalid 'max_output_tokens': integer below minimum value.",
      "max_output_tokens",
      "integer_below_min_value",
    );
  if (!inRange(body["temperature"], 0, 2)) return invalid("temperature");
  if (!inRange(body["top_p"], 0, 1)) return invalid("top_p");
  return inRange(body["top_logprobs"], 0, 20) ? undefined : invalid("top_logprobs");
}

/** Names of end users, and of caches (platform.openai.com/docs/api-reference/responses/create). */
function refuseNames(body: Fields): Found {
  const name = ["user", "safety_identifier"].find((field) => String(body[field] ?? "").length > 64);
  return name === undefined
    ? undefined
    : refuse(`Invalid '${name}': string too long.`, name, "string_above_max_length");
}

/** Models whose effort is none by default: they take sampling parameters unless they are asked to think. */
const thinksWhenAsked = (model: string): boolean => /^gpt-5\.[124](?:-\d{4}-\d\d-\d\d)?$/.test(model);

function refuseForModel(model: string, body: Fields): Found {
  const include = Array.isArray(body["include"]) ? body["include"] : [];
  if (isReasoningModel(model)) {
    const effort = isObject(body["reasoning"]) ? body["reasoning"]["effort"] : undefined;
    if (thinksWhenAsked(model) && (!isGiven(effort) || effort === "none")) return undefined;
    const name = ["temperature", "top_p"].find((field) => isGiven(body[field]));
    return name === undefined ? undefined : unsupported(name);
  }
  if (isObject(body["reasoning"]) && isGiven(body["reasoning"]["effort"])) return unsupported("reasoning.effort");
  if (include.includes("reasoning.encrypted_content"))
    return refuse("Encrypted content is not supported with this model.", "include");
  return undefined;
}

function refuseFormat(body: Fields): Found {
  const format = isObject(body["text"]) ? body["text"]["format"] : undefined;
  if (!isObject(format) || format["type"] !== "json_schema") return undefined;
  if (!isText(format["name"])) return missing("text.format.name");
  if (!isObject(format["schema"])) return missing("text.format.schema");
  return format["strict"] === true && !isStrictSchema(format["schema"])
    ? refuse("Invalid schema for response_format.", "text.format.schema", "invalid_json_schema")
    : undefined;
}

/** The refusal of a parsed body, or undefined where the vendor would take it. */
export function responsesRefusal(body: unknown): VendorError | undefined {
  if (!isObject(body)) return refuse("We could not parse the JSON body of your request.", null);
  const unknown = Object.keys(body).find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) return refuse(`Unknown parameter: '${unknown}'.`, unknown, "unknown_parameter");
  const model = body["model"];
  if (!isText(model)) return missing("model");
  if (isGiven(body["stream"]) && typeof body["stream"] !== "boolean") return invalid("stream");
  return (
    refuseInput(body) ??
    refuseTools(body) ??
    refuseNumbers(body) ??
    refuseNames(body) ??
    refuseFormat(body) ??
    refuseForModel(model, body)
  );
}
