/**
 * Which request parameters a model takes, by the names of OpenRouter's list of models (openrouter.ai/docs/guides/overview/models): read from its name by
 * the same tables of capabilities and refused fields by which requests are encoded. Models of other makers are not known.
 */
import { modelKind } from "../../../contract/src/pricing/model-kind.ts";
import { traitsOf } from "./anthropic-messages/models.ts";
import { thinkingOf } from "./gemini/models.ts";
import { refusedFields } from "./neutral/model-names.ts";
import { canReason, takenSampling } from "./neutral/openai-models.ts";

type Parameters = readonly string[];

const TOOLS: Parameters = ["tools", "tool_choice"];
const REASONING: Parameters = ["reasoning", "include_reasoning"];
/** By a schema, beside any JSON. */
const STRUCTURED: Parameters = ["response_format", "structured_outputs"];
const SAMPLING: Parameters = ["temperature", "top_p", "presence_penalty", "frequency_penalty"];
const OPENAI_SAMPLING: Parameters = [...SAMPLING, "logprobs", "top_logprobs", "logit_bias"];

const where = (isSo: boolean, parameters: Parameters): Parameters => (isSo ? parameters : []);

/** Tools: developers.openai.com/api/docs/models, each model's page. Schemas: guides/structured-outputs. `stop`: reference of chat completions. */
function ofOpenAi(model: string): Parameters {
  const taken = takenSampling(
    Object.fromEntries(OPENAI_SAMPLING.map((name) => [name, true])),
    model,
    undefined,
    () => undefined,
  );
  const lacksTools = /^(?:chatgpt-4o|gpt-5-chat|o1-(?:mini|preview))/.test(model);
  const lacksSchemas = /^(?:gpt-3|gpt-4(?:-|$)|gpt-4o-2024-05-13|o1-(?:mini|preview))/.test(model);
  return [
    "max_tokens",
    "seed",
    ...OPENAI_SAMPLING.filter((name) => name in taken),
    ...where(/^(?:gpt-[34]|chatgpt-)/.test(model), ["stop"]),
    ...where(!lacksTools, TOOLS),
    ...where(!lacksSchemas, STRUCTURED),
    ...where(canReason(model), REASONING),
  ];
}

function ofAnthropic(model: string): Parameters {
  const { hasSampling, hasStructuredOutputs, hasThinking } = traitsOf(model);
  return [
    "max_tokens",
    "stop",
    ...where(hasSampling, ["temperature", "top_p", "top_k"]),
    ...TOOLS,
    ...where(hasStructuredOutputs, STRUCTURED),
    ...where(hasThinking, REASONING),
  ];
}

/** ai.google.dev/api/generate-content#generationconfig */
const ofGemini = (model: string): Parameters => [
  "max_tokens",
  "stop",
  "seed",
  "temperature",
  "top_p",
  ...TOOLS,
  ...STRUCTURED,
  ...where(thinkingOf(model, { effort: "low" }) !== undefined, REASONING),
];

/** docs.x.ai/docs/guides/reasoning: models that reason refuse the penalties and `stop`. */
function ofXai(model: string): Parameters {
  const refused = refusedFields("xai", model);
  const reasons = /^grok-(?:3-mini|code|[4-9]|\d\d)(?!.*non-reasoning)/.test(model);
  return [
    "max_tokens",
    "seed",
    ...SAMPLING.filter((name) => !refused.includes(name)),
    ...where(!reasons, ["stop"]),
    ...TOOLS,
    ...STRUCTURED,
    ...where(reasons, REASONING),
  ];
}

/** api-docs.deepseek.com/api/create-chat-completion and /guides/thinking_mode: no schemas, and no sampling while the model thinks. */
function ofDeepSeek(model: string): Parameters {
  const thinks = model.startsWith("deepseek-reasoner");
  const isSwitched = /^deepseek-v[4-9]/.test(model);
  return [
    "max_tokens",
    "stop",
    ...where(!thinks, ["temperature", "top_p"]),
    ...TOOLS,
    "response_format",
    ...where(thinks || isSwitched, REASONING),
  ];
}

/** platform.kimi.ai/docs/api/chat */
function ofMoonshot(model: string): Parameters {
  const refused = refusedFields("moonshot", model);
  const reasons = /^kimi-(?:k[3-9]|k2\.[5-9]|.*thinking)/.test(model);
  return [
    "max_tokens",
    "stop",
    ...SAMPLING.filter((name) => !refused.includes(name)),
    ...TOOLS,
    "response_format",
    ...where(reasons, REASONING),
  ];
}

/** The first row that fits decides. A row without a function is of models whose parameters differ from their family's. */
const MAKERS: readonly (readonly [models: RegExp, parameters?: (model: string) => Parameters])[] = [
  [/(?:search|live|deep-research|audio|instruct|computer-use|robotics|customtools|omni)/],
  [/^(?:gpt-[3-9]|gpt-\d\d|chatgpt-4o|o\d(?:-|$)|codex-mini)/, ofOpenAi],
  [/^claude-(?!v?[12](?:[.-]|$)|instant)/, ofAnthropic],
  [/^gemini-(?:\d|(?:pro|flash)-)/, ofGemini],
  [/^grok-(?:\d|code-)/, ofXai],
  [/^deepseek-(?:chat|reasoner|v[4-9])(?:-|$)/, ofDeepSeek],
  [/^(?:kimi-|moonshot-v1-)/, ofMoonshot],
];

/**
 * OpenRouter's `supported_parameters` of a model that chats; undefined where nothing is known of it.
 * @param model its name, with or without `vendor/` before it
 */
export function supportedParameters(model: string): Parameters | undefined {
  if (modelKind(model) !== "chat") return undefined;
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  return MAKERS.find(([models]) => models.test(name))?.[1]?.(name);
}
