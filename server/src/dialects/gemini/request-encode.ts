/** Neutral request -> Gemini's generateContent (ai.google.dev/api/generate-content#request-body). */
import { warnOfCacheMarks } from "../neutral/dropped-fields.ts";
import { encodeContents, onceWarned } from "./messages-encode.ts";
import { thinkingOf } from "./models.ts";
import { isEmptyObjectSchema, vendorSchemaOf } from "./schema.ts";
import { defined } from "../json/fields.ts";
import {
  type FunctionTool,
  type JsonObject,
  type NeutralRequest,
  type ToolChoice,
  TranslationFault,
  type Warn,
  type WebSearchTool,
} from "../neutral/neutral.ts";

function declarationOf(tool: FunctionTool, warn: Warn): JsonObject {
  if (tool.isStrict === true) warn("tools.strict", "Gemini does not promise that arguments keep to the schema");
  const parameters = isEmptyObjectSchema(tool.parameters) ? undefined : vendorSchemaOf(tool.parameters);
  return defined({ name: tool.name, description: tool.description, parametersJsonSchema: parameters });
}

/** Where to search changes what is found; how much is a hint. */
function searchOf(tool: WebSearchTool, warn: Warn): JsonObject {
  if (tool.allowedDomains !== undefined || tool.blockedDomains !== undefined) {
    throw new TranslationFault("tools", "The search of the model behind this name cannot be bound to domains.");
  }
  for (const name of ["contextSize", "maxUses", "location"] as const) {
    if (tool[name] !== undefined) warn(`tools.web_search.${name}`, "Google's search has no such setting");
  }
  return { googleSearch: {} };
}

/**
 * The vendor refuses its own tools beside functions, or wants their calls repeated in the conversation, which no other format can
 * (ai.google.dev/gemini-api/docs/tool-combination). A search among functions is one the answer can do without.
 */
function encodeTools(request: NeutralRequest, warn: Warn): JsonObject[] | undefined {
  const functions = request.tools.flatMap((tool) => (tool.kind === "function" ? [declarationOf(tool, warn)] : []));
  const search = request.tools.find((tool) => tool.kind === "web_search");
  if (functions.length === 0) return search === undefined ? undefined : [searchOf(search, warn)];
  if (search !== undefined) warn("tools.web_search", "Gemini does not search where it is given functions");
  return [{ functionDeclarations: functions }];
}

const MODES = { auto: "AUTO", none: "NONE", required: "ANY", tool: "ANY" } as const;

function encodeToolChoice(choice: ToolChoice | undefined): JsonObject | undefined {
  if (choice === undefined) return undefined;
  const allowed = choice.kind === "tool" ? { allowedFunctionNames: [choice.name] } : {};
  return { functionCallingConfig: { mode: MODES[choice.kind], ...allowed } };
}

function encodeFormat({ responseFormat }: NeutralRequest): JsonObject {
  if (responseFormat === undefined) return {};
  const responseMimeType = "application/json";
  if (responseFormat.kind === "json") return { responseMimeType };
  return { responseMimeType, responseJsonSchema: vendorSchemaOf(responseFormat.schema) };
}

function encodeThinking(request: NeutralRequest, warn: Warn): JsonObject | undefined {
  const thinkingConfig = thinkingOf(request.model, request.reasoning, request.maxTokens);
  const asks = request.reasoning?.effort !== undefined || request.reasoning?.budgetTokens !== undefined;
  if (asks && thinkingConfig === undefined) warn("reasoning", "this model does not think");
  return thinkingConfig;
}

function encodeConfig(request: NeutralRequest, warn: Warn): JsonObject | undefined {
  const config = defined({
    maxOutputTokens: request.maxTokens,
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK,
    presencePenalty: request.presencePenalty,
    frequencyPenalty: request.frequencyPenalty,
    seed: request.seed,
    stopSequences: request.stop,
    candidateCount: request.choices,
    responseLogprobs: request.hasLogprobs,
    logprobs: request.topLogprobs,
    ...encodeFormat(request),
    thinkingConfig: encodeThinking(request, warn),
  });
  return Object.keys(config).length === 0 ? undefined : config;
}

const TIERS: ReadonlySet<string> = new Set(["flex", "standard", "priority"]);
/** Other vendors' values for the default. */
const PLAIN_TIERS: ReadonlySet<string> = new Set(["auto", "default"]);

function encodeTier(tier: string | undefined, warn: Warn): string | undefined {
  if (tier === undefined || TIERS.has(tier)) return tier;
  if (tier === "standard_only") return "standard";
  if (!PLAIN_TIERS.has(tier)) warn("service_tier", `Gemini has no tier ${tier}`);
  return undefined;
}

const HARMLESS = [
  ["user", "user", "Gemini takes no name of an end user"],
  ["metadata", "metadata", "Gemini takes no metadata"],
  ["verbosity", "verbosity", "Gemini has no measure of how long an answer should be"],
  ["logitBias", "logit_bias", "Gemini has no bias of tokens"],
] as const;

function warnDropped(request: NeutralRequest, warn: Warn): void {
  for (const [name, field, reason] of HARMLESS) if (request[name] !== undefined) warn(field, reason);
  if (request.hasParallelToolCalls === false) warn("parallel_tool_calls", "Gemini may call several tools at once");
}

/** Throws TranslationFault where Gemini cannot do what was asked. */
export function encodeRequest(request: NeutralRequest, warnEach: Warn): JsonObject {
  const warn = onceWarned(warnEach);
  warnDropped(request, warn);
  warnOfCacheMarks(request, warn);
  const system = request.system.map(({ text }) => ({ text }));
  const contents = encodeContents(request, warn);
  // The vendor requires at least one turn: instructions alone are sent as the user's.
  const isSystemOnly = contents.length === 0 && system.length > 0;
  if (contents.length === 0 && !isSystemOnly)
    throw new TranslationFault("messages", "holds no words, and this model needs some");
  return defined({
    contents: isSystemOnly ? [{ role: "user", parts: system }] : contents,
    systemInstruction: isSystemOnly || system.length === 0 ? undefined : { parts: system },
    tools: encodeTools(request, warn),
    // The vendor takes a choice among functions only.
    toolConfig: request.tools.some(({ kind }) => kind === "function")
      ? encodeToolChoice(request.toolChoice)
      : undefined,
    generationConfig: encodeConfig(request, warn),
    serviceTier: encodeTier(request.serviceTier, warn),
    // Newer projects store requests for 55 days unless asked not to (ai.google.dev/gemini-api/docs/logs-datasets).
    store: request.isKept,
  });
}
