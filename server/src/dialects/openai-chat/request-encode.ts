/** The neutral request -> a chat completions request for OpenAI and compatible vendors. */
import { OPENAI_USER_LENGTH, fittingUser } from "../neutral/dropped-fields.ts";
import { defined, ownOf } from "../json/fields.ts";
import {
  type Effort,
  type FunctionTool,
  type JsonObject,
  type NeutralRequest,
  type NeutralTool,
  type Reasoning,
  type ResponseFormat,
  type ToolChoice,
  TranslationFault,
  type Warn,
  type WebSearchTool,
} from "../neutral/neutral.ts";
import { takenEffort, takenSampling } from "../neutral/openai-models.ts";
import { sharedFields } from "../neutral/openai-shared.ts";
import { encodeMessages } from "./messages-encode.ts";

/** Budgets other vendors count in tokens, as the effort that usually thinks about so long. */
const BUDGETS: readonly (readonly [most: number, effort: Effort])[] = [
  [0, "none"],
  [1024, "minimal"],
  [4096, "low"],
  [16_384, "medium"],
  [Number.POSITIVE_INFINITY, "high"],
];

function effortOf({ effort, budgetTokens }: Reasoning): Effort | undefined {
  if (effort !== undefined || budgetTokens === undefined) return effort;
  return BUDGETS.find(([most]) => budgetTokens <= most)?.[1];
}

const reasoningEffort = (request: NeutralRequest, warn: Warn): Effort | undefined =>
  takenEffort(request.reasoning === undefined ? undefined : effortOf(request.reasoning), request, warn);

/** How long to think: the client's own budget where the vendor takes one, else an effort. */
function reasoningFields({ reasoning, thinkingBudget }: NeutralRequest, effort: Effort | undefined): JsonObject {
  const { budgetTokens = 0, effort: named } = reasoning ?? {};
  if (thinkingBudget === undefined || named !== undefined || budgetTokens === 0)
    return defined({ reasoning_effort: effort });
  return thinkingBudget === "reasoning"
    ? { reasoning: { max_tokens: budgetTokens } }
    : { enable_thinking: true, thinking_budget: budgetTokens };
}

/** Its models want the thinking back that came before a call (api-docs.deepseek.com/guides/thinking_mode). */
const wantsThinkingBack = (model: string): boolean => model.startsWith("deepseek-");

const lacksThinking = (message: JsonObject): boolean =>
  message["tool_calls"] !== undefined && message["reasoning_content"] === undefined;

/** If a client dropped the thinking, or another model made the call, thinking is switched off, since the vendor would refuse the request. */
function thinkingFor({ model }: NeutralRequest, messages: readonly JsonObject[], warn: Warn): JsonObject {
  if (!wantsThinkingBack(model) || !messages.some(lacksThinking)) return {};
  warn("reasoning", "this model cannot think on where the thinking before an earlier call was not sent back");
  return { thinking: { type: "disabled" } };
}

const functionTool = ({ name, description, parameters, isStrict }: FunctionTool): JsonObject => ({
  type: "function",
  function: defined({ name, description, parameters, strict: isStrict }),
});

function webSearchOptions(tool: WebSearchTool, warn: Warn): JsonObject {
  if ((tool.allowedDomains ?? tool.blockedDomains) !== undefined)
    throw new TranslationFault("tools", "Web search in chat completions cannot be limited to domains.");
  if (tool.maxUses !== undefined) warn("tools", "the number of web searches cannot be limited");
  const location = tool.location === undefined ? undefined : { type: "approximate", approximate: tool.location };
  return defined({ search_context_size: tool.contextSize, user_location: location });
}

/** The search in the fields of its vendor (help.aliyun.com/zh/model-studio/web-search for the switch). */
function searchFields(search: WebSearchTool, { webSearch }: NeutralRequest, warn: Warn): JsonObject {
  const options = webSearchOptions(search, warn);
  if (webSearch !== "enable_search") return { web_search_options: options };
  if (Object.keys(options).length > 0) warn("tools", "the vendor's web search takes no size and no place");
  return { enable_search: true };
}

const isFunction = (tool: NeutralTool): tool is FunctionTool => tool.kind === "function";

const toolChoice = (choice: ToolChoice): unknown =>
  choice.kind === "tool" ? { type: "function", function: { name: choice.name } } : choice.kind;

/** Models with a search of their own in this format (platform.openai.com/docs/guides/tools-web-search, docs.perplexity.ai). */
export const canSearch = (model: string): boolean => /search|sonar/.test(model);
/** OpenAI's other models, which refuse to be asked for one. */
const cannotSearch = (model: string): boolean => /^(?:gpt-|chatgpt-|o\d)/.test(model) && !canSearch(model);

/**
 * A search among other tools is one the answer can do without, and most models of this format have none. One that is all there is goes
 * on, for compatible vendors may have it.
 */
function searchFor(request: NeutralRequest, warn: Warn): WebSearchTool | undefined {
  const { model, tools, toolChoice, webSearch } = request;
  const search = tools.find((tool) => tool.kind === "web_search");
  if (search === undefined || canSearch(model)) return search;
  if (request.isSearchMadeHere === true && (webSearch ?? "none") === "none")
    throw new TranslationFault("tools", "The vendor of this model has no web search in chat completions.");
  const isOptional = toolChoice === undefined || toolChoice.kind === "auto" || toolChoice.kind === "none";
  if (isOptional && tools.some(isFunction)) {
    warn("tools", "this model has no web search of its own in chat completions");
    return undefined;
  }
  if (cannotSearch(model) || webSearch === "none")
    throw new TranslationFault("tools", "The model behind this name has no web search in chat completions.");
  if (webSearch === undefined)
    warn("tools", "the server may not search the web: not every one knows web_search_options");
  return search;
}

function toolFields(request: NeutralRequest, warn: Warn): JsonObject {
  const functions = request.tools.filter(isFunction);
  const search = searchFor(request, warn);
  const choice = request.toolChoice;
  return {
    ...(search === undefined ? {} : searchFields(search, request, warn)),
    // Choice and parallel calls are refused where there are no tools.
    ...(functions.length === 0
      ? {}
      : defined({
          tools: functions.map(functionTool),
          tool_choice: choice === undefined ? undefined : toolChoice(choice),
          parallel_tool_calls: request.hasParallelToolCalls,
        })),
  };
}

function responseFormat(format: ResponseFormat): JsonObject {
  if (format.kind === "json") return { type: "json_object" };
  const { name, schema, description, isStrict } = format;
  return { type: "json_schema", json_schema: defined({ name, description, schema, strict: isStrict }) };
}

/** Service tiers of this format, with Anthropic's name for the standard one. */
const SERVICE_TIERS: Readonly<Record<string, string>> = {
  auto: "auto",
  default: "default",
  flex: "flex",
  scale: "scale",
  priority: "priority",
  fast: "fast",
  standard_only: "default",
};

function serviceTier({ serviceTier: tier }: NeutralRequest, warn: Warn): string | undefined {
  if (tier === undefined) return undefined;
  const known = ownOf(SERVICE_TIERS, tier);
  if (known === undefined) warn("service_tier", `chat completions have no tier '${tier}'`);
  return known;
}

function warnOfRest(request: NeutralRequest, warn: Warn): void {
  if (request.topK !== undefined) warn("top_k", "chat completions cannot limit the number of candidates");
  // OpenAI takes metadata only together with `store`, which would keep the conversation there.
  if (request.metadata !== undefined) warn("metadata", "chat completions take it for stored answers only");
}

const samplingFields = (request: NeutralRequest, effort: Effort | undefined, warn: Warn): JsonObject =>
  takenSampling(
    defined({
      max_tokens: request.maxTokens,
      temperature: request.temperature,
      top_p: request.topP,
      presence_penalty: request.presencePenalty,
      frequency_penalty: request.frequencyPenalty,
      seed: request.seed,
      stop: request.stop,
      n: request.choices,
      logprobs: request.hasLogprobs,
      top_logprobs: request.topLogprobs,
      logit_bias: request.logitBias,
    }),
    request.model,
    effort,
    warn,
  );

/**
 * Writes a request of the chat format. `max_tokens` is the name every vendor knows; OpenAI's reasoning models want another, which is
 * a quirk of the provider. Throws TranslationFault where chat completions cannot do what was asked.
 */
export function encodeRequest(request: NeutralRequest, warn: Warn): JsonObject {
  warnOfRest(request, warn);
  const messages = encodeMessages(request, warn);
  const effort = reasoningEffort(request, warn);
  const shared = sharedFields(request);
  return {
    model: request.model,
    messages,
    ...thinkingFor(request, messages, warn),
    ...(request.isStream ? { stream: true } : {}),
    ...toolFields(request, warn),
    ...samplingFields(request, effort, warn),
    ...reasoningFields(request, effort),
    ...defined({
      response_format: request.responseFormat === undefined ? undefined : responseFormat(request.responseFormat),
      ...shared.fields,
      user: fittingUser(shared.user, OPENAI_USER_LENGTH, warn),
      service_tier: serviceTier(request, warn),
      verbosity: request.verbosity,
    }),
  };
}
