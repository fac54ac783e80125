/** A neutral request -> Cohere's chat (docs.cohere.com/reference/chat, docs.cohere.com/docs/tool-use-overview, docs.cohere.com/docs/reasoning). */
import { addAll, defined, isObject, listOf } from "../../dialects/json/fields.ts";
import { parseExact } from "../../dialects/json/exact.ts";
import { withCarriedImages } from "../../dialects/neutral/pictures.ts";
import {
  type Effort,
  type FunctionTool,
  type JsonObject,
  type NeutralMessage,
  type NeutralPart,
  type NeutralRequest,
  type ToolResultPart,
  TranslationFault,
  uriOf,
  type Warn,
} from "../../dialects/neutral/neutral.ts";
import { isSigned } from "../../dialects/openai-chat/signature.ts";
import { refuseSearch, within } from "../../dialects/vendor-turns.ts";

const DETAILS: ReadonlySet<string> = new Set(["auto", "low", "high"]);

const joined = (parts: readonly NeutralPart[]): string =>
  parts.map((part) => (part.kind === "text" || part.kind === "refusal" ? part.text : "")).join("");

function contentPart(part: NeutralPart): JsonObject[] {
  if (part.kind === "text") return [{ type: "text", text: part.text }];
  if (part.kind === "image") {
    const { source, detail } = part;
    const shown = detail !== undefined && DETAILS.has(detail) ? { detail } : {};
    return [{ type: "image_url", image_url: { url: uriOf(source), ...shown } }];
  }
  if (part.kind === "file" && part.source.kind === "base64" && part.source.mimeType.startsWith("text/"))
    return [{ type: "text", text: Buffer.from(part.source.data, "base64").toString("utf8") }];
  if (part.kind === "file" || part.kind === "audio")
    throw new TranslationFault("messages", "This model takes texts and pictures only.");
  return [];
}

/** One text as a string, everything else as a list. */
function contentOf(parts: readonly NeutralPart[]): unknown {
  const [first, ...more] = parts;
  return first === undefined || (first.kind === "text" && more.length === 0)
    ? joined(parts)
    : parts.flatMap(contentPart);
}

/** The documents of a result that is JSON: the vendor cites the fields of each. */
function documentsOf(text: string): JsonObject[] | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value = parseExact(text);
    const documents = isObject(value) ? [value] : listOf(value);
    if (documents.length === 0 || !documents.every(isObject)) return undefined;
    return documents.map((data) => ({ type: "document", document: { data: JSON.stringify(data) } }));
  } catch {
    return undefined; // Not JSON: the text is the result.
  }
}

/** The text of a result; its pictures and files follow in a user message. */
function toolMessage({ id, parts, isError }: ToolResultPart, warn: Warn): JsonObject {
  if (isError === true) warn("messages", "Cohere cannot mark a tool's result as an error");
  const hasMore = parts.some(({ kind }) => kind !== "text");
  const text = joined(parts) || (hasMore ? "The result is attached to the next message." : "");
  return { role: "tool", tool_call_id: id, content: documentsOf(text) ?? text };
}

function userMessages({ parts }: NeutralMessage, warn: Warn): JsonObject[] {
  const results = parts.filter((part) => part.kind === "tool_result");
  const attached = results.flatMap((result) => result.parts.filter(({ kind }) => kind !== "text"));
  const said = [...attached, ...parts.filter(({ kind }) => kind !== "tool_result")];
  const answered = results.map((result) => toolMessage(result, warn));
  return said.length === 0 && results.length > 0 ? answered : [...answered, { role: "user", content: contentOf(said) }];
}

/** Models that never think; what they say before a call is their plan. */
const NEVER_THINKS = /^(?:command-r|command-a-(?:03|vision|translate)|command-light|command$|c4ai-)/;

function assistantMessage({ parts }: NeutralMessage, model: string, warn: Warn): JsonObject {
  const given = parts.filter((part) => part.kind === "reasoning");
  const own = given.filter((part) => !isSigned(part));
  if (own.length < given.length) warn("reasoning", "thinking of another model is left out of the conversation");
  const thoughts = own.map(({ text }) => text).join("");
  const thinks = thoughts !== "" && !NEVER_THINKS.test(model);
  const text = joined(parts);
  const calls = parts.flatMap((part) =>
    part.kind === "tool_call"
      ? [{ id: part.id, type: "function", function: { name: part.name, arguments: part.arguments } }]
      : [],
  );
  const content = [
    ...(thinks ? [{ type: "thinking", thinking: thoughts }] : []),
    ...(text === "" ? [] : [{ type: "text", text }]),
  ];
  const plan = calls.length > 0 && thoughts !== "" && !thinks ? { tool_plan: thoughts } : {};
  return {
    role: "assistant",
    ...(content.length === 0 && calls.length > 0 ? {} : { content: thinks ? content : text }),
    ...(calls.length === 0 ? {} : { tool_calls: calls, ...plan }),
  };
}

/** Its instructions stand at the head of a conversation alone, so those inside it go there. */
function encodeMessages({ system, messages, model }: NeutralRequest, warn: Warn): JsonObject[] {
  const turns = withCarriedImages(messages);
  const inside = turns.filter(({ role }) => role === "system");
  if (inside.length > 0) warn("messages", "instructions inside the conversation were moved to its head");
  const instructions = [...system.map(({ text }) => text), ...inside.map(({ parts }) => joined(parts))];
  const out: JsonObject[] = [];
  for (const message of turns) {
    if (message.role === "user") addAll(out, userMessages(message, warn));
    else if (message.role === "assistant") out.push(assistantMessage(message, model, warn));
  }
  // Instructions alone are sent as the user's, since the vendor requires a turn.
  if (instructions.length > 0)
    out.unshift({ role: out.length === 0 ? "user" : "system", content: instructions.join("\n\n") });
  return out;
}

const isFunction = (tool: NeutralRequest["tools"][number]): tool is FunctionTool => tool.kind === "function";

/** A choice of one tool is made by offering no other. */
function toolFields(request: NeutralRequest, warn: Warn): JsonObject {
  const { tools, toolChoice } = request;
  refuseSearch(request, warn);
  const functions = tools.filter(isFunction);
  if (functions.length === 0) return {};
  const wanted = toolChoice?.kind === "tool" ? functions.filter(({ name }) => name === toolChoice.name) : functions;
  const isForced = toolChoice?.kind === "tool" || toolChoice?.kind === "required";
  return {
    tools: wanted.map(({ name, description, parameters }) => ({
      type: "function",
      function: defined({ name, description, parameters }),
    })),
    ...(isForced ? { tool_choice: "REQUIRED" } : toolChoice?.kind === "none" ? { tool_choice: "NONE" } : {}),
    ...(wanted.every(({ isStrict }) => isStrict === true) ? { strict_tools: true } : {}),
  };
}

/** Tokens that stand for an effort; from high on the model thinks as long as it likes. */
const BUDGETS: Readonly<Partial<Record<Effort, number>>> = { minimal: 512, low: 2048, medium: 8192 };

function thinking({ reasoning, model }: NeutralRequest, warn: Warn): JsonObject | undefined {
  if (reasoning === undefined) return undefined;
  const { effort, budgetTokens } = reasoning;
  const isOff = effort === "none" || budgetTokens === 0;
  if (NEVER_THINKS.test(model)) {
    if (!isOff) warn("reasoning", "this model does not think");
    return undefined;
  }
  if (isOff) return { type: "disabled" };
  const budget = budgetTokens ?? (effort === undefined ? undefined : BUDGETS[effort]);
  return { type: "enabled", ...(budget === undefined ? {} : { token_budget: budget }) };
}

function responseFormat({ responseFormat: format, tools }: NeutralRequest): JsonObject | undefined {
  if (format === undefined) return undefined;
  if (tools.some(isFunction))
    throw new TranslationFault(
      "response_format",
      "The model behind this name takes a form of answers or tools, not both.",
    );
  return { type: "json_object", ...(format.kind === "json_schema" ? { json_schema: format.schema } : {}) };
}

const MAX_STOPS = 5;

function samplingFields(request: NeutralRequest, warn: Warn): JsonObject {
  const { stop, choices } = request;
  if (choices !== undefined && choices > 1)
    throw new TranslationFault("n", "The model behind this name gives one answer at a time.");
  if (stop !== undefined && stop.length > MAX_STOPS)
    throw new TranslationFault("stop", `The model behind this name takes up to ${MAX_STOPS} stop sequences.`);
  return {
    max_tokens: request.maxTokens,
    temperature: within(request.temperature, [0, 1], "temperature", warn),
    p: within(request.topP, [0.01, 0.99], "top_p", warn),
    k: within(request.topK, [0, 500], "top_k", warn),
    frequency_penalty: within(request.frequencyPenalty, [0, 1], "frequency_penalty", warn),
    presence_penalty: within(request.presencePenalty, [0, 1], "presence_penalty", warn),
    seed: request.seed,
    stop_sequences: stop,
  };
}

const WITHOUT = [
  ["logitBias", "logit_bias"],
  ["hasLogprobs", "logprobs"],
  ["topLogprobs", "top_logprobs"],
  ["user", "user"],
  ["metadata", "metadata"],
  ["serviceTier", "service_tier"],
  ["verbosity", "verbosity"],
] as const;

/** The vendor takes no mode of safety beside tools and their results (docs.cohere.com/docs/safety-modes). */
const takesSafetyMode = ({ tools, messages }: NeutralRequest): boolean =>
  !tools.some(isFunction) && !messages.some(({ parts }) => parts.some(({ kind }) => kind === "tool_result"));

/** `safetyMode` is empty where the vendor's own holds. Throws TranslationFault where the vendor cannot do what was asked. */
export function encodeRequest(request: NeutralRequest, safetyMode: string, warn: Warn): JsonObject {
  for (const [name, field] of WITHOUT)
    if (request[name] !== undefined && request[name] !== false) warn(field, "Cohere has no such setting");
  if (request.hasParallelToolCalls === false) warn("parallel_tool_calls", "Cohere may call several tools at once");
  return defined({
    model: request.model,
    messages: encodeMessages(request, warn),
    stream: request.isStream,
    ...toolFields(request, warn),
    ...samplingFields(request, warn),
    response_format: responseFormat(request),
    thinking: thinking(request, warn),
    safety_mode: safetyMode !== "" && takesSafetyMode(request) ? safetyMode : undefined,
  });
}
