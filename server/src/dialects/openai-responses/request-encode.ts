/** The neutral request -> a Responses request (platform.openai.com/docs/api-reference/responses/create). */
import { warnOfCacheMarks, OPENAI_USER_LENGTH, fittingUser } from "../neutral/dropped-fields.ts";
import { defined, isObject } from "../json/fields.ts";
import {
  type Effort,
  type JsonObject,
  type NeutralRequest,
  type Reasoning,
  type ResponseFormat,
  TranslationFault,
  type Warn,
} from "../neutral/neutral.ts";
import { cannotReason, takenEffort, takenSampling } from "../neutral/openai-models.ts";
import { sharedFields } from "../neutral/openai-shared.ts";
import { encodeInput } from "./messages-encode.ts";
import { encodeTools } from "./tools.ts";

/** The vendor refuses a smaller bound. */
const MIN_OUTPUT_TOKENS = 16;
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

/** Fields without an equivalent in the Responses API whose loss does not change the answer's meaning. */
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

const wantedEffort = ({ reasoning }: NeutralRequest): Effort | undefined =>
  reasoning === undefined ? undefined : effortOf(reasoning);

function encodeReasoning(request: NeutralRequest, warn: Warn): JsonObject {
  const { model, reasoning } = request;
  const effort = takenEffort(wantedEffort(request), request, warn);
  const isShown = reasoning?.isShown === true && !cannotReason(model);
  const fields = defined({ effort, summary: isShown ? "auto" : undefined });
  return Object.keys(fields).length === 0 ? {} : { reasoning: fields };
}

/** What the model takes of the sampling that was set. */
function encodeSampling(request: NeutralRequest, warn: Warn): JsonObject {
  const { model, temperature, topP, hasLogprobs, topLogprobs } = request;
  const given = defined({
    temperature,
    top_p: topP,
    logprobs: hasLogprobs,
    top_logprobs: hasLogprobs === true ? topLogprobs : undefined,
  });
  return takenSampling(given, model, wantedEffort(request), warn);
}

/** Nothing is stored at the vendor, so what it needs of its own reasoning must be in the answer. */
function encodeInclude(model: string, hasLogprobs: boolean): JsonObject {
  const include = cannotReason(model) ? [] : ["reasoning.encrypted_content"];
  if (hasLogprobs) include.push("message.output_text.logprobs");
  return include.length === 0 ? {} : { include };
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
  if (maxTokens >= MIN_OUTPUT_TOKENS) return { max_output_tokens: maxTokens };
  warn("max_tokens", `raised to ${MIN_OUTPUT_TOKENS}, the least the Responses API takes`);
  return { max_output_tokens: MIN_OUTPUT_TOKENS };
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
  warnOfCacheMarks(request, warn);
  const shared = sharedFields(request);
  const user = fittingUser(shared.user, OPENAI_USER_LENGTH, warn);
  const { logprobs, ...sampling } = encodeSampling(request, warn);
  const instructions = request.system.map(({ text }) => text).join(SYSTEM_GAP);
  return {
    model: request.model,
    ...(instructions === "" ? {} : { instructions }),
    input: encodeInput(request.messages, warn),
    ...encodeTools(request),
    ...encodeBound(request.maxTokens, warn),
    ...sampling,
    ...encodeText(request),
    ...encodeReasoning(request, warn),
    ...encodeInclude(request.model, logprobs === true),
    ...(isObject(request.metadata) ? { metadata: request.metadata } : {}),
    ...shared.fields,
    ...(user === undefined ? {} : { user }),
    ...encodeTier(request.serviceTier, warn),
    store: false,
    ...(request.isStream ? { stream: true } : {}),
  };
}
