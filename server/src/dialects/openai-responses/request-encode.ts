/** The neutral request -> a Responses request (platform.openai.com/docs/api-reference/responses/create). */
import { OPENAI_USER_LENGTH, fittingUser } from "../end-user.ts";
import { isObject } from "../json-fields.ts";
import {
  type Effort,
  type JsonObject,
  type NeutralRequest,
  type Reasoning,
  type ResponseFormat,
  TranslationFault,
  type Warn,
} from "../neutral.ts";
import { encodeInput } from "./input-encode.ts";
import { encodeTools } from "./tools.ts";

/** The vendor refuses a smaller bound. */
const LEAST_OUTPUT_TOKENS = 16;
const SERVICE_TIERS: ReadonlySet<string> = new Set([
  "auto",
  "default",
  "flex",
  "scale",
  "priority",
  "fast",
  "ultrafast",
]);
const SYSTEM_GAP = "\n\n";

/** Models that cannot think, and refuse to be asked for it or for its proof (platform.openai.com/docs/guides/reasoning). */
const cannotReason = (model: string): boolean => /^(?:gpt-[34]|chatgpt-)/.test(model) || /^gpt-5[^/]*-chat/.test(model);
/** Models that refuse sampling parameters while they think. */
const refusesSampling = (model: string): boolean => /^(?:o\d|gpt-5|codex-)/.test(model) && !cannotReason(model);

/** Fields without a place in the Responses API whose loss leaves the answer's meaning. */
const HARMLESS = [
  ["topK", "top_k"],
  ["presencePenalty", "presence_penalty"],
  ["frequencyPenalty", "frequency_penalty"],
  ["seed", "seed"],
  ["logitBias", "logit_bias"],
] as const;

function refuse(request: NeutralRequest): void {
  if ((request.choices ?? 1) > 1)
    throw new TranslationFault("n", "more than one answer cannot be asked for: the Responses API gives one");
  if ((request.stop ?? []).length > 0)
    throw new TranslationFault("stop", "stop sequences cannot be translated: the Responses API has none");
}

/** Upper bounds of thinking in tokens and the effort they come nearest to. */
const BUDGETS: readonly (readonly [tokens: number, effort: Effort])[] = [
  [0, "none"],
  [2048, "low"],
  [8192, "medium"],
];

function effortOf({ effort, budgetTokens }: Reasoning): Effort | undefined {
  if (effort !== undefined || budgetTokens === undefined) return effort;
  return BUDGETS.find(([tokens]) => budgetTokens <= tokens)?.[1] ?? "high";
}

/** Words of effort each generation has where they are not all (platform.openai.com/docs/guides/reasoning). */
function nearest(effort: Effort, model: string): Effort {
  const isFirstFive = /^gpt-5(?:-|$)/.test(model);
  if (effort === "none" && /^o\d/.test(model)) return "low";
  if (effort === "minimal" && /^o\d/.test(model)) return "low";
  return effort === "none" && isFirstFive ? "minimal" : effort;
}

function encodeReasoning({ model, reasoning }: NeutralRequest, warn: Warn): JsonObject {
  if (cannotReason(model)) {
    const effort = reasoning === undefined ? "none" : (effortOf(reasoning) ?? "none");
    if (effort !== "none") warn("reasoning", `the model ${model} does not reason`);
    return {};
  }
  const effort = reasoning === undefined ? undefined : effortOf(reasoning);
  const fields = {
    ...(effort === undefined ? {} : { effort: nearest(effort, model) }),
    ...(reasoning?.isShown === true ? { summary: "auto" } : {}),
  };
  return Object.keys(fields).length === 0 ? {} : { reasoning: fields };
}

/** Nothing is kept at the vendor, so what it needs of its own reasoning must be in the answer. */
function encodeInclude({ model, hasLogprobs, topLogprobs }: NeutralRequest): JsonObject {
  const include = cannotReason(model) ? [] : ["reasoning.encrypted_content"];
  if (hasLogprobs === true) include.push("message.output_text.logprobs");
  return {
    ...(include.length === 0 ? {} : { include }),
    ...(hasLogprobs === true && topLogprobs !== undefined ? { top_logprobs: topLogprobs } : {}),
  };
}

function encodeSampling({ model, temperature, topP, reasoning }: NeutralRequest, warn: Warn): JsonObject {
  const values = { temperature, top_p: topP };
  const isRefused = refusesSampling(model) && (reasoning === undefined || effortOf(reasoning) !== "none");
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  if (!isRefused) return Object.fromEntries(given);
  for (const [name, value] of given) if (value !== 1) warn(name, `the model ${model} takes only its default`);
  return {};
}

function encodeFormat(format: ResponseFormat): JsonObject {
  if (format.kind === "json") return { type: "json_object" };
  const { name, schema, description, isStrict } = format;
  return {
    type: "json_schema",
    name,
    ...(description === undefined ? {} : { description }),
    schema,
    ...(isStrict === undefined ? {} : { strict: isStrict }),
  };
}

function encodeText({ responseFormat, verbosity }: NeutralRequest): JsonObject {
  if (responseFormat === undefined && verbosity === undefined) return {};
  const format = responseFormat === undefined ? {} : { format: encodeFormat(responseFormat) };
  return { text: { ...format, ...(verbosity === undefined ? {} : { verbosity }) } };
}

function encodeBound(maxTokens: number | undefined, warn: Warn): JsonObject {
  if (maxTokens === undefined) return {};
  if (maxTokens >= LEAST_OUTPUT_TOKENS) return { max_output_tokens: maxTokens };
  warn("max_tokens", `raised to ${LEAST_OUTPUT_TOKENS}, the least the Responses API takes`);
  return { max_output_tokens: LEAST_OUTPUT_TOKENS };
}

function encodeTier(serviceTier: string | undefined, warn: Warn): JsonObject {
  if (serviceTier === undefined) return {};
  if (SERVICE_TIERS.has(serviceTier)) return { service_tier: serviceTier };
  warn("service_tier", `"${serviceTier}" is not a tier of OpenAI`);
  return {};
}

/** Encodes a whole request. Throws TranslationFault for stop sequences, several answers and what the input cannot hold. */
export function encodeRequest(request: NeutralRequest, warn: Warn): JsonObject {
  refuse(request);
  for (const [field, name] of HARMLESS)
    if (request[field] !== undefined) warn(name, "the Responses API has no such setting");
  const user = fittingUser(request.user, OPENAI_USER_LENGTH, warn);
  const instructions = request.system.map(({ text }) => text).join(SYSTEM_GAP);
  return {
    model: request.model,
    ...(instructions === "" ? {} : { instructions }),
    input: encodeInput(request.messages, warn),
    ...encodeTools(request),
    ...encodeBound(request.maxTokens, warn),
    ...encodeSampling(request, warn),
    ...encodeText(request),
    ...encodeReasoning(request, warn),
    ...encodeInclude(request),
    ...(isObject(request.metadata) ? { metadata: request.metadata } : {}),
    ...(user === undefined ? {} : { user }),
    ...encodeTier(request.serviceTier, warn),
    store: false,
    ...(request.isStream ? { stream: true } : {}),
  };
}
