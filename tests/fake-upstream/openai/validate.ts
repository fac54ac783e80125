/** What the fake upstream refuses, as strictly as the vendor documents it (platform.openai.com/docs/api-reference, chat/create). */
import { refuseConversation, refuseParameters } from "./chat-validate.ts";
import { type Fields, isObject, refuse } from "../refusals.ts";
import type { VendorError } from "../vendor.ts";

const ROLES: ReadonlySet<unknown> = new Set(["developer", "system", "user", "assistant", "tool", "function"]);
const isWhole = (value: unknown, least: number): boolean => Number.isInteger(value) && Number(value) >= least;

/** Models that take max_completion_tokens only and no sampling parameters (platform.openai.com/docs/guides/reasoning). */
const isReasoningModel = (model: string): boolean => /^o\d/.test(model);

function refuseMessages(messages: unknown, body: Fields): VendorError | undefined {
  if (!Array.isArray(messages))
    return refuse("Missing required parameter: 'messages'.", "messages", "missing_required_parameter");
  if (messages.length === 0) return refuse("Invalid 'messages': empty array.", "messages", "empty_array");
  for (const [index, message] of messages.entries()) {
    if (!isObject(message) || !ROLES.has(message["role"])) {
      return refuse(`Invalid value for 'messages[${index}].role'.`, `messages[${index}].role`, "invalid_value");
    }
    const isCallMessage = message["role"] === "assistant";
    const content = message["content"];
    if (!isCallMessage && typeof content !== "string" && !Array.isArray(content)) {
      return refuse(`Invalid value for 'content': expected a string, got null.`, `messages.[${index}].content`);
    }
  }
  return refuseConversation(messages as Fields[], body);
}

function refuseSampling(body: Fields): VendorError | undefined {
  const temperature = body["temperature"];
  if (
    temperature !== undefined &&
    temperature !== null &&
    !(typeof temperature === "number" && temperature >= 0 && temperature <= 2)
  ) {
    return refuse("Invalid 'temperature': expected a value between 0 and 2.", "temperature", "decimal_out_of_range");
  }
  for (const name of ["max_tokens", "max_completion_tokens", "n"]) {
    const value = body[name];
    if (value !== undefined && value !== null && !isWhole(value, 1)) {
      return refuse(`Invalid '${name}': integer below minimum value.`, name, "integer_below_min_value");
    }
  }
  return undefined;
}

function refuseStreamOptions(body: Fields): VendorError | undefined {
  if (body["stream"] !== undefined && body["stream"] !== null && typeof body["stream"] !== "boolean") {
    return refuse("Invalid type for 'stream': expected a boolean.", "stream", "invalid_type");
  }
  const options = body["stream_options"];
  if (options === undefined || options === null) return undefined;
  if (body["stream"] !== true)
    return refuse("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options");
  return isObject(options)
    ? undefined
    : refuse("Invalid type for 'stream_options': expected an object.", "stream_options", "invalid_type");
}

function refuseForReasoning(model: string, body: Fields): VendorError | undefined {
  if (!isReasoningModel(model)) return undefined;
  if (body["max_tokens"] !== undefined) {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    return refuse(message, "max_tokens", "unsupported_parameter");
  }
  if (body["temperature"] !== undefined && body["temperature"] !== 1) {
    const message =
      "Unsupported value: 'temperature' does not support the value given with this model. Only the default (1) value is supported.";
    return refuse(message, "temperature", "unsupported_value");
  }
  return undefined;
}

/** The refusal of a parsed body on one of the served paths, or undefined where the vendor would take it. */
export function refusalOf(path: string, body: unknown): VendorError | undefined {
  if (!isObject(body)) return refuse("We could not parse the JSON body of your request.", null);
  const model = body["model"];
  if (typeof model !== "string" || model === "") return refuse("you must provide a model parameter", null);
  const common = refuseSampling(body) ?? refuseStreamOptions(body);
  if (common !== undefined) return common;
  if (path.endsWith("/chat/completions"))
    return refuseMessages(body["messages"], body) ?? refuseParameters(body) ?? refuseForReasoning(model, body);
  return undefined;
}
