/** An Ollama server: channel type 4 (docs.ollama.com/api/openai-compatibility, docs.ollama.com/api/authentication). */
import { servedMessages } from "../dialects/anthropic-messages/vendors/compatible.ts";
import { defined, isObject, listOf, numberOf, objectOf, textOf } from "../dialects/json/fields.ts";
import {
  type JsonObject,
  type NeutralPart,
  type NeutralRequest,
  type Warn,
  TranslationFault,
} from "../dialects/neutral/neutral.ts";
import { type EffortNames, mappedEffort, systemRole } from "../dialects/openai-chat/compatible.ts";
import { openAiChatDialect } from "../dialects/openai-chat/openai-chat.ts";
import { textsOf, vectorsAnswer, warnOfTask } from "../dialects/openai-chat/operations/embeddings.ts";
import { servedResponses } from "../dialects/openai-responses/vendors/compatible.ts";
import { vendorFormat } from "../dialects/vendor-format.ts";
import type { VendorOperation } from "../dialects/vendor-operation.ts";
import { defineProvider } from "./define.ts";
import { ollamaModels } from "./stored-models.ts";
import type { ProviderCall, ProviderChannel, ProviderRequest, Quirk } from "./provider.ts";

/** Where an Ollama server answers: its own API at `/api`, OpenAI's at `/v1`, behind a base URL that may end in either (docs.ollama.com/api/introduction). */
function endpoint(channel: ProviderChannel, { operation, path }: ProviderCall): ProviderRequest {
  const base = channel.baseUrl.replace(/\/+$/, "").replace(/\/(?:api|v1)$/, "");
  const url = base + (operation === "models" ? "/api/tags" : path);
  return { url, headers: ["authorization", `Bearer ${channel.key}`] };
}

/** What an Ollama server takes of Messages (docs.ollama.com/api/anthropic-compatibility) and of Responses (docs.ollama.com/api/openai-compatibility); the rest its own format can do. */
const quirks: readonly Quirk[] = [
  servedMessages({ vendor: "Ollama", toolChoices: ["auto"] }),
  servedResponses({ vendor: "Ollama", tools: ["function"], toolChoices: ["auto"], textFormats: ["text"] }),
];

// OpenAI's chat as Ollama speaks it (docs.ollama.com/api/openai-compatibility): pictures are handed over as bytes, thinking has another
// name, and the client is warned of what it passes over. A format of its own, so that addresses of pictures are fetched for every client.

/** Its efforts are none, low, medium and high; newer servers have more. */
const EFFORTS: EffortNames = { minimal: "low", xhigh: "high", max: "high" };

/** Fields of OpenAI's that it reads past. */
const PASSED_OVER = [
  "prompt_cache_key",
  "prompt_cache_retention",
  "safety_identifier",
  "logit_bias",
  "user",
  "service_tier",
  "verbosity",
  "parallel_tool_calls",
  "web_search_options",
];

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
  const named = { ...encoded, ...systemRole(encoded).set, ...mappedEffort(encoded, EFFORTS).set };
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

const format = () => own;

// Ollama's vectors in its own format, which counts input tokens (docs.ollama.com/api/embed).

const embeddings: VendorOperation = {
  path: () => "/api/embed",
  encodeRequest({ fields }, warn) {
    if (fields["user"] !== undefined) warn("user", "Ollama has no such field");
    warnOfTask(fields, warn);
    return defined({
      model: fields["model"],
      input: textsOf(fields),
      dimensions: fields["dimensions"],
      truncate: fields["truncate"],
      keep_alive: fields["keep_alive"],
      options: fields["options"],
    });
  },
  decodeAnswer({ embeddings: vectors, prompt_eval_count: tokens }, { fields }) {
    if (!Array.isArray(vectors)) return undefined;
    const numbers = vectors.map((vector) => listOf(vector).map((value) => numberOf(value) ?? 0));
    return vectorsAnswer(numbers, fields, numberOf(tokens));
  },
};

/** Names of the models that an Ollama server holds (docs.ollama.com/api/tags). */
const modelNames = ({ models }: JsonObject): readonly string[] =>
  listOf(models)
    .map((model) => textOf(objectOf(model)["name"]))
    .filter((name) => name !== "");

export const ollama = defineProvider({
  id: 4,
  slug: "ollama",
  name: "Ollama",
  defaultBaseUrl: "http://localhost:11434",
  dialects: ["vendor"],
  natives: {
    // docs.ollama.com/api/anthropic-compatibility; servers before 0.14 have none, and are asked in its own format.
    "anthropic-messages": { root: "/v1" },
    // docs.ollama.com/api/openai-compatibility, since 0.13.3
    "openai-responses": { root: "/v1" },
  },
  baseEndings: ["/api"],
  // A server of one's own passes over keys; those of ollama.com are checked.
  keyHint: "ollama",
  models: ["gpt-oss:20b", "qwen3:8b", "qwen3-vl:8b", "gemma4:31b", "deepseek-r1:8b", "llama3.3:70b", "embeddinggemma"],
  notice: "nativeFormats",
  operations: ["chat", "completions", "embeddings", "models"],
  // docs.ollama.com/capabilities/web-search: an API of its own, and no part of a chat.
  webSearch: "none",
  mark: { glyph: "O", colour: "#3f3f46" },
  endpoint,
  quirks,
  modelNames,
  format,
  ownOperations: { embeddings },
  storedModels: ollamaModels,
});
