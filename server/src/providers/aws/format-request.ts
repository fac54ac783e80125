/** A neutral request -> Converse's (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html). */
import { addAll, defined, isObject, objectOf, ownOf, textOf } from "../../dialects/json/fields.ts";
import { warnOfCacheMarks } from "../../dialects/neutral/dropped-fields.ts";
import { withCarriedImages } from "../../dialects/neutral/pictures.ts";
import {
  type FunctionTool,
  type JsonObject,
  type NeutralPart,
  type NeutralRequest,
  type NeutralTool,
  type ResponseFormat,
  type TextPart,
  type ToolChoice,
  TranslationFault,
  type Warn,
} from "../../dialects/neutral/neutral.ts";
import { conversationOf, refuseImpossible, warnOfUnsupported, within } from "../../dialects/vendor-turns.ts";
import { ContentWriter, PLACEHOLDER } from "./format-content.ts";
import { type ConverseTraits, type KnownEffort, NEAREST, traitsOf } from "./models.ts";

interface Turn {
  role: "user" | "assistant";
  content: JsonObject[];
}

/** Text after tool results as a turn of its own, with an assistant turn between, if the model cannot take both in one. */
function apart({ role, content }: Turn): Turn[] {
  const results = content.filter((block) => "toolResult" in block);
  const rest = content.filter((block) => !("toolResult" in block));
  if (results.length === 0 || rest.length === 0) return [{ role, content }];
  return [
    { role, content: results },
    { role: "assistant", content: [PLACEHOLDER] },
    { role, content: rest },
  ];
}

/** Alternating roles, the user's first, and none without a block. */
function alternating(turns: readonly Turn[]): Turn[] {
  const found: Turn[] = [];
  for (const { role, content } of turns) {
    const last = found.at(-1);
    if (content.length === 0) continue;
    if (last?.role === role) addAll(last.content, content);
    else found.push({ role, content: [...content] });
  }
  return found[0]?.role === "user" ? found : [{ role: "user", content: [PLACEHOLDER] }, ...found];
}

/** The vendor has no field for JSON of any shape, so the model is instructed. */
const ANY_JSON: TextPart = {
  kind: "text",
  text: "Give the answer as one JSON object, with no words and no marks around it.",
};

/** The request with JSON mode as an instruction. */
function withJsonInstruction(request: NeutralRequest, warn: Warn): NeutralRequest {
  if (request.responseFormat?.kind !== "json") return request;
  warn("response_format", "this model has no mode for JSON without a schema; it is asked for in the instructions");
  return { ...request, system: [...request.system, ANY_JSON] };
}

/** A cache point may follow instructions and parts of turns. */
const isTurnOrRule = ({ kind }: NeutralPart | NeutralTool, isInResult: boolean): boolean =>
  kind !== "function" && !isInResult;

/** Instructions and turns. Throws TranslationFault for parts that the vendor has no block for. */
function conversation(request: NeutralRequest, traits: ConverseTraits, warn: Warn): JsonObject {
  const writer = new ContentWriter(traits, warn);
  const { system, turns } = conversationOf({ ...request, messages: withCarriedImages(request.messages) }, warn);
  if (!traits.hasCache) warnOfCacheMarks(request, warn, "this model has no cache that a request can speak of");
  else warnOfCacheMarks(request, warn, "this model takes no marks on tools and inside their results", isTurnOrRule);
  const kept = writer.cachePoint(request.system.find(({ cache }) => cache !== undefined)?.cache);
  const written = turns.map(({ role, parts }) => ({ role, content: writer[role](parts) }));
  const messages = alternating(traits.keepsApart ? written.flatMap(apart) : written);
  return { ...(system.trim() === "" ? {} : { system: [{ text: system }, ...kept] }), messages };
}

/** Definitions put in place of references may multiply; more than this is no schema of a tool. */
const MAX_NODES = 10_000;
const REFERENCE = /^#\/(?:\$defs|definitions)\/(.+)$/;

/** The schema with what is defined beside it in place of references to it; what refers to itself may be anything there. */
function withoutReferences(schema: JsonObject): JsonObject {
  const definitions = { ...objectOf(schema["definitions"]), ...objectOf(schema["$defs"]) };
  let nodes = 0;
  const resolved = (value: unknown, around: readonly string[]): unknown => {
    if ((nodes += 1) > MAX_NODES)
      throw new TranslationFault("tools", "the schema of a tool is too large for this model");
    if (Array.isArray(value)) return value.map((entry) => resolved(entry, around));
    if (!isObject(value)) return value;
    const name = REFERENCE.exec(textOf(value["$ref"]))?.[1];
    if (name !== undefined)
      return around.includes(name) ? {} : resolved(ownOf(definitions, name) ?? {}, [...around, name]);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolved(inner, around)]));
  };
  return Object.keys(definitions).length === 0 ? schema : objectOf(resolved(schema, []));
}

/** An object, and of its keywords those that the model takes around the parameters. */
function inputSchema(parameters: JsonObject, { hasPlainSchemas }: ConverseTraits): JsonObject {
  const schema = parameters["type"] === undefined ? { type: "object", ...parameters } : parameters;
  if (!hasPlainSchemas) return schema;
  const { type, properties = {}, required } = withoutReferences(schema);
  return defined({ type, properties, required });
}

const toolSpec = (
  { name, description = "", parameters }: Omit<FunctionTool, "kind">,
  traits: ConverseTraits,
): JsonObject => ({
  toolSpec: {
    name,
    ...(description.trim() === "" ? {} : { description }),
    inputSchema: { json: inputSchema(parameters, traits) },
  },
});

function choiceOf(choice: ToolChoice | undefined): JsonObject {
  if (choice?.kind === "required") return { toolChoice: { any: {} } };
  return choice?.kind === "tool" ? { toolChoice: { tool: { name: choice.name } } } : {};
}

/** Calls in the conversation want their tools in the request, also where the client offers none any more. */
function toolConfig(
  { tools, toolChoice, messages }: NeutralRequest,
  traits: ConverseTraits,
  warn: Warn,
): JsonObject | undefined {
  const offered = tools.filter((tool): tool is FunctionTool => tool.kind === "function");
  const called = new Set(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === "tool_call" ? [part.name] : []))),
  );
  const isWithheld = toolChoice?.kind === "none";
  if (called.size === 0 && (isWithheld || offered.length === 0)) return undefined;
  if (isWithheld) warn("tool_choice", "this model cannot be kept from calling a tool that the conversation has");
  if (offered.some(({ isStrict }) => isStrict === true))
    warn("tools[].strict", "this model does not hold tools strictly to their schema");
  const missing = [...called].filter((name) => !offered.some((tool) => tool.name === name));
  const specs = [...offered, ...missing.map((name) => ({ name, parameters: { type: "object", properties: {} } }))];
  return { tools: specs.map((spec) => toolSpec(spec, traits)), ...choiceOf(toolChoice) };
}

const BUDGETS: readonly (readonly [most: number, effort: KnownEffort])[] = [
  [0, "none"],
  [2048, "low"],
  [12_288, "medium"],
];

/** How long to think, as an effort that all models share; undefined if not requested or not supported. */
function effortOf(
  { reasoning, maxTokens }: NeutralRequest,
  traits: ConverseTraits,
  warn: Warn,
): KnownEffort | undefined {
  if (reasoning === undefined || traits.effort === undefined) return undefined;
  const { effort, budgetTokens } = reasoning;
  const byBudget =
    budgetTokens === undefined ? undefined : (BUDGETS.find(([most]) => budgetTokens <= most)?.[1] ?? "high");
  const wanted = effort === undefined ? (byBudget ?? "medium") : NEAREST[effort];
  if (wanted !== "high" || !traits.hasBareHighEffort || maxTokens === undefined) return wanted;
  warn("reasoning", "this model takes no bound of the answer with its highest effort, so it thinks with the one below");
  return "medium";
}

/** `inferenceConfig`, and the fields beside it that are the model's own. */
function settings(request: NeutralRequest, traits: ConverseTraits, warn: Warn): JsonObject {
  const { maxTokens, temperature, topP, topK, stop } = request;
  const effort = effortOf(request, traits, warn);
  const isBare = effort === "high" && traits.hasBareHighEffort;
  if (isBare && [temperature, topP, topK].some((value) => value !== undefined))
    warn("temperature", "this model's highest effort goes with no setting of its sampling");
  const sampling = isBare
    ? {}
    : { temperature: within(temperature, [0, 1], "temperature", warn), topP: within(topP, [0, 1], "top_p", warn) };
  const inferenceConfig = defined({ maxTokens, ...sampling, stopSequences: stop });
  const own = {
    ...(topK === undefined || isBare ? {} : traits.topK?.(topK)),
    ...(effort === undefined ? {} : traits.effort?.(effort)),
  };
  return {
    ...(Object.keys(inferenceConfig).length === 0 ? {} : { inferenceConfig }),
    ...(Object.keys(own).length === 0 ? {} : { additionalModelRequestFields: own }),
  };
}

function outputConfig(format: ResponseFormat | undefined): JsonObject | undefined {
  if (format?.kind !== "json_schema") return undefined;
  const { name, description, schema } = format;
  // The schema is a text of its own.
  const jsonSchema = defined({ name, description, schema: JSON.stringify(schema) });
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } };
}

/** Throws TranslationFault where the API cannot do what was asked. */
export function encodeRequest(request: NeutralRequest, warn: Warn): JsonObject {
  const traits = traitsOf(request.model);
  refuseImpossible(request, { takesTools: true, takesFormats: true }, warn);
  const own = [
    ...(traits.topK === undefined ? [] : ["topK" as const]),
    ...(traits.effort === undefined ? [] : ["reasoning" as const]),
  ];
  warnOfUnsupported(request, ["maxTokens", "temperature", "topP", "stop", ...own], warn);
  return defined({
    ...conversation(withJsonInstruction(request, warn), traits, warn),
    ...settings(request, traits, warn),
    toolConfig: toolConfig(request, traits, warn),
    outputConfig: outputConfig(request.responseFormat),
  });
}
