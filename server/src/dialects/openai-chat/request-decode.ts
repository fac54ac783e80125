/** A chat completions request -> the neutral request (platform.openai.com/docs/api-reference/chat/create). */
import type { PathInfo } from "../neutral/info.ts";
import { defined, isObject, unknownNames } from "../json/fields.ts";
import {
  type Effort,
  type JsonObject,
  type NeutralRequest,
  type Reasoning,
  type ResponseFormat,
} from "../neutral/neutral.ts";
import { OPENAI_SHARED, sharedOf } from "../neutral/openai-shared.ts";
import { isKeptOf, refusePrivacyTerms } from "../neutral/privacy.ts";
import { THINKING_FIELDS } from "../neutral/request-info.ts";
import { readMessages } from "./messages-decode.ts";
import { readToolFields } from "./tools.ts";
import {
  booleanAt,
  isAbsent,
  listAt,
  needList,
  needName,
  needObject,
  needText,
  numberAt,
  objectAt,
  refuse,
  textAt,
  wholeAt,
  wordAt,
} from "./fields.ts";

const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "stream",
  "stream_options",
  "tools",
  "tool_choice",
  "functions",
  "function_call",
  "web_search_options",
  "parallel_tool_calls",
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "top_p",
  "top_k",
  "presence_penalty",
  "frequency_penalty",
  "seed",
  "stop",
  "n",
  "logprobs",
  "top_logprobs",
  "logit_bias",
  "response_format",
  ...THINKING_FIELDS["openai-chat"],
  "user",
  ...OPENAI_SHARED,
  "metadata",
  "service_tier",
  "verbosity",
]);

const EFFORTS: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** `thinking` as clients of Anthropic, DeepSeek, Zhipu and Doubao models send it. */
function thinkingFields(thinking: JsonObject): Reasoning {
  const budgetTokens = wholeAt(thinking, "budget_tokens", 0, "thinking.budget_tokens");
  switch (needText(thinking["type"], "thinking.type")) {
    case "disabled":
      return { budgetTokens: 0 };
    case "adaptive":
    case "auto":
      return defined({ isAdaptive: true, isShown: true, budgetTokens });
    case "enabled":
      return defined({ isShown: true, budgetTokens });
    default:
      return refuse("thinking.type", "must be one of enabled, disabled, adaptive, auto");
  }
}

/** `enable_thinking` and `thinking_budget` of Qwen models (alibabacloud.com/help/en/model-studio/deep-thinking). */
function qwenFields(fields: JsonObject): Reasoning {
  const budgetTokens = wholeAt(fields, "thinking_budget", 0);
  const isEnabled = booleanAt(fields, "enable_thinking");
  if (isEnabled === false) return { budgetTokens: 0 };
  return defined({ budgetTokens, isShown: isEnabled });
}

/** The `reasoning` object of OpenRouter's clients (openrouter.ai/docs/guides/best-practices/reasoning-tokens). */
function unifiedFields(reasoning: JsonObject): Reasoning {
  const budgetTokens = wholeAt(reasoning, "max_tokens", 0, "reasoning.max_tokens");
  const excludes = booleanAt(reasoning, "exclude", "reasoning.exclude");
  const isEnabled = booleanAt(reasoning, "enabled", "reasoning.enabled");
  const effort = wordAt(reasoning, "effort", EFFORTS, "reasoning.effort");
  return defined({
    effort,
    budgetTokens: isEnabled === false ? 0 : budgetTokens,
    isShown: isEnabled === false ? undefined : excludes !== true,
  });
}

function readReasoning(fields: JsonObject): { reasoning?: Reasoning } {
  const effort = wordAt(fields, "reasoning_effort", EFFORTS);
  const thinking = objectAt(fields, "thinking");
  const unified = objectAt(fields, "reasoning");
  const reasoning: Reasoning = {
    ...(unified === undefined ? {} : unifiedFields(unified)),
    ...qwenFields(fields),
    ...(thinking === undefined ? {} : thinkingFields(thinking)),
    ...(effort === undefined ? {} : { effort }),
  };
  return Object.keys(reasoning).length === 0 ? {} : { reasoning };
}

function jsonSchema(format: JsonObject): ResponseFormat {
  const path = "response_format.json_schema";
  const fields = needObject(format["json_schema"], path);
  return {
    kind: "json_schema",
    name: needName(fields["name"], `${path}.name`),
    schema: objectAt(fields, "schema", `${path}.schema`) ?? {},
    ...defined({
      description: textAt(fields, "description", `${path}.description`),
      isStrict: booleanAt(fields, "strict", `${path}.strict`),
    }),
  };
}

function responseFormat(fields: JsonObject): ResponseFormat | undefined {
  const format = objectAt(fields, "response_format");
  if (format === undefined) return undefined;
  switch (needText(format["type"], "response_format.type")) {
    case "text":
      return undefined;
    case "json_object":
      return { kind: "json" };
    case "json_schema":
      return jsonSchema(format);
    default:
      return refuse("response_format.type", "must be one of text, json_object, json_schema");
  }
}

function readStop(value: unknown): readonly string[] | undefined {
  if (isAbsent(value)) return undefined;
  const list = typeof value === "string" ? [value] : needList(value, "stop");
  const stop = list.map((each, index) => needText(each, typeof value === "string" ? "stop" : `stop[${index}]`));
  return stop.length === 0 ? undefined : stop;
}

/** Spoken answers have no neutral form. */
function refuseAudio(fields: JsonObject): void {
  for (const [index, modality] of listAt(fields, "modalities").entries())
    if (modality === "audio") refuse(`modalities[${index}]`, "asks for a spoken answer, which this model cannot give");
}

/** Names to warn of: fields without a neutral form that were set to something other than their default. */
const unknownFields = (fields: JsonObject): string[] =>
  unknownNames(fields, KNOWN_FIELDS).filter((name) => {
    const value = fields[name];
    if (name === "modalities") return Array.isArray(value) && value.some((each) => each !== "text");
    return value !== false && !(isObject(value) && Object.keys(value).length === 0);
  });

const samplingFields = (fields: JsonObject) =>
  defined({
    maxTokens: wholeAt(fields, "max_completion_tokens", 1) ?? wholeAt(fields, "max_tokens", 1),
    temperature: numberAt(fields, "temperature"),
    topP: numberAt(fields, "top_p"),
    topK: wholeAt(fields, "top_k", 0),
    presencePenalty: numberAt(fields, "presence_penalty"),
    frequencyPenalty: numberAt(fields, "frequency_penalty"),
    seed: wholeAt(fields, "seed", Number.MIN_SAFE_INTEGER),
    stop: readStop(fields["stop"]),
    choices: wholeAt(fields, "n", 1),
    hasLogprobs: booleanAt(fields, "logprobs"),
    topLogprobs: wholeAt(fields, "top_logprobs", 0),
    logitBias: objectAt(fields, "logit_bias"),
  });

const otherFields = (fields: JsonObject) =>
  defined({
    // An answer to the retired functions has room for one call.
    hasParallelToolCalls:
      booleanAt(fields, "parallel_tool_calls") ?? (isAbsent(fields["functions"]) ? undefined : false),
    responseFormat: responseFormat(fields),
    user: textAt(fields, "safety_identifier") ?? textAt(fields, "user"),
    metadata: objectAt(fields, "metadata"),
    serviceTier: textAt(fields, "service_tier"),
    isKept: isKeptOf(fields),
    verbosity: textAt(fields, "verbosity"),
  });

/**
 * Reads a request of the chat format. Throws TranslationFault, naming the field, for what is malformed and for what no other vendor
 * has; unknown fields are listed in unknownFields.
 */
export function decodeRequest(fields: JsonObject, _path: PathInfo): NeutralRequest {
  refuseAudio(fields);
  refusePrivacyTerms(fields);
  return {
    model: needName(fields["model"], "model"),
    isStream: booleanAt(fields, "stream") ?? false,
    ...readMessages(fields["messages"]),
    ...readToolFields(fields),
    ...samplingFields(fields),
    ...otherFields(fields),
    ...sharedOf(fields),
    ...readReasoning(fields),
    unknownFields: unknownFields(fields),
  };
}
