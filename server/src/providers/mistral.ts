/** Mistral: channel type 42 (docs.mistral.ai/getting-started/models, docs.mistral.ai/api). */
import { isObject, listOf, ownOf, textOf } from "../dialects/json/fields.ts";
import type { JsonObject } from "../dialects/neutral/neutral.ts";
import {
  type FieldPatch,
  mappedEffort,
  isCompletions,
  olderLimit,
  systemRole,
  without,
} from "../dialects/openai-chat/compatible.ts";
import { defineProvider } from "./define.ts";
import type { Operation, Quirk } from "./provider.ts";

// Mistral answers 422 to every field that its schema lacks, in messages too (docs.mistral.ai/api, docs.mistral.ai/resources/error-glossary).

const isEmbeddings = (_model: string, operation: Operation): boolean => operation === "embeddings";

/** Fields of OpenAI's request that are not in the vendor's; its streams end with the usage unasked. */
const UNKNOWN = [
  "audio",
  "function_call",
  "functions",
  "logit_bias",
  "logprobs",
  "modalities",
  "prompt_cache_retention",
  "safety_identifier",
  "service_tier",
  "store",
  "stream_options",
  "top_logprobs",
  "user",
  "verbosity",
  "web_search_options",
];

/** What a message of each role may hold. */
const MESSAGE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  system: ["role", "content"],
  user: ["role", "content"],
  assistant: ["role", "content", "tool_calls", "prefix"],
  tool: ["role", "content", "tool_call_id", "name"],
};

const OWN_ID = /^[A-Za-z0-9]{9}$/;
/** Models whose effort can be chosen; those named for reasoning always think. */
const takesEffort = (model: string): boolean => /^mistral-(?:small|medium)/.test(model);
const EFFORTS = { minimal: "none", low: "high", medium: "high", xhigh: "high", max: "high" } as const;

/** Ids of calls that other vendors made, as the vendor's nine characters: the same in each turn, since they are numbered in order. */
class CallIds {
  readonly #known = new Map<string, string>();

  of(id: string): string {
    if (OWN_ID.test(id)) return id;
    const short = this.#known.get(id) ?? `call${String(this.#known.size).padStart(5, "0")}`;
    this.#known.set(id, short);
    return short;
  }
}

function plainCall(call: unknown, ids: CallIds): unknown {
  if (!isObject(call)) return call;
  const { extra_content: _extra, ...rest } = call;
  const id = ids.of(textOf(call["id"]));
  return id === call["id"] && call["extra_content"] === undefined ? call : { ...rest, id };
}

/** The message with the fields of its role and ids the vendor takes; the same object where nothing had to change. */
function plainMessage(message: unknown, ids: CallIds): unknown {
  if (!isObject(message)) return message;
  const known = ownOf(MESSAGE_FIELDS, textOf(message["role"])) ?? Object.keys(message);
  const calls = listOf(message["tool_calls"]).map((call) => plainCall(call, ids));
  const answered = textOf(message["tool_call_id"]);
  const changed: JsonObject = {
    ...message,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(answered === "" ? {} : { tool_call_id: ids.of(answered) }),
  };
  const kept = Object.entries(changed).filter(([name, value]) => known.includes(name) && !isNothing(name, value));
  const isSame =
    kept.length === Object.keys(message).length &&
    changed["tool_call_id"] === message["tool_call_id"] &&
    calls.every((call, index) => call === listOf(message["tool_calls"])[index]);
  return isSame ? message : Object.fromEntries(kept);
}

/** Clients send back an answer's `tool_calls: null`. */
const isNothing = (name: string, value: unknown): boolean =>
  name === "tool_calls" && (value === null || listOf(value).length === 0);

function plainMessages(body: JsonObject): FieldPatch {
  const ids = new CallIds();
  const messages = listOf(body["messages"]);
  const plain = messages.map((message) => plainMessage(message, ids));
  return plain.every((message, index) => message === messages[index]) ? {} : { set: { messages: plain } };
}

/** A field under the name it has at the vendor. */
function renamed(body: JsonObject, from: string, to: string): FieldPatch {
  const value = body[from];
  if (value === undefined) return {};
  return value === null || body[to] !== undefined ? { remove: [from] } : { remove: [from], set: { [to]: value } };
}

const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isCompletions, patch: systemRole },
  {
    reason: "the vendor refuses fields of a message that it does not know",
    appliesTo: isCompletions,
    patch: plainMessages,
  },
  { reason: "the vendor bounds answers by max_tokens alone", appliesTo: isCompletions, patch: olderLimit },
  {
    reason: "the vendor calls it random_seed",
    appliesTo: isCompletions,
    patch: (body) => renamed(body, "seed", "random_seed"),
  },
  {
    reason: "the vendor's models think or do not, and few can be told which",
    appliesTo: isCompletions,
    patch: (body, _options, model) =>
      takesEffort(model) ? mappedEffort(body, EFFORTS) : without(body, ["reasoning_effort"]),
  },
  {
    reason: "the vendor refuses fields that it does not know",
    appliesTo: isCompletions,
    patch: (body) => without(body, UNKNOWN),
  },
  {
    reason: "the vendor calls it output_dimension",
    appliesTo: isEmbeddings,
    patch: (body) => renamed(body, "dimensions", "output_dimension"),
  },
  {
    reason: "the vendor refuses fields that it does not know",
    appliesTo: isEmbeddings,
    patch: (body) => without(body, ["user"]),
  },
];

export const mistral = defineProvider({
  id: 42,
  slug: "mistral",
  name: "Mistral AI",
  defaultBaseUrl: "https://api.mistral.ai",
  keyHint: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  models: [
    "mistral-large-latest",
    "mistral-medium-latest",
    "mistral-small-latest",
    "magistral-medium-latest",
    "ministral-14b-latest",
    "ministral-8b-latest",
    "ministral-3b-latest",
    "codestral-latest",
    "devstral-2512",
    "mistral-embed",
    "codestral-embed",
  ],
  operations: ["chat", "embeddings", "models"],
  supportsStreamUsage: false,
  thinksInParts: true,
  // docs.mistral.ai/api: chat completions have functions alone; searches are a connector of its agents.
  webSearch: "none",
  // docs.mistral.ai/studio-api/conversations/advanced/prompt-caching
  openAiSettings: { names: ["prompt_cache_key"] },
  mark: { glyph: "M", colour: "#d95f1e" },
  quirks,
});
