/** Neutral requests -> Hunyuan's ChatCompletions (cloud.tencent.com/document/product/1729/105701, /101838 for its structures). */
import { defined } from "../../dialects/json/fields.ts";
import {
  type FunctionTool,
  type ImagePart,
  type JsonObject,
  type NeutralPart,
  type NeutralRequest,
  TranslationFault,
  uriOf,
  type Warn,
} from "../../dialects/neutral/neutral.ts";
import {
  conversationOf,
  refuseImpossible,
  resultText,
  type Turn,
  warnOfUnsupported,
  joinedText,
} from "../../dialects/vendor-turns.ts";

const MAX_SEED = 10_000;

/** Pictures are `Contents` beside at least one text; text alone is `Content`. */
function said(parts: readonly NeutralPart[]): JsonObject {
  const other = parts.find(({ kind }) => kind === "file" || kind === "audio");
  if (other !== undefined) throw new TranslationFault("messages", `this model takes no ${other.kind} parts`);
  const pictures = parts.filter((part): part is ImagePart => part.kind === "image");
  if (pictures.length === 0) return { Content: joinedText(parts) };
  const contents = parts.flatMap((part): JsonObject[] => {
    if (part.kind === "image") return [{ Type: "image_url", ImageUrl: { Url: uriOf(part.source) } }];
    return part.kind === "text" && part.text !== "" ? [{ Type: "text", Text: part.text }] : [];
  });
  return { Contents: contents };
}

function userMessages(parts: readonly NeutralPart[], warn: Warn): JsonObject[] {
  const results = parts.filter((part) => part.kind === "tool_result");
  if (results.some(({ isError }) => isError === true))
    warn("messages", "this model cannot be told that a tool's result is an error");
  const rest = parts.filter(({ kind }) => kind !== "tool_result");
  const tools = results.map((result) => ({ Role: "tool", ToolCallId: result.id, Content: resultText(result.parts) }));
  return rest.length === 0 && tools.length > 0 ? tools : [...tools, { Role: "user", ...said(rest) }];
}

function assistantMessage(parts: readonly NeutralPart[], warn: Warn): JsonObject {
  if (parts.some(({ kind }) => kind === "reasoning"))
    warn("reasoning", "this model takes no thinking of earlier turns");
  if (parts.some(({ kind }) => kind === "image" || kind === "audio"))
    throw new TranslationFault("messages", "this model takes pictures and sound from users only");
  const calls = parts.filter((part) => part.kind === "tool_call");
  const ToolCalls = calls.map(({ id, name, arguments: Arguments }, Index) => ({
    Id: id,
    Type: "function",
    Function: { Name: name, Arguments },
    Index,
  }));
  return { Role: "assistant", Content: joinedText(parts), ...(calls.length === 0 ? {} : { ToolCalls }) };
}

const messagesOf = ({ role, parts }: Turn, warn: Warn): JsonObject[] =>
  role === "user" ? userMessages(parts, warn) : [assistantMessage(parts, warn)];

/** Parameters are the JSON Schema as a text. */
const toolOf = ({ name, description, parameters }: FunctionTool): JsonObject => ({
  Type: "function",
  Function: { Name: name, Description: description ?? "", Parameters: JSON.stringify(parameters) },
});

/** The vendor can be made to call one tool, and not to call some tool of several. */
function toolFields({ tools, toolChoice }: NeutralRequest): JsonObject {
  const functions = tools.filter((tool) => tool.kind === "function");
  if (functions.length === 0) return {};
  const Tools = functions.map(toolOf);
  if (toolChoice === undefined) return { Tools };
  if (toolChoice.kind === "auto" || toolChoice.kind === "none") return { Tools, ToolChoice: toolChoice.kind };
  const chosen =
    toolChoice.kind === "tool" ? functions.findIndex(({ name }) => name === toolChoice.name) : functions.length - 1;
  if (chosen < 0 || (toolChoice.kind === "required" && functions.length > 1))
    throw new TranslationFault("tool_choice", "this model can be made to call one certain tool only");
  return { Tools, ToolChoice: "custom", CustomTool: Tools[chosen] };
}

function seedOf({ seed }: NeutralRequest, warn: Warn): number | undefined {
  if (seed === undefined || (seed > 0 && seed <= MAX_SEED)) return seed;
  warn("seed", `this model takes seeds from 1 to ${MAX_SEED}`);
  return undefined;
}

function stopOf({ stop }: NeutralRequest, warn: Warn): readonly string[] | undefined {
  if (stop !== undefined) warn("stop", "this model ends behind a stop sequence, which stays in its answer");
  return stop;
}

/** Throws TranslationFault where the API cannot do what was asked. The vendor's search stays as its account has it. */
export function encodeRequest(request: NeutralRequest, warn: Warn): JsonObject {
  refuseImpossible(request, { takesTools: true, takesFormats: false }, warn);
  warnOfUnsupported(request, ["temperature", "topP", "seed", "stop"], warn);
  const { system, turns } = conversationOf(request, warn);
  return {
    Model: request.model,
    Messages: [
      ...(system === "" ? [] : [{ Role: "system", Content: system }]),
      ...turns.flatMap((turn) => messagesOf(turn, warn)),
    ],
    Stream: request.isStream,
    ...defined({
      Temperature: request.temperature,
      TopP: request.topP,
      Seed: seedOf(request, warn),
      Stop: stopOf(request, warn),
    }),
    ...toolFields(request),
  };
}
