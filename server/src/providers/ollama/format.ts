/**
 * OpenAI's chat as Ollama speaks it (docs.ollama.com/api/openai-compatibility): pictures are handed over as bytes, thinking has another
 * name, and what it passes over is told to the client. A format of its own, so that addresses of pictures are fetched for every client.
 */
import { isObject, listOf } from "../../dialects/json/fields.ts";
import {
  type JsonObject,
  type NeutralPart,
  type NeutralRequest,
  TranslationFault,
  type Warn,
} from "../../dialects/neutral/neutral.ts";
import { type EffortWords, effortInWords, systemRole } from "../../dialects/openai-chat/compatible.ts";
import { openAiChatDialect } from "../../dialects/openai-chat/openai-chat.ts";
import { vendorFormat } from "../../dialects/vendor-format.ts";

/** Its efforts are none, low, medium and high; newer servers have more. */
const EFFORTS: EffortWords = { minimal: "low", xhigh: "high", max: "high" };

/** Fields of OpenAI's that it reads past. */
const PASSED_OVER = ["logit_bias", "user", "service_tier", "verbosity", "parallel_tool_calls", "web_search_options"];

/** Its models get their thinking back as `reasoning`. */
function withReasoning(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { reasoning_content: thinking, reasoning_details: _details, ...rest } = message;
  return thinking === undefined ? rest : { ...rest, reasoning: thinking };
}

/** Tools that the model is not to call are not offered; that it must call one cannot be said. */
function offered({ tools, toolChoice }: NeutralRequest, warn: Warn): NeutralRequest["tools"] {
  if (toolChoice === undefined || toolChoice.kind === "auto") return tools;
  if (toolChoice.kind === "none") return [];
  warn("tool_choice", "Ollama's models cannot be made to call a tool");
  if (toolChoice.kind !== "tool") return tools;
  return tools.filter((tool) => tool.kind === "function" && tool.name === toolChoice.name);
}

const isTaken = (part: NeutralPart): boolean =>
  part.kind === "tool_result"
    ? part.parts.every(isTaken)
    : part.kind !== "audio" && (part.kind !== "file" || part.source.mimeType?.startsWith("text/") === true);

function encodeRequest(request: NeutralRequest, warn: Warn): JsonObject {
  if (request.choices !== undefined && request.choices > 1)
    throw new TranslationFault("n", "The model behind this name gives one answer at a time.");
  if (!request.messages.every(({ parts }) => parts.every(isTaken)))
    throw new TranslationFault("messages", "This model takes texts and pictures only.");
  const { toolChoice: _choice, ...rest } = request;
  const encoded = openAiChatDialect.encodeRequest({ ...rest, tools: offered(request, warn) }, warn);
  const named = { ...encoded, ...systemRole(encoded).set, ...effortInWords(encoded, EFFORTS).set };
  for (const name of PASSED_OVER) if (name in named) warn(name, "Ollama has no such setting");
  const taken = Object.fromEntries(Object.entries(named).filter(([name]) => !PASSED_OVER.includes(name)));
  const messages = listOf(taken["messages"]).map(withReasoning);
  return { ...taken, messages, ...(request.isStream ? { stream_options: { include_usage: true } } : {}) };
}

const { path, decodeAnswer, createDecoder, isErrorBody, normaliseUsage } = openAiChatDialect;
const own = vendorFormat({
  path,
  fetchedMedia: ["image", "file"],
  encodeRequest,
  decodeAnswer,
  createDecoder,
  isErrorBody,
  normaliseUsage,
});

export const format = () => own;
